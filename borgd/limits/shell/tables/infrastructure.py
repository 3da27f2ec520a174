"""Infrastructure as code, configuration management, secrets and service stores. Data.

A plan runs providers and may keep locks: nobody can tell; written to a file it is a change.
"""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks, shows_or_sets

_TERRAFORM = Tool(
    bare=Effect.READ,
    long_with_one_dash=True,
    ignores="--check --diff --list --dry-run",
    look="show output version graph validate help modules",
    change="apply destroy import taint untaint init get refresh force-unlock login logout",
    verbs={
        "fmt": changes(long_with_one_dash=True, looks="-check --check -write=false --write=false"),
        "plan": Tool(long_with_one_dash=True, writes="-out --out -generate-config-out"),
        "state": Tool(
            long_with_one_dash=True,
            look="list show pull identities",
            change="push replace-provider",
            verbs={
                "mv": changes(long_with_one_dash=True, dry="-dry-run --dry-run"),
                "rm": changes(long_with_one_dash=True, dry="-dry-run --dry-run"),
            },
        ),
        "workspace": Tool(look="list show", change="new select delete"),
        "env": Tool(look="list", change="new select delete"),
        "providers": Tool(Effect.UNKNOWN, bare=Effect.READ, look="schema", change="lock mirror"),
        "metadata": Tool(look="functions"),
        "test": Tool(),
        "console": Tool(),
    },
)

