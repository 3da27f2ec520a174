"""JavaScript and TypeScript: packages, runtimes' own verbs, what lints and formats. Data.

``npm`` passes over options that it does not know, so that only ``--dry-run`` counts, and only where npm heeds it.
A script of a package (``npm run``, ``npm test``) may do anything. What ``npx`` and its like run may be fetched first.
"""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks, shows_or_sets

_IGNORED = "--check --diff --list"
_HEEDS_NOTHING = "--check --diff --list --dry-run"
_DIST = Tool(look="ls list", change="add rm remove set", ignores=_HEEDS_NOTHING)
_FETCHED = Tool(runs=0, floor=Effect.UNKNOWN, values="-p --package -w --workspace", text_of="-c --call")
_SETTINGS = Tool(look="get list ls", change="set delete rm edit fix", ignores=_HEEDS_NOTHING, bare=Effect.READ)

_NPM = Tool(
    bare=Effect.READ,
    ignores=_IGNORED,
    look="ls list la ll view v info show outdated search find help why explain root prefix bin "
    "ping whoami docs home bugs repo "
    "query fund doctor diff sbom help-search",
    change="install i add in isntall ci clean-install install-test it uninstall un unlink remove "
    "rm r update up upgrade dedupe ddp prune rebuild publish unpublish "
    "link ln init create shrinkwrap star unstar hook org",
    values="--prefix -w --workspace --registry --loglevel --userconfig --cache -C --otp --tag",
    verbs={
        "config": _SETTINGS,
        "c": _SETTINGS,
        "get": looks(),
        "set": changes(ignores=_HEEDS_NOTHING),
        "version": shows_or_sets(ignores=_HEEDS_NOTHING),
        "audit": looks(change="fix", look="signatures"),
        "pkg": Tool(look="get", change="set delete fix", ignores=_HEEDS_NOTHING),
        "cache": Tool(look="ls", change="clean add verify", ignores=_HEEDS_NOTHING),
        "dist-tag": _DIST,
        "dist-tags": _DIST,
        "owner": _DIST,
        "team": _DIST,
        "access": Tool(look="list get ls", change="set grant revoke", ignores=_HEEDS_NOTHING),
        "token": Tool(look="list ls", change="create revoke", ignores=_HEEDS_NOTHING),
        "profile": Tool(look="get", change="set enable-2fa disable-2fa", ignores=_HEEDS_NOTHING),
        "login": changes(ignores=_HEEDS_NOTHING),
        "logout": changes(ignores=_HEEDS_NOTHING),
        "adduser": changes(ignores=_HEEDS_NOTHING),
        "deprecate": changes(ignores=_HEEDS_NOTHING),
        "pack": changes(),
        "run": Tool(bare=Effect.READ, ignores=_HEEDS_NOTHING),
        "run-script": Tool(bare=Effect.READ, ignores=_HEEDS_NOTHING),
        "test": Tool(ignores=_HEEDS_NOTHING),
        "t": Tool(ignores=_HEEDS_NOTHING),
        "start": Tool(ignores=_HEEDS_NOTHING),
        "stop": Tool(ignores=_HEEDS_NOTHING),
        "restart": Tool(ignores=_HEEDS_NOTHING),
        "exec": _FETCHED,
        "x": _FETCHED,
    },
)

