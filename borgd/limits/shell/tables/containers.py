"""Containers and their images: docker and those that speak like it, composing, building, registries. Data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks

_EXEC_VALUES = "-e --env --env-file -u --user -w --workdir --detach-keys --index"
_RUN = changes(
    runs=None,
    ignores="--help --dry-run --check --diff --list",
    values=(
        "-e --env -v --volume -p --publish --name -u --user -w --workdir --network --entrypoint -h --hostname -l --label"
    ),
)
_OBJECTS: dict[str, Any] = {
    "look": "ls list inspect",
    "change": "create rm remove prune connect disconnect update import export restore",
}

_COMPOSE = Tool(
    bare=Effect.READ,
    look="ps ls logs images top port version events convert stats volumes",
    change=("up down start stop restart rm run build pull push create kill pause unpause cp scale publish commit attach"),
    values=("-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel"),
    verbs={
        "config": looks(writes="-o --output --lock-image-digests"),
        "exec": Tool(runs=1, values=_EXEC_VALUES, ignores="--help --version"),
        "watch": changes(),
        "export": changes(),
        "alpha": Tool(),
        "wait": looks(),
    },
)

_DOCKER = Tool(
    bare=Effect.READ,
    look=("ps images logs inspect version info top stats port diff history search events help wait"),
    change="rm rmi pull push stop start restart kill create cp commit tag load import rename "
    "update pause unpause login logout "
    "build",
    values=(
        "-H --host --context -c --config -l --log-level --tlscacert --tlscert --tlskey --connection --url --root --namespace"
    ),
    verbs={
        "run": _RUN,
        "exec": Tool(runs=1, values=_EXEC_VALUES, ignores="--help --version"),
        "save": looks(writes="-o --output"),
        "export": looks(writes="-o --output"),
        "compose": _COMPOSE,
        "container": Tool(
            bare=Effect.READ,
            look="ls list ps inspect logs top stats port diff wait",
            change=("rm prune create start stop restart kill cp commit export rename update pause unpause attach"),
            verbs={"run": _RUN, "exec": Tool(runs=1, values=_EXEC_VALUES, ignores="--help --version")},
        ),
        "image": Tool(
            bare=Effect.READ,
            look="ls list inspect history tree exists",
            change="rm prune build pull push tag load import",
            verbs={"save": looks(writes="-o --output")},
        ),
        "network": Tool(bare=Effect.READ, **_OBJECTS),
        "volume": Tool(bare=Effect.READ, **_OBJECTS),
        "system": Tool(bare=Effect.READ, look="df info events", change="prune reset migrate renumber"),
        "context": Tool(bare=Effect.READ, look="ls list inspect show", change="create rm use update export import"),
        "buildx": Tool(
            bare=Effect.READ,
            look="ls du inspect version",
            change="build b bake create rm use prune stop install uninstall",
            verbs={
                "imagetools": Tool(look="inspect", change="create"),
                "inspect": looks(writes="--bootstrap"),
                "history": Tool(look="ls logs inspect", change="rm open import export"),
            },
        ),
        "builder": Tool(look="du", change="prune build"),
        "manifest": Tool(look="inspect", change="create annotate push rm"),
        "plugin": Tool(look="ls list inspect", change="install rm remove enable disable create push set upgrade"),
        "secret": Tool(look="ls list inspect exists", change="create rm"),
        "config": Tool(look="ls list inspect", change="create rm"),
        "service": Tool(look="ls list ps inspect logs", change="create rm scale update rollback"),
        "stack": Tool(look="ls ps services config", change="deploy up rm down remove"),
        "node": Tool(look="ls ps inspect", change="rm update promote demote"),
        "swarm": Tool(look="", change="init join leave update ca unlock"),
        "scout": Tool(look="quickview cves recommendations compare version", change="enroll cache"),
        "trust": Tool(look="inspect", change="sign revoke key signer"),
        "pod": Tool(look="ls list ps inspect logs top stats exists", change="create rm start stop restart kill prune pause"),
        "machine": Tool(look="ls list info inspect", change="init rm start stop set ssh"),
        "generate": Tool(look="kube systemd"),
    },
)

TOOLS: Mapping[str, Tool] = {
    "docker": _DOCKER,
    "podman": _DOCKER,
    "nerdctl": _DOCKER,
    "docker-compose": _COMPOSE,
    "podman-compose": _COMPOSE,
    "buildah": Tool(
        look="images containers inspect info version", change="bud build from run copy add commit push pull rm rmi tag"
    ),
    "skopeo": Tool(look="inspect list-tags", change="copy delete sync login logout"),
    "crane": Tool(
        look="ls manifest digest config catalog validate version", change="copy cp push pull delete tag append mutate"
    ),
    "oras": Tool(
        look="version discover",
        change="push pull copy cp attach login logout",
        verbs={"repo": Tool(look="ls tags"), "manifest": Tool(look="fetch", change="push delete")},
    ),
    "crictl": Tool(
        look="ps images logs inspect inspecti inspectp pods stats info version",
        change="rm rmi rmp stop stopp pull run create start",
        verbs={"exec": Tool(runs=1)},
    ),
    "ctr": Tool(
        look="version",
        values="-n --namespace -a --address",
        verbs={
            "images": Tool(look="ls list check", change="rm pull push tag import export"),
            "image": Tool(look="ls list check", change="rm pull push tag import export"),
            "i": Tool(look="ls list check", change="rm pull push tag import export"),
            "containers": Tool(look="ls list info", change="rm create"),
            "c": Tool(look="ls list info", change="rm create"),
            "tasks": Tool(look="ls list ps metrics", change="rm kill start pause resume"),
            "namespaces": Tool(look="ls list", change="rm create"),
        },
    ),
    "dive": looks(),
    "hadolint": looks(),
    "trivy": looks(writes="-o --output", ignores="--list"),
    "grype": looks(writes="--file"),
    "syft": looks(writes="--file"),
    "lxc": Tool(
        look="list ls info version",
        change="launch init start stop restart delete move copy publish snapshot restore",
        verbs={
            "exec": Tool(runs=1, behind_dashes=True),
            "config": Tool(look="show get", change="set unset edit device"),
            "image": Tool(look="list info show", change="delete copy import export edit"),
            "file": Tool(change="push pull edit delete create"),
        },
    ),
    "incus": Tool(
        look="list ls info version",
        change="launch init create start stop restart delete rm move copy publish snapshot",
        verbs={"exec": Tool(runs=1, behind_dashes=True), "config": Tool(look="show get", change="set unset edit device")},
    ),
    "multipass": Tool(
        look="list ls info find version networks get",
        change="launch start stop delete purge set transfer mount umount",
        verbs={"exec": Tool(runs=1, behind_dashes=True)},
    ),
    "colima": Tool(look="list status version", change="start stop delete restart"),
    "devcontainer": Tool(
        look="read-configuration", change="up build set-up", verbs={"exec": Tool(runs=0, floor=Effect.UNKNOWN)}
    ),
}