TOOLS: Mapping[str, Tool] = {
    "terraform": _TERRAFORM,
    "tofu": _TERRAFORM,
    "terragrunt": Tool(
        bare=Effect.READ,
        long_with_one_dash=True,
        ignores=_TERRAFORM.ignores,
        look=_TERRAFORM.look + " output-module-groups graph-dependencies render-json terragrunt-info",
        change=_TERRAFORM.change,
        verbs={
            **_TERRAFORM.verbs,
            "run-all": Tool(look=_TERRAFORM.look, change=_TERRAFORM.change, verbs=_TERRAFORM.verbs, long_with_one_dash=True),
            "hclfmt": changes(looks="--terragrunt-check --check"),
        },
    ),
    "pulumi": Tool(
        look="whoami about logs version schema",
        change="up update destroy refresh import cancel new login logout install watch",
        values="-s --stack -C --cwd",
        verbs={
            "stack": Tool(
                bare=Effect.READ,
                look="ls output graph history",
                change="init select rm rename import change-secrets-provider tag",
                verbs={"export": looks(writes="--file")},
            ),
            "config": Tool(bare=Effect.READ, look="get", change="set set-all rm cp refresh env"),
            "state": Tool(change="delete unprotect rename edit move"),
            "plugin": Tool(look="ls", change="install rm"),
            "preview": Tool(writes="--save-plan"),
        },
    ),
    "cdk": Tool(look="doctor docs", change="deploy destroy bootstrap init import watch gc migrate"),
    "cdktf": Tool(change="deploy destroy init get convert"),
    "sam": Tool(look="", change="deploy delete init package publish sync"),
    "serverless": Tool(look="info", change="deploy remove create rollback"),
    "sls": Tool(look="info", change="deploy remove create rollback"),
    "ansible": Tool(looks="--list-hosts --syntax-check", ignores="--check --diff"),
    "ansible-playbook": changes(
        doubts="--check -C", looks="--list-tasks --list-hosts --list-tags --syntax-check", ignores="--check --diff"
    ),
    "ansible-inventory": looks(writes="--output"),
    "ansible-doc": looks(),
    "ansible-config": Tool(look="list dump view validate", change="init"),
    "ansible-lint": looks(writes="--fix --write"),
    "ansible-galaxy": Tool(
        change="install init remove delete import setup",
        verbs={
            "collection": Tool(look="list verify", change="install init build publish download"),
            "role": Tool(look="list info search", change="install init remove delete import setup"),
            "list": looks(),
            "info": looks(),
            "search": looks(),
        },
    ),
    "ansible-vault": Tool(
        look="view", change="create edit rekey encrypt decrypt", verbs={"encrypt_string": looks(writes="--output")}
    ),
    "vagrant": Tool(
        look="status global-status ssh-config port version",
        change="up halt destroy reload provision suspend resume init package",
        verbs={
            "box": Tool(look="list outdated", change="add remove update prune repackage"),
            "plugin": Tool(look="list", change="install uninstall update"),
            "snapshot": Tool(look="list", change="save restore delete push pop"),
        },
    ),
    "packer": Tool(
        look="validate inspect version",
        change="build init",
        long_with_one_dash=True,
        verbs={
            "fmt": changes(long_with_one_dash=True, looks="-check -write=false"),
            "plugins": Tool(look="installed required", change="install remove"),
        },
    ),
    "vault": Tool(
        look="status read list version path-help print",
        change="write delete login server unwrap patch agent",
        long_with_one_dash=True,
        verbs={
            "kv": Tool(
                look="get list",
                change="put delete patch undelete destroy rollback enable-versioning",
                verbs={"metadata": Tool(look="get", change="put delete patch")},
            ),
            "token": Tool(look="lookup capabilities", change="create revoke renew"),
            "secrets": Tool(look="list", change="enable disable move tune"),
            "auth": Tool(look="list help", change="enable disable move tune"),
            "policy": Tool(look="list read", change="write delete fmt"),
            "operator": Tool(look="members key-status", change="init seal unseal step-down rekey rotate"),
            "lease": Tool(look="lookup", change="revoke renew"),
            "audit": Tool(look="list", change="enable disable"),
        },
    ),
    "consul": Tool(
        look="members catalog info validate version",
        change="join leave force-leave reload maint lock",
        verbs={
            "kv": Tool(look="get export", change="put delete import"),
            "acl": Tool(),
            "config": Tool(look="list read", change="write delete"),
        },
    ),
    "nomad": Tool(
        look="status version validate",
        change="run stop",
        verbs={
            "job": Tool(look="status history inspect plan validate", change="run stop revert scale dispatch restart"),
            "node": Tool(look="status", change="drain eligibility"),
            "alloc": Tool(look="status logs fs", change="stop restart signal"),
            "fmt": changes(long_with_one_dash=True, looks="-check -write=false"),
        },
    ),
    "salt": Tool(),
    "salt-call": Tool(),
    "puppet": Tool(verbs={"parser": Tool(look="validate"), "apply": Tool(looks="--noop"), "resource": Tool()}),
    "chef-client": changes(looks="--why-run -W"),
    "knife": Tool(),
    "tflint": looks(writes="--fix --init"),
    "tfsec": looks(writes="-O --out"),
    "checkov": looks(writes="--output-file-path"),
    "terraform-docs": Tool(looks="", default=Effect.READ, writes="--output-file"),
    "infracost": Tool(look="breakdown diff", change="configure register auth"),
    "sops": changes(looks="-d --decrypt filestatus", writes="-i --in-place"),
    "age": looks(writes="-o --output"),
    "op": Tool(
        look="whoami read",
        change="signin signout",
        verbs={
            "item": Tool(look="get list", change="create edit delete move"),
            "vault": Tool(look="get list", change="create edit delete"),
            "run": Tool(runs=0, behind_dashes=True, values="--env-file"),
            "account": Tool(look="get list", change="add forget"),
        },
    ),
    "doppler": Tool(
        look="me",
        verbs={
            "run": Tool(runs=0, behind_dashes=True, values="-p --project -c --config"),
            "secrets": Tool(
                bare=Effect.READ, look="get", change="set delete upload", verbs={"download": changes(looks="--no-file")}
            ),
        },
    ),
    "aws-vault": Tool(
        look="list ls", change="add remove rotate login clear", verbs={"exec": Tool(runs=1, behind_dashes=True)}
    ),
    "direnv": Tool(
        look="status version",
        change="allow deny permit revoke reload edit prune",
        verbs={"exec": Tool(runs=1), "export": Tool()},
    ),
    "kubeseal": looks(writes="-w --sealed-secret-file"),
    "etcdctl": Tool(
        look="get version watch",
        change="put del compaction defrag txn snapshot lock elect",
        verbs={
            "member": Tool(look="list", change="add remove update promote"),
            "endpoint": Tool(look="health status hashkv"),
            "user": Tool(look="list get", change="add delete passwd grant-role revoke-role"),
            "alarm": Tool(look="list", change="disarm"),
            "snapshot": Tool(look="status", change="save restore"),
        },
    ),
    "systemd-analyze": looks(),
    "dotenv": Tool(look="get list", change="set unset", verbs={"run": Tool(runs=0, behind_dashes=True)}),
    "nix-shell": Tool(text_of="--run --command", floor=Effect.NOTHING, values="-p -I -A --packages --arg --argstr"),
    "wrangler": Tool(
        look="whoami tail",
        change="deploy publish delete login logout init rollback",
        verbs={"kv": Tool(), "secret": Tool(look="list", change="put delete bulk"), "deployments": Tool(look="list status")},
    ),
    "fly": Tool(
        look="status logs info version platform",
        change="deploy launch destroy scale restart login",
        verbs={
            "apps": Tool(look="list", change="create destroy restart"),
            "secrets": Tool(look="list", change="set unset import deploy"),
            "machine": Tool(look="list status", change="run stop start destroy update"),
            "volumes": Tool(look="list show", change="create destroy extend"),
            "releases": looks(),
            "regions": Tool(look="list"),
            "ips": Tool(look="list", change="allocate-v4 release"),
        },
    ),
    "heroku": Tool(
        look="apps config logs ps releases addons domains status whoami",
        change=(
            "create destroy restart config:set config:unset login logout run addons:create addons:destroy ps:scale rollback"
        ),
        values="-a --app",
    ),
    "vercel": Tool(
        look="ls list inspect logs whoami",
        change="deploy remove rm link pull login logout promote rollback dev alias",
        bare=Effect.CHANGE,
        verbs={
            "env": Tool(look="ls list", change="add rm pull"),
            "domains": Tool(look="ls inspect", change="add rm buy move"),
        },
    ),
    "netlify": Tool(
        look="status",
        change="deploy link unlink init login logout",
        verbs={"env:list": looks(), "env:get": looks(), "env:set": changes(), "sites:list": looks()},
    ),
    "firebase": Tool(look="projects:list apps:list functions:log", change="deploy init login logout use"),
    "supabase": Tool(
        look="status projects",
        change="start stop init link login",
        verbs={"db": Tool(look="diff lint", change="push pull reset dump remote")},
    ),
    "railway": Tool(
        look="status logs whoami",
        change="up down link login logout init",
        verbs={"variables": shows_or_sets(), "run": Tool(runs=0)},
    ),
    "doctl": Tool(
        scan=True,
        look="list get ls version",
        change="create delete update add remove apply resize reboot login init switch save",
    ),
    "hcloud": Tool(
        scan=True,
        look="list describe version",
        change=(
            "create delete update add-label remove-label poweroff reboot reset rebuild attach detach enable-* disable-* use"
        ),
    ),
    "linode-cli": Tool(scan=True, look="list view ls", change="create delete update rm reboot boot shutdown rebuild"),
    "oci": Tool(scan=True, look="list get", change="create delete update put terminate launch action bulk-*"),
}