TOOLS: Mapping[str, Tool] = {
    "npm": _NPM,
    "npx": _FETCHED,
    "pnpx": _FETCHED,
    "bunx": _FETCHED,
    "pnpm": Tool(
        bare=Effect.READ,
        ignores=_IGNORED,
        look="ls list la ll why outdated root bin licenses view info search help whoami",
        change="install i add remove rm uninstall un update up upgrade publish link unlink init "
        "create prune dedupe rebuild import "
        "fetch deploy patch patch-commit patch-remove setup self-update approve-builds",
        values="-C --dir -F --filter --registry --store-dir",
        verbs={
            "config": _SETTINGS,
            "c": _SETTINGS,
            "get": looks(),
            "set": changes(ignores=_HEEDS_NOTHING),
            "exec": Tool(runs=0),
            "dlx": _FETCHED,
            "store": Tool(look="path status", change="add prune"),
            "env": Tool(look="list ls", change="use add remove rm"),
            "audit": looks(writes="--fix"),
            "version": shows_or_sets(ignores=_HEEDS_NOTHING),
            "pack": changes(),
            "run": Tool(bare=Effect.READ),
        },
    ),
    "yarn": Tool(
        Effect.UNKNOWN,
        bare=Effect.CHANGE,
        ignores=_HEEDS_NOTHING,
        look="list info why outdated licenses versions help bin",
        change="install add remove upgrade up publish link unlink init create dedupe rebuild set "
        "import autoclean unplug patch "
        "patch-commit self-update login logout",
        values="--cwd --registry",
        verbs={
            "config": Tool(look="list get", change="set delete unset", bare=Effect.READ),
            "cache": Tool(look="list dir", change="clean"),
            "workspaces": Tool(look="list info", default=Effect.UNKNOWN),
            "exec": Tool(runs=0),
            "dlx": _FETCHED,
            "npm": Tool(look="info whoami audit", change="publish login logout tag"),
            "audit": looks(),
            "run": Tool(bare=Effect.READ),
            "global": Tool(look="list bin dir", change="add remove upgrade"),
            "version": changes(),
            "pack": changes(looks="-n --dry-run"),
            "tag": Tool(look="list", change="add remove"),
            "owner": Tool(look="list", change="add remove"),
            "plugin": Tool(look="list runtime", change="import remove"),
        },
    ),
    "bun": Tool(
        look="outdated why info audit",
        change="install i add a remove rm update link unlink create init c publish patch upgrade",
        verbs={
            "pm": Tool(look="ls bin hash cache view whoami", change="trust migrate pkg version", verbs={"pack": changes()}),
            "x": _FETCHED,
            "run": Tool(bare=Effect.READ),
        },
    ),
    "deno": Tool(
        look="info doc types lint outdated help",
        change="install uninstall add remove upgrade publish clean init",
        verbs={
            "fmt": changes(looks="--check -"),
            "lint": looks(writes="--fix"),
            "outdated": looks(writes="--update -u"),
            "types": looks(),
        },
    ),
    "nvm": Tool(
        look="ls list ls-remote current version which version-remote",
        change="install uninstall alias unalias reinstall-packages cache",
        nothing="use deactivate",
    ),
    "fnm": Tool(
        look="ls list ls-remote list-remote current env", change="install uninstall default alias unalias", nothing="use"
    ),
    "volta": Tool(look="list ls which", change="install uninstall pin fetch setup", verbs={"run": Tool(runs=0)}),
    "n": Tool(look="ls lsr ls-remote list bin which", bare=Effect.UNKNOWN, default=Effect.CHANGE),
    "corepack": Tool(change="enable disable install prepare use up pack hydrate"),
    "ncu": looks(writes="-u --upgrade"),
    "npm-check-updates": looks(writes="-u --upgrade"),
    "lerna": Tool(
        look="ls list ll la changed diff info",
        change="publish version bootstrap clean init add create link import",
        verbs={"run": Tool(), "exec": Tool()},
    ),
    "nx": Tool(
        look="list show report print-affected",
        change="migrate reset generate g init",
        verbs={"format:check": looks(), "format:write": changes()},
    ),
    "turbo": Tool(look="ls info", change="prune gen login logout link unlink", looks="--dry --dry-run"),
    "changeset": Tool(look="status", change="add version publish init tag", bare=Effect.CHANGE),
    "prettier": looks(writes="--write -w", values="--config --parser --ignore-path --stdin-filepath --plugin"),
    "eslint": looks(
        writes="--fix -o --output-file --init --fix-type-write",
        dry="--fix-dry-run",
        values=("-c --config --ext --rule -f --format --ignore-pattern --ignore-path --max-warnings --plugin"),
    ),
    "eslint_d": looks(writes="--fix"),
    "tsc": Tool(
        looks="--noEmit --showConfig --listFilesOnly --all --dry -d-only",
        writes="--outDir --outFile --init --declarationDir",
    ),
    "vue-tsc": Tool(looks="--noEmit"),
    "svelte-check": looks(),
    "tslint": looks(writes="--fix -o --out --init"),
    "stylelint": looks(writes="--fix -o --output-file"),
    "standard": looks(writes="--fix"),
    "xo": looks(writes="--fix"),
    "oxlint": looks(writes="--fix --fix-suggestions --fix-dangerously --init"),
    "biome": Tool(
        look="explain rage version",
        change="init migrate",
        ignores=_IGNORED,
        verbs={
            verb: looks(writes="--write --fix --apply --apply-unsafe --unsafe")
            for verb in ("check", "lint", "format", "ci", "search")
        },
    ),
    "rome": Tool(look="check ci", change="init", verbs={"format": looks(writes="--write")}),
    "dprint": Tool(look="check output-file-paths output-resolved-config license", change="fmt init config"),
    "markdownlint": looks(writes="-f --fix -o --output"),
    "markdownlint-cli2": looks(writes="--fix"),
    "publint": looks(),
    "knip": looks(writes="--fix"),
    "depcheck": looks(),
    "madge": looks(writes="-i --image"),
    "jscpd": looks(writes="-o --output"),
    "prisma": Tool(
        look="validate version",
        change="generate init format",
        verbs={
            "migrate": Tool(look="status diff", change="dev deploy reset resolve"),
            "db": Tool(change="push pull seed execute"),
            "format": changes(looks="--check"),
        },
    ),
    "drizzle-kit": Tool(look="check", change="generate migrate push pull drop up introspect"),
    "knex": Tool(
        look="migrate:list migrate:status migrate:currentVersion",
        change=("migrate:latest migrate:up migrate:down migrate:rollback migrate:make seed:run seed:make init"),
    ),
    "ng": Tool(look="version", change="generate g add update new config deploy"),
    "expo": Tool(look="whoami config", change="install prebuild login logout eject"),
    "serve": Tool(),
    "jsonlint": looks(writes="-i --in-place"),
    "json": looks(writes="-I --in-place"),
    "gulp": Tool(looks="--tasks -T --tasks-simple"),
}
