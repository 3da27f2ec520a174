"""The hosts of git repositories and other version control: gh, glab, svn, hg, jj. Data; ``git`` itself is ``git.py``."""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks, shows_or_sets

_LIST = "list ls view"

_GH = Tool(
    bare=Effect.NOTHING,
    look="status search browse version help completion",
    values="-R --repo",
    ignores="--check --diff --list",
    verbs={
        "pr": Tool(
            look=_LIST + " status diff checks",
            change=("create new edit close reopen merge comment ready review checkout co lock unlock update-branch revert"),
        ),
        "issue": Tool(
            look=_LIST + " status",
            change="create new edit close reopen comment delete transfer lock unlock pin unpin",
            verbs={"develop": changes(looks="-l --list")},
        ),
        "repo": Tool(
            look=_LIST + " license gitignore",
            change="create new clone fork delete edit rename archive unarchive sync set-default",
            verbs={
                "deploy-key": Tool(look="list", change="add delete"),
                "autolink": Tool(look="list view", change="create delete"),
                "set-default": changes(looks="-v --view"),
                "license": Tool(look="list view"),
                "gitignore": Tool(look="list view"),
            },
        ),
        "run": Tool(look=_LIST + " watch", change="rerun cancel delete download"),
        "workflow": Tool(look=_LIST, change="run enable disable"),
        "release": Tool(look=_LIST + " verify verify-asset", change="create new edit delete upload download delete-asset"),
        "gist": Tool(look=_LIST, change="create new edit delete clone rename"),
        "auth": Tool(look="status token", change="login logout refresh setup-git switch"),
        "secret": Tool(look="list ls", change="set delete remove"),
        "variable": Tool(look="list ls get", change="set delete remove"),
        "label": Tool(look="list ls", change="create edit delete clone"),
        "cache": Tool(look="list ls", change="delete"),
        "alias": Tool(look="list ls", change="set delete import"),
        "config": Tool(look="get list ls", change="set clear-cache"),
        "extension": Tool(look="list ls search browse", change="install upgrade remove create"),
        "ext": Tool(look="list ls search", change="install upgrade remove create"),
        "attestation": Tool(look="verify", change="download"),
        "ruleset": Tool(look=_LIST + " check"),
        "org": Tool(look="list ls"),
        "ssh-key": Tool(look="list ls", change="add delete"),
        "gpg-key": Tool(look="list ls", change="add delete"),
        "project": Tool(
            look=_LIST + " item-list field-list",
            change=(
                "create edit close delete copy item-add item-archive item-create item-delete "
                "item-edit field-create field-delete link unlink mark-template"
            ),
        ),
        "codespace": Tool(look="list ls logs view", change="create delete edit stop rebuild cp code"),
        "cs": Tool(look="list ls logs view", change="create delete edit stop rebuild cp code"),
        "search": looks(),
        "agent-task": Tool(look="list view", change="create"),
    },
)

