"""What a git command does: git's own verbs, their listing forms, and the options that turn one into the other. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from borgd.limits.shell.options import has, operands
from borgd.limits.shell.tables.tool import Effect, words

_GLOBAL_VALUES = words("-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source")

_READS = words(
    """
    status log diff show blame annotate grep ls-files ls-tree cat-file rev-parse rev-list describe shortlog
    for-each-ref name-rev merge-base whatchanged count-objects check-ignore check-attr check-mailmap
    check-ref-format var version help ls-remote show-ref show-branch cherry range-diff diff-tree diff-files
    diff-index verify-commit verify-tag verify-pack archive get-tar-commit-id merge-tree patch-id stripspace
    column request-pull show-index fast-export get-url last-modified fmt-merge-msg mailsplit diff-pairs
    """
)
_CHANGES = words(
    """
    add am apply checkout cherry-pick clean clone commit commit-tree fast-import fetch filter-branch
    filter-repo format-patch gc hash-object init maintenance merge mv pack-refs prune pull push read-tree
    rebase repack replace reset restore revert rm send-email stage switch update-index update-ref write-tree
    mktag mktree bundle daemon checkout-index merge-file mergetool update-server-info unpack-objects
    prune-packed prefetch bugreport diagnose subtree quiltimport send-pack fetch-pack receive-pack
    pack-objects index-pack multi-pack-index commit-graph credential-store p4 svn cvsimport archimport
    """
)
_LISTING: dict[str, frozenset[str]] = {
    "stash": words("list show"),
    "remote": words("show get-url"),
    "worktree": words("list"),
    "submodule": words("status summary"),
    "notes": words("list show get-ref"),
    "bisect": words("log view visualize terms"),
    "lfs": words("ls-files status env version logs"),
    "bundle": words("verify list-heads"),
    "sparse-checkout": words("list check-rules"),
    "config": words("get list"),
    "rerere": words("status diff remaining"),
    "svn": words("log info find-rev show-ignore"),
    "commit-graph": words("verify"),
    "multi-pack-index": words("verify"),
    "refs": words("verify list exists"),
    "credential": frozenset(),
}
"""Verbs of verbs that only list."""
_REFLOG_CHANGES = words("expire delete drop write")
_LIST_WHEN_BARE = words("remote submodule notes branch tag lfs")
_BRANCH_CHANGES = tuple(
    words(
        "-d -D -m -M -c -C -f -u -t --delete --move --copy --force --set-upstream-to "
        "--unset-upstream --edit-description --set-upstream "
        "--create-reflog --track --no-track"
    )
)
_TAG_CHANGES = tuple(words("-a -s -d -f -m -F -u --annotate --sign --delete --force --message --file --local-user"))
_LIST_VALUES = words("--contains --no-contains --merged --no-merged --sort --points-at --format --column")
_BRANCH_LISTS = tuple(
    words("-l -a -r --list --all --remotes --show-current --contains --no-contains --merged --no-merged --points-at")
)
_TAG_LISTS = tuple(words("-l -n -v --list --verify --contains --no-contains --merged --no-merged --points-at"))
_CONFIG_VALUES = words("-f --file --blob --type --default --value --comment")
_CONFIG_GETS = tuple(words("--get --get-all --get-regexp --list -l --get-urlmatch --get-color --get-colorbool"))
_CONFIG_CHANGES = tuple(words("--unset --add --replace-all --unset-all --edit -e --remove-section --rename-section"))
_MESSAGES = words(
    "-m --message -F --file -C -c --author --date -t --template --strategy -s -X -b --reason --trailer --fixup --squash"
)
_RUNS_PROGRAMS = (
    "alias.",
    "core.pager",
    "pager.",
    "core.fsmonitor",
    "core.sshcommand",
    "core.editor",
    "core.hookspath",
    "diff.external",
    "filter.",
    "diff.",
    "sequence.editor",
    "credential.helper",
    "gpg.program",
    "core.askpass",
    "core.gitproxy",
)
_TAME = words("cat less true false delta") | {""}


def split(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The verb and what follows it, git's own options taken off; an empty verb where there is none."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if arguments[place] in _GLOBAL_VALUES else 1
    return (arguments[place], list(arguments[place + 1 :])) if place < len(arguments) else ("", [])


def judge(arguments: Sequence[str]) -> tuple[Effect, str]:
    """What ``git`` with ``arguments`` does, and why. A verb git does not have may be anyone's alias: unknown."""
    verb, rest = split(arguments)
    if not verb:
        return (Effect.READ, "git tells about itself") if arguments else (Effect.NOTHING, "git alone")
    effect = _judge_verb(verb, rest)
    if effect < Effect.CHANGE and (setting := _program_set(arguments)):
        return Effect.UNKNOWN, f"git -c {setting} may run something else"
    if effect < Effect.CHANGE and has(rest, "--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager"):
        return Effect.UNKNOWN, f"git {verb} runs a program that is named"
    said = {
        Effect.READ: "looks",
        Effect.CHANGE: "changes",
        Effect.UNKNOWN: "is not in the table",
        Effect.NOTHING: "does nothing",
    }[effect]
    return effect, f"git {verb} {said}"


