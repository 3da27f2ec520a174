"""What a git command does: git's own verbs, their listing forms, and the options that turn one into the other. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from borgd.limits.shell.commands import has, operands
from borgd.limits.shell.tables import Effect, words

_GLOBAL_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix"}
)

_READS = words(
    """
    status log diff show blame annotate grep ls-files ls-tree cat-file rev-parse rev-list describe shortlog
    for-each-ref name-rev merge-base whatchanged count-objects fsck check-ignore check-attr check-mailmap
    check-ref-format var version help ls-remote show-ref show-branch cherry range-diff diff-tree diff-files
    diff-index verify-commit verify-tag verify-pack archive get-tar-commit-id merge-tree patch-id stripspace
    column
    """
)
_CHANGES = words(
    """
    add am apply checkout cherry-pick clean clone commit commit-tree fast-import fetch filter-branch filter-repo
    format-patch gc hash-object init maintenance merge mv pack-refs prune pull push read-tree rebase repack
    replace reset restore revert rm send-email stage switch update-index update-ref write-tree mktag mktree
    sparse-checkout rerere bundle daemon
    """
)
_LISTING: dict[str, frozenset[str]] = {
    "stash": frozenset({"list", "show"}),
    "remote": frozenset({"show", "get-url"}),
    "worktree": frozenset({"list"}),
    "submodule": frozenset({"status", "summary"}),
    "notes": frozenset({"list", "show"}),
    "bisect": frozenset({"log", "view", "visualize"}),
    "reflog": frozenset({"show", "exists", "list"}),
    "lfs": frozenset({"ls-files", "status", "env", "version", "logs"}),
    "bundle": frozenset({"verify", "list-heads"}),
    "sparse-checkout": frozenset({"list"}),
    "config": frozenset({"get", "list"}),
}
"""Verbs of verbs that only list."""
_LIST_WHEN_BARE = frozenset({"remote", "reflog", "submodule", "notes", "branch", "tag"})
_BRANCH_CHANGES = (
    *("-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "--delete", "--move", "--copy", "--force", "--set-upstream-to"),
    *("--unset-upstream", "--edit-description", "--set-upstream", "--create-reflog", "--track", "--no-track"),
)
_TAG_CHANGES = (
    "-a",
    "-s",
    "-d",
    "-f",
    "-m",
    "-F",
    "-u",
    "--annotate",
    "--sign",
    "--delete",
    "--force",
    "--message",
    "--file",
)
_LIST_VALUES = frozenset(
    {"--contains", "--no-contains", "--merged", "--no-merged", "--sort", "--points-at", "--format", "--column"}
)
_LIST_OPTIONS = ("-l", "-a", "-r", "-v", "--list", "--all", "--remotes", "--show-current", "-n", *sorted(_LIST_VALUES))


def split(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The verb and what follows it, git's own options taken off; an empty verb where there is none."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if arguments[place] in _GLOBAL_VALUES else 1
    return (arguments[place], list(arguments[place + 1 :])) if place < len(arguments) else ("", [])


def judge(arguments: Sequence[str]) -> Effect:
    """What ``git`` with ``arguments`` does. A verb git does not have may be anyone's alias: unknown."""
    verb, rest = split(arguments)
    if not verb:
        return Effect.NOTHING
    if has(rest, "--output") or (verb == "archive" and has(rest, "-o")):
        return Effect.CHANGE
    if verb in _LISTING or verb in ("branch", "tag"):
        return _listing(verb, rest)
    if verb == "symbolic-ref":
        return Effect.READ if len(operands(rest)) < 2 and not has(rest, "-d", "--delete") else Effect.CHANGE
    if verb in _CHANGES:
        return Effect.READ if verb in ("add", "push", "clean", "commit") and has(rest, "--dry-run") else _dry(verb, rest)
    return Effect.READ if verb in _READS else Effect.UNKNOWN


def _dry(verb: str, rest: Sequence[str]) -> Effect:
    if verb == "apply" and has(rest, "--stat", "--check", "--numstat", "--summary") and not has(rest, "--apply"):
        return Effect.READ
    if verb in ("clean", "add", "push") and has(rest, "-n"):
        return Effect.READ
    return Effect.READ if verb == "hash-object" and not has(rest, "-w") else Effect.CHANGE


def _listing(verb: str, rest: Sequence[str]) -> Effect:
    given = operands(rest, _LIST_VALUES)
    if verb in ("branch", "tag"):
        if has(rest, *(_BRANCH_CHANGES if verb == "branch" else _TAG_CHANGES)):
            return Effect.CHANGE
        return Effect.READ if not given or has(rest, *_LIST_OPTIONS) else Effect.CHANGE
    if verb == "config":
        if has(rest, "--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch") or given[:1] in (
            ["get"],
            ["list"],
        ):
            return Effect.READ
        changes = has(
            rest, "--unset", "--add", "--replace-all", "--unset-all", "--edit", "-e", "--remove-section", "--rename-section"
        )
        return Effect.READ if len(given) == 1 and not changes else Effect.CHANGE
    if not given:
        return Effect.READ if verb in _LIST_WHEN_BARE else Effect.CHANGE
    return Effect.READ if given[0] in _LISTING[verb] else Effect.CHANGE


def files(arguments: Sequence[str]) -> list[str]:
    """The files whose content the command shows: ``git show REV:PATH``, ``git blame PATH``, ``git cat-file``."""
    verb, rest = split(arguments)
    given = operands(rest, frozenset({"-L", "-S", "-G", "-n", "--format", "--pretty"}))
    if verb in ("show", "cat-file"):
        return [word for word in given if ":" in word and not word.endswith(":")]
    return given[-1:] if verb in ("blame", "annotate") else []
