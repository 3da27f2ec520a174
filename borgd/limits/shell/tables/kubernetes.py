"""Kubernetes: kubectl and its like, helm, local clusters, deployment tools. Data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks, shows_or_sets

_GLOBAL = (
    "-n --namespace --context --cluster --user --kubeconfig -s --server --as --as-group "
    "--token --request-timeout "
    "-l --selector -o --output -f --filename -c --container --field-selector --sort-by -k "
    "--kustomize -L --label-columns"
)

_KUBECTL = Tool(
    bare=Effect.READ,
    look="get describe logs log top explain version api-resources api-versions cluster-info "
    "diff wait events completion options "
    "kustomize help",
    change=(
        "apply create delete edit patch replace scale label annotate drain cordon uncordon "
        "taint cp run expose autoscale debug"
    ),
    values=_GLOBAL,
    verbs={
        "rollout": Tool(look="status history", change="restart undo pause resume"),
        "auth": Tool(look="can-i whoami", change="reconcile"),
        "config": Tool(
            look="view get-contexts get-clusters get-users",
            change="set set-context set-cluster set-credentials unset use-context use delete-context "
            "delete-cluster delete-user "
            "rename-context",
        ),  # the field cases take current-context for one that cannot be told
        "set": changes(),
        "apply": changes(
            verbs={"view-last-applied": looks(), "edit-last-applied": changes(), "set-last-applied": changes()}
        ),
        "kustomize": looks(writes="-o --output"),
        "cluster-info": looks(writes="--output-directory"),
        "certificate": Tool(change="approve deny"),
        "plugin": Tool(look="list"),
        "exec": Tool(runs=1, behind_dashes=True),
        "krew": Tool(look="list search info version", change="install uninstall update upgrade"),
        "debug": changes(ignores="--help --dry-run"),
        "run": changes(),
    },
)

_HELM_DRY: dict[str, Any] = {
    "values": "--version -f --values --set --set-string --set-file -n --namespace --repo --timeout --description"
}

TOOLS: Mapping[str, Tool] = {
    "kubectl": _KUBECTL,
    "k": _KUBECTL,
    "kubecolor": _KUBECTL,
    "oc": Tool(
        bare=Effect.READ,
        look=_KUBECTL.look + " status whoami projects",
        change=_KUBECTL.change + " login logout new-app new-project start-build import-image process rsh rsync tag",
        values=_GLOBAL,
        verbs={
            **_KUBECTL.verbs,
            "project": shows_or_sets(),
            "adm": Tool(look="top", change="policy drain cordon uncordon upgrade"),
        },
    ),
    "helm": Tool(
        bare=Effect.READ,
        look="list ls status history hist search version lint env verify completion help",
        change="package push",
        values=("-n --namespace --kube-context --kubeconfig --registry-config --repository-config --repository-cache"),
        verbs={
            "install": changes(**_HELM_DRY),
            "upgrade": changes(**_HELM_DRY),
            "uninstall": changes(),
            "delete": changes(),
            "rollback": changes(),
            "test": changes(),
            "create": changes(),
            "pull": changes(values="--version --repo -d --destination"),
            "fetch": changes(values="--version --repo -d --destination"),
            "template": looks(writes="--output-dir", values="--version -f --values --set"),
            "get": Tool(look="all hooks manifest metadata notes values"),
            "show": Tool(look="all chart crds readme values"),
            "inspect": Tool(look="all chart crds readme values"),
            "repo": Tool(look="list ls", change="add remove rm update up index"),
            "dependency": Tool(look="list ls", change="update up build"),
            "dep": Tool(look="list ls", change="update up build"),
            "plugin": Tool(look="list ls", change="install uninstall update"),
            "registry": Tool(change="login logout"),
            "diff": Tool(look="upgrade revision rollback release version"),
        },
    ),
    "helmfile": Tool(
        look="list diff template lint build",
        change="apply sync destroy deps repos write-values fetch delete",
        values="-f --file -e --environment -l --selector",
    ),
    "kustomize": Tool(
        look="version", change="edit create localize", verbs={"build": looks(writes="-o --output"), "cfg": Tool()}
    ),
    "kubectx": shows_or_sets(looks="-c --current"),
    "kubens": shows_or_sets(looks="-c --current"),
    "minikube": Tool(
        look="status ip logs version profile-list docker-env podman-env",
        change="start stop delete pause unpause mount tunnel ssh cp update-context",
        values="-p --profile",
        verbs={
            "profile": Tool(Effect.CHANGE, bare=Effect.READ, look="list"),
            "addons": Tool(look="list images", change="enable disable configure"),
            "config": Tool(look="view get defaults", change="set unset"),
            "image": Tool(look="ls list", change="load build rm pull push tag"),
            "kubectl": Tool(runs=0, behind_dashes=True, floor=Effect.UNKNOWN),
            "node": Tool(look="list", change="add delete start stop"),
            "service": Tool(look="list"),
        },
    ),
    "kind": Tool(look="get version", change="create delete load build", verbs={"export": Tool(change="logs kubeconfig")}),
    "k3d": Tool(
        look="version",
        verbs={
            "cluster": Tool(look="list ls get", change="create delete start stop edit"),
            "node": Tool(look="list ls get", change="create delete start stop"),
            "image": Tool(change="import"),
            "kubeconfig": Tool(look="get", change="merge write"),
            "registry": Tool(look="list", change="create delete"),
        },
    ),
    "eksctl": Tool(look="get info version", change="create delete upgrade scale set unset enable drain utils update"),
    "argocd": Tool(
        look="version",
        change="login logout relogin",
        values="--server --auth-token --project",
        verbs={
            "app": Tool(
                look="list get diff history logs manifests resources wait",
                change="create delete sync set unset rollback patch edit terminate-op",
            ),
            "cluster": Tool(look="list get", change="add rm set rotate-auth"),
            "repo": Tool(look="list get", change="add rm"),
            "proj": Tool(look="list get", change="create delete edit set"),
            "context": shows_or_sets(),
            "account": Tool(look="list get get-user-info can-i", change="update-password generate-token"),
        },
    ),
    "flux": Tool(
        look="get check logs tree stats version events trace diff",
        change="bootstrap create delete reconcile suspend resume install uninstall push pull",
        values="-n --namespace",
        verbs={"export": looks(), "build": looks()},
    ),
    "istioctl": Tool(
        look="analyze version proxy-status ps proxy-config pc describe verify-install",
        change="install uninstall upgrade kube-inject",
        values="-n --namespace",
    ),
    "linkerd": Tool(look="check version stat top routes viz inject"),
    "stern": looks(),
    "kubeval": looks(),
    "kubeconform": looks(),
    "kube-linter": looks(),
    "velero": Tool(
        look="version",
        verbs={
            "backup": Tool(look="get describe logs", change="create delete download"),
            "restore": Tool(look="get describe logs", change="create delete"),
            "schedule": Tool(look="get describe", change="create delete"),
        },
    ),
}