def _program_set(arguments: Sequence[str]) -> str:
    """The setting given with ``-c`` that names a program to run."""
    for place, argument in enumerate(arguments[:-1]):
        if not argument.startswith("-"):
            return ""
        name, _, value = arguments[place + 1].partition("=")
        if argument == "-c" and name.lower().startswith(_RUNS_PROGRAMS) and value.partition(" ")[0] not in _TAME:
            if name.lower().startswith("diff.") and not name.lower().endswith((".external", ".command", ".textconv")):
                continue
            return name
    return ""


def runs(arguments: Sequence[str]) -> str:
    """The text that ``git submodule foreach`` hands to a shell, or nothing."""
    verb, rest = split(arguments)
    if verb == "submodule" and "foreach" in rest:
        inner = rest[rest.index("foreach") + 1 :]
        while inner and inner[0] in ("--recursive", "--quiet", "-q"):
            inner = inner[1:]
        return " ".join(inner)
    return ""


def _without_messages(rest: Sequence[str]) -> list[str]:
    """``rest`` without the values of options that take free text."""
    kept: list[str] = []
    skip = False
    for word in rest:
        if skip:
            skip = False
            continue
        kept.append(word)
        skip = word in _MESSAGES or (len(word) > 1 and word[0] == "-" and word[1] != "-" and word[-1] in "mF")
    return kept


def _judge_verb(verb: str, rest: Sequence[str]) -> Effect:
    if rest[:1] == ["--help"] or rest[:1] == ["-h"]:
        return Effect.READ
    if verb == "submodule" and "foreach" in rest:
        return Effect.READ if runs(["submodule", *rest]) else Effect.UNKNOWN
    if has(rest, "--output") or (verb == "archive" and has(rest, "-o")):
        return Effect.CHANGE
    if verb in _LISTING or verb in ("branch", "tag"):
        return _listing(verb, rest)
    if verb == "reflog":
        return (
            Effect.CHANGE
            if operands(rest)[:1] and operands(rest)[0] in _REFLOG_CHANGES and not has(rest, "--dry-run")
            else Effect.READ
        )
    if verb == "symbolic-ref":
        return Effect.READ if len(operands(rest)) < 2 and not has(rest, "-d", "--delete") else Effect.CHANGE
    if verb == "fsck":
        return Effect.CHANGE if has(rest, "--lost-found") else Effect.READ
    if verb == "interpret-trailers":
        return Effect.CHANGE if has(rest, "--in-place") else Effect.READ
    if verb == "fast-export" and has(rest, "--export-marks"):
        return Effect.CHANGE
    if verb == "replace" and has(rest, "-l", "--list"):
        return Effect.READ
    if verb in _CHANGES:
        return _dry(verb, _without_messages(rest))
    return Effect.READ if verb in _READS else Effect.UNKNOWN


def _dry(verb: str, rest: Sequence[str]) -> Effect:
    if verb in words("add push clean commit rm mv fetch pull prune stage send-email") and has(rest, "--dry-run"):
        return Effect.READ
    if verb == "apply" and has(rest, "--stat", "--check", "--numstat", "--summary") and not has(rest, "--apply"):
        return Effect.READ
    if verb in words("clean add push rm mv prune stage") and has(rest, "-n"):
        return Effect.READ
    if verb == "format-patch" and has(rest, "--stdout"):
        return Effect.READ
    if verb == "merge-file" and has(rest, "-p", "--stdout"):
        return Effect.READ
    return Effect.READ if verb == "hash-object" and not has(rest, "-w") else Effect.CHANGE


def _listing(verb: str, rest: Sequence[str]) -> Effect:
    if verb in ("branch", "tag"):
        given = operands(rest, _LIST_VALUES)
        if has(_long_and_own(rest), *(_BRANCH_CHANGES if verb == "branch" else _TAG_CHANGES)):
            return Effect.CHANGE
        return Effect.READ if not given or has(rest, *(_BRANCH_LISTS if verb == "branch" else _TAG_LISTS)) else Effect.CHANGE
    if verb == "config":
        given = operands(rest, _CONFIG_VALUES)
        if has(rest, *_CONFIG_CHANGES):
            return Effect.CHANGE
        if has(rest, *_CONFIG_GETS) or given[:1] in (["get"], ["list"]):
            return Effect.READ
        if given[:1] and given[0] in ("set", "unset", "edit", "remove-section", "rename-section"):
            return Effect.CHANGE
        return Effect.READ if len(given) == 1 else Effect.CHANGE
    if verb == "credential":
        return Effect.UNKNOWN
    given = operands(rest)
    if verb == "lfs" and given == ["track"]:
        return Effect.READ
    if not given:
        return Effect.READ if verb in _LIST_WHEN_BARE else Effect.CHANGE
    if given[0] == "prune" and verb in ("worktree", "remote") and has(rest, "-n", "--dry-run"):
        return Effect.READ
    return Effect.READ if given[0] in _LISTING[verb] else Effect.CHANGE


def _long_and_own(rest: Sequence[str]) -> list[str]:
    """``rest`` without the values of listing options (``--sort -committerdate``)."""
    return [word for place, word in enumerate(rest) if not place or rest[place - 1] not in _LIST_VALUES]


def files(arguments: Sequence[str]) -> list[str]:
    """The files whose content the command shows: ``git show REV:PATH``, ``git blame PATH``, ``git cat-file``."""
    verb, rest = split(arguments)
    given = operands(rest, frozenset({"-L", "-S", "-G", "-n", "--format", "--pretty"}))
    if verb in ("show", "cat-file"):
        return [word for word in given if ":" in word and not word.endswith(":")]
    return given[-1:] if verb in ("blame", "annotate") else []