TOOLS: Mapping[str, Tool] = {
    "gh": _GH,
    "glab": Tool(
        look="version help check-update",
        values="-R --repo -g --group",
        verbs={
            "mr": Tool(
                look=_LIST + " diff issues approvers",
                change=(
                    "create new merge close reopen update note approve revoke checkout delete rebase for todo subscribe"
                ),
            ),
            "issue": Tool(look=_LIST, change="create new close reopen update note delete subscribe"),
            "repo": Tool(look=_LIST + " search contributors", change="create clone fork delete archive transfer mirror"),
            "ci": Tool(look="list ls view status get lint trace", change="run retry cancel delete trigger run-trig"),
            "pipeline": Tool(look="list ls view status get", change="run retry cancel delete"),
            "release": Tool(look=_LIST, change="create delete upload download"),
            "auth": Tool(look="status", change="login logout"),
            "variable": Tool(look="list get export", change="set update delete"),
            "label": Tool(look="list", change="create"),
            "config": Tool(look="get", change="set init"),
        },
    ),
    "hub": Tool(
        look="ci-status browse version",
        change="create fork delete sync",
        verbs={
            "pr": Tool(look="list show", change="checkout merge"),
            "issue": Tool(look="show labels", change="create update"),
        },
    ),
    "tea": Tool(scan=True, look="list ls", change="create close reopen merge delete login logout clone"),
    "svn": Tool(
        look=("status st stat log diff di info cat list ls blame annotate praise propget pg proplist pl help"),
        change=(
            "commit ci update up checkout co add delete del remove rm move mv rename copy cp "
            "merge revert switch sw resolve resolved import export mkdir lock unlock cleanup "
            "propset ps propdel relocate changelist patch"
        ),
    ),
    "hg": Tool(
        look=(
            "status st log diff annotate blame cat files locate heads id identify parents tip "
            "outgoing incoming summary sum paths grep manifest help version root verify"
        ),
        change=(
            "commit ci update up checkout co pull push add remove rm rename mv move copy cp merge "
            "revert backout clone init import strip histedit rebase graft addremove forget amend "
            "shelve unshelve purge rollback resolve phase uncommit absorb"
        ),
        dry="-n --dry-run",
        verbs={
            "branch": shows_or_sets(),
            "bookmark": shows_or_sets(),
            "tag": changes(),
            "tags": looks(),
            "branches": looks(),
            "bookmarks": looks(),
            "config": looks(writes="-e --edit"),
            "resolve": changes(looks="-l --list"),
            "bisect": changes(),
            "export": looks(writes="-o --output"),
            "archive": changes(),
            "showconfig": looks(),
        },
    ),
    "jj": Tool(
        look="log status st show diff interdiff evolog obslog root version help",
        change=(
            "new commit ci describe desc edit abandon squash split rebase restore undo duplicate "
            "backout diffedit resolve move absorb next prev parallelize fix sign"
        ),
        verbs={
            "git": Tool(
                change="push fetch clone init import export",
                verbs={"remote": Tool(look="list", change="add remove rename set-url")},
            ),
            "bookmark": Tool(look="list l", change="create c set s move m delete d forget rename track untrack"),
            "op": Tool(look="log show diff", change="restore undo revert abandon"),
            "operation": Tool(look="log show diff", change="restore undo revert abandon"),
            "config": Tool(look="list get path", change="set unset edit"),
            "file": Tool(look="list show annotate", change="track untrack chmod"),
            "workspace": Tool(look="list root", change="add forget rename update-stale"),
            "tag": Tool(look="list"),
        },
    ),
    "fossil": Tool(
        look="status info timeline diff ls cat finfo version",
        change="commit ci update add rm mv merge revert push pull sync clone open close checkout",
    ),
    "p4": Tool(
        look=("status opened files changes describe diff filelog info have print where client-list users"),
        change="submit sync add edit delete revert integrate resolve shelve unshelve reconcile",
    ),
    "git-lfs": Tool(
        look="ls-files status env version logs",
        change="pull push fetch install uninstall track untrack migrate lock unlock prune checkout",
    ),
    "git-filter-repo": changes(looks="--analyze", dry="--dry-run"),
    "tig": looks(),
    "lazygit": Tool(),
    "gitk": looks(),
    "difft": looks(),
    "delta": looks(),
    "bfg": changes(),
    "git-cliff": looks(writes="-o --output -p --prepend --init"),
    "commitizen": Tool(),
    "cz": Tool(look="check version info schema example ls", change="commit c bump init changelog ch", dry="--dry-run"),
    "commitlint": looks(),
    "semantic-release": changes(dry="-d --dry-run"),
    "standard-version": changes(),
    "release-it": changes(),
    "husky": changes(),
    "lefthook": Tool(look="dump validate version", change="install uninstall add"),
    "act": changes(looks="-l --list -n --dryrun"),
    "circleci": Tool(look="version diagnostic", verbs={"config": Tool(look="validate process", change="pack")}),
    "travis": Tool(look="status history logs show branches lint whoami", change="restart cancel enable disable login"),
    "jira": Tool(
        scan=True, look="list view ls me show", change="create edit move assign comment add link delete clone transition"
    ),
    "sentry-cli": Tool(look="info", scan=True, change="new finalize upload* set-commits delete"),
}
