"""Rust, Go, Ruby, PHP, Java, .NET, C and the rest: package managers, compilers, linters, formatters, build tools. Data.

What builds or tests runs the project's own code and is left unknown; what only checks the text looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks, shows_or_sets

_COMPILES = changes(
    looks="-fsyntax-only -E -v --print-search-dirs -dumpversion -dumpmachine -print-search-dirs "
    "-print-file-name "
    "--print-targets -M -MM -Q",
    long_with_one_dash=True,
    ignores="--check --diff --list --dry-run",
)
_GO_FLAGS: dict[str, Any] = {"long_with_one_dash": True, "ignores": "--check --diff --list --dry-run"}
_CARGO_VALUES = (
    "-p --package --manifest-path --color --config -Z --target --features -F -j --jobs --bin --example --test --profile"
)

TOOLS: Mapping[str, Tool] = {
    "cargo": Tool(
        bare=Effect.READ,
        look=("tree metadata search version help locate-project pkgid read-manifest info outdated verify-project"),
        change=(
            "add remove rm update init new publish fix clean vendor generate-lockfile yank login logout package uninstall"
        ),
        values="--color --config -Z -C --manifest-path",
        ignores="--check --diff",
        verbs={
            "fmt": changes(beyond=True, looks="--check -l --list"),
            "clippy": Tool(writes="--fix", values=_CARGO_VALUES),
            "install": changes(looks="--list", values="--version --git --branch --tag --rev --path --root"),
            "owner": changes(looks="-l --list"),
            "metadata": looks(),
            "config": Tool(look="get"),
            "package": changes(looks="-l --list"),
            "publish": changes(),
            "machete": looks(writes="--fix"),
            "deny": Tool(look="check list", change="init fetch"),
            "audit": looks(change="fix"),
            "nextest": Tool(look="list show-config"),
            "expand": Tool(),
            "set-version": changes(),
            "upgrade": changes(),
            "sort": changes(looks="-c --check"),
            "sqlx": Tool(change="prepare migrate database"),
        },
    ),
    "rustup": Tool(
        look="show which check doc help",
        change="install update default uninstall",
        verbs={
            "show": looks(),
            "target": Tool(look="list", change="add remove"),
            "component": Tool(look="list", change="add remove"),
            "toolchain": Tool(look="list", change="install uninstall link"),
            "override": Tool(look="list", change="set unset"),
            "self": Tool(change="update uninstall upgrade-data"),
            "run": Tool(runs=1),
            "default": shows_or_sets(),
            "set": changes(),
        },
    ),
    "rustc": changes(looks="--explain --print -V -vV --help", values="--explain --print"),
    "rustfmt": changes(looks="--check --print-config --emit=stdout"),
    "sqlx": Tool(
        verbs={"migrate": Tool(look="info", change="run revert add"), "database": Tool(change="create drop reset setup")}
    ),
    "diesel": Tool(
        verbs={
            "migration": Tool(look="list pending", change="run revert redo generate"),
            "database": Tool(change="setup reset drop"),
            "print-schema": looks(),
        }
    ),
    "go": Tool(
        look="list doc version help",
        change="get install clean generate fmt",
        long_with_one_dash=True,
        ignores="--check --diff --list --dry-run",
        values="-C",
        verbs={
            "env": looks(long_with_one_dash=True, writes="-w -u"),
            "list": looks(long_with_one_dash=True, writes="-mod=mod"),
            "vet": looks(long_with_one_dash=True, writes="-fix"),
            "mod": Tool(
                look="graph why verify",
                change="tidy init vendor download",
                verbs={"edit": changes(looks="-json -print", long_with_one_dash=True)},
            ),
            "work": Tool(change="init use sync vendor edit"),
            "fmt": changes(dry="-n", **_GO_FLAGS),
            "fix": changes(looks="-diff", **_GO_FLAGS),
            "build": Tool(writes="-o", **_GO_FLAGS),
            "tool": Tool(),
            "telemetry": shows_or_sets(),
            "clean": changes(dry="-n", **_GO_FLAGS),
        },
    ),
    "gofmt": looks(long_with_one_dash=True, writes="-w", values="-r"),
    "goimports": looks(long_with_one_dash=True, writes="-w", values="-local"),
    "gofumpt": looks(long_with_one_dash=True, writes="-w"),
    "golines": looks(long_with_one_dash=True, writes="-w"),
    "golangci-lint": Tool(
        look="linters version config cache-status formatters help",
        change="custom migrate",
        verbs={
            "run": looks(writes="--fix"),
            "fmt": changes(looks="-d --diff"),
            "cache": Tool(look="status", change="clean"),
        },
    ),
    "staticcheck": looks(),
    "revive": looks(),
    "govulncheck": looks(),
    "errcheck": looks(),
    "gosec": looks(writes="-out"),
    "ineffassign": looks(),
    "goreleaser": Tool(look="check healthcheck", change="release init build"),
    "buf": Tool(
        look="lint breaking ls-files",
        change="generate build push",
        verbs={
            "format": looks(writes="-w --write -o --output"),
            "dep": Tool(look="graph", change="update prune"),
            "mod": Tool(change="update init"),
        },
    ),
    "protoc": changes(),
    "gem": Tool(
        look=("list search info environment env contents dependency outdated specification which query help stale"),
        change=("install uninstall update push yank cleanup build fetch pristine unpack signin signout sources-add"),
        verbs={
            "sources": changes(looks="-l --list", bare=Effect.READ),
            "install": changes(values="-v --version", dry="--explain"),
        },
    ),
    "bundle": Tool(
        look="list show info outdated check platform help licenses open-info viz doctor",
        change="install update add remove lock init clean pristine cache package binstubs inject gem",
        bare=Effect.CHANGE,
        verbs={
            "exec": Tool(runs=0),
            "config": Tool(look="list get", change="set unset", sets_from=2),
            "lock": changes(looks="--print"),
            "outdated": looks(),
        },
    ),
    "rbenv": Tool(
        look="versions version which whence root prefix",
        change="install uninstall rehash",
        verbs={
            "local": shows_or_sets(),
            "global": shows_or_sets(),
            "exec": Tool(runs=0),
            "install": changes(looks="-l --list -L"),
        },
    ),
    "rubocop": looks(
        writes=(
            "-a -A -x --autocorrect --autocorrect-all --auto-correct --auto-correct-all "
            "--auto-gen-config --init -o --out --fix-layout"
        )
    ),
    "standardrb": looks(writes="--fix"),
    "reek": looks(),
    "brakeman": looks(writes="-o --output"),
    "haml-lint": looks(writes="-a"),
    "erblint": looks(writes="-a --autocorrect"),
    "rufo": changes(looks="-c --check"),
    "composer": Tool(
        look=(
            "show info search outdated depends why prohibits why-not validate licenses status "
            "diagnose suggests about audit check-platform-reqs fund browse list"
        ),
        change=(
            "install update require remove create-project dump-autoload dumpautoload init "
            "self-update clear-cache reinstall bump i u r archive"
        ),
        verbs={
            "config": Tool(Effect.CHANGE, looks="-l --list", ignores="--dry-run"),
            "global": Tool(look="show outdated", change="require remove update install"),
            "exec": Tool(),
        },
    ),
    "phpcs": looks(writes="--report-file"),
    "phpcbf": changes(),
    "phpstan": Tool(look="analyse analyze", bare=Effect.READ, writes="--generate-baseline -b"),
    "psalm": looks(writes="--alter --set-baseline --update-baseline --init"),
    "phpmd": looks(writes="--reportfile"),
    "pint": changes(looks="--test"),
    "php-cs-fixer": Tool(look="check list describe help list-files", verbs={"fix": changes()}),
    "mvn": Tool(looks="-v", ignores="--check --diff --list"),
    "mvnw": Tool(),
    "gradlew": Tool(),
    "ant": Tool(looks="-p -projecthelp"),
    "gradle": Tool(looks="-v -m", ignores="--check --diff --list"),
    "sbt": Tool(),
    "lein": Tool(look="deps-tree version help"),
    "java": Tool(looks="-version --list-modules", long_with_one_dash=True),
    "javac": changes(looks="-version"),
    "javap": looks(),
    "jar": Tool(looks="-tf tf tvf -tvf --list -t", writes="-cf cf -xf xf cvf xvf -uf uf", long_with_one_dash=True),
    "jps": looks(),
    "jstack": looks(),
    "jstat": looks(),
    "jinfo": Tool(),
    "jdeps": looks(),
    "keytool": Tool(
        looks="-list -printcert",
        writes=(
            "-genkeypair -genkey -import -importcert -delete -exportcert -export -importkeystore -changealias -storepasswd"
        ),
        long_with_one_dash=True,
    ),
    "kotlinc": changes(),
    "ktlint": looks(writes="-F --format", values="-R"),
    "detekt": looks(writes="--create-baseline -ac --auto-correct"),
    "ktfmt": changes(looks="-n --dry-run"),
    "google-java-format": looks(long_with_one_dash=True, writes="-i -r --replace", dry="-n"),
    "checkstyle": looks(writes="-o"),
    "scalafmt": changes(looks="--check --test --list --stdout"),
    "scalac": changes(),
    "sdk": Tool(
        look="list ls current version env",
        change="install uninstall default update upgrade selfupdate flush",
        nothing="use u",
    ),
    "jenv": Tool(look="versions version which", change="add remove global local"),
    "dotnet": Tool(
        look="help",
        looks="--info --list-sdks --list-runtimes",
        change="new add remove restore publish pack clean migrate store tool-install",
        ignores="--check --diff --list",
        verbs={
            "list": looks(),
            "format": changes(looks="--verify-no-changes"),
            "sln": Tool(scan=True, look="list", change="add remove migrate"),
            "tool": Tool(look="list search", change="install uninstall update restore", verbs={"run": Tool()}),
            "nuget": Tool(
                look="why verify",
                change="push delete sign add remove update",
                verbs={"list": looks(), "locals": changes(looks="-l --list"), "why": looks()},
            ),
            "new": changes(look="list search", looks="--list -l"),
            "workload": Tool(look="list search", change="install uninstall update restore repair clean"),
            "package": Tool(look="list search", change="add remove update"),
            "reference": Tool(look="list", change="add remove"),
            "ef": Tool(
                verbs={
                    "migrations": Tool(look="list has-pending-model-changes", change="add remove script bundle"),
                    "database": Tool(change="update drop"),
                    "dbcontext": Tool(look="info list", change="scaffold optimize script"),
                }
            ),
            "dev-certs": Tool(),
            "user-secrets": Tool(look="list", change="set remove clear init"),
            "build-server": Tool(change="shutdown"),
        },
    ),
    "nuget": Tool(
        look="list search locals-list verify", change="install restore push delete pack update add sources config"
    ),
    "swift": Tool(
        verbs={
            "package": Tool(
                look="describe show-dependencies dump-package tools-version",
                change="init update resolve reset clean edit unedit add-dependency",
                default=Effect.UNKNOWN,
            ),
            "format": looks(writes="-i --in-place", look="lint dump-configuration"),
        }
    ),
    "swiftc": changes(),
    "swiftformat": changes(looks="--lint --dryrun --dry-run"),
    "swiftlint": looks(writes="--fix --autocorrect", change="autocorrect", look="lint rules version analyze"),
    "pod": Tool(look="outdated list search env spec", change="install update init deintegrate setup repo trunk"),
    "xcodebuild": Tool(
        looks="-list -version -showsdks -showBuildSettings -showdestinations", change="clean", long_with_one_dash=True
    ),
    "xcrun": Tool(
        looks="--find -f --show-sdk-path --show-sdk-version",
        verbs={
            "simctl": Tool(look="list getenv", change="boot shutdown erase create delete install uninstall launch terminate")
        },
    ),
    "xcode-select": Tool(looks="-p --print-path -v", writes="-s --switch --install -r --reset"),
    "dart": Tool(
        look="info",
        verbs={
            "format": changes(looks="-o --output=none --output=show --output=json", ignores="--check --list --diff"),
            "analyze": looks(),
            "fix": Tool(Effect.UNKNOWN, looks="-n --dry-run", writes="--apply"),
            "pub": Tool(look="deps outdated", change="get add remove upgrade publish downgrade cache global"),
        },
    ),
    "flutter": Tool(
        look="doctor devices analyze emulators channel-list",
        change="create clean upgrade config install pub-get downgrade",
        verbs={"pub": Tool(look="deps outdated", change="get add remove upgrade publish"), "channel": shows_or_sets()},
    ),
    "mix": Tool(
        verbs={
            "format": changes(looks="--check-formatted"),
            "deps": looks(),
            "hex.outdated": looks(),
            "deps.get": changes(),
            "deps.update": changes(),
            "deps.tree": looks(),
            "deps.clean": changes(),
            "ecto.migrate": changes(),
            "ecto.create": changes(),
            "ecto.drop": changes(),
            "ecto.rollback": changes(),
            "ecto.migrations": looks(),
            "hex.info": looks(),
            "help": looks(),
            "new": changes(),
            "xref": looks(),
            "phx.routes": Tool(),
            "clean": changes(),
        }
    ),
    "rebar3": Tool(look="deps tree version help", change="upgrade unlock clean new"),
    "erlc": changes(),
    "stack": Tool(look="ls path query dot list", change="init new clean install upgrade update setup purge"),
    "cabal": Tool(look="list info outdated list-bin path", change="install update init clean get upload freeze"),
    "ghc": changes(looks="--info --supported-extensions --print-libdir -e"),
    "ormolu": looks(writes="-i --in-place --mode=inplace"),
    "fourmolu": looks(writes="-i --in-place --mode=inplace"),
    "hlint": looks(writes="--refactor"),
    "opam": Tool(
        look="list show search info config-list env",
        change="install remove update upgrade init pin reinstall uninstall",
        verbs={
            "switch": Tool(bare=Effect.READ, look="list show list-available", default=Effect.CHANGE),
            "exec": Tool(runs=0, behind_dashes=True),
            "pin": Tool(bare=Effect.READ, look="list", default=Effect.CHANGE),
        },
    ),
    "dune": Tool(look="describe show", change="clean init promote", verbs={"fmt": changes(looks="--preview")}),
    "ocamlformat": looks(writes="-i --inplace"),
    "luarocks": Tool(
        look="list show search which path doc config", change="install remove make build pack upload init purge"
    ),
    "luacheck": looks(),
    "stylua": changes(looks="-c --check"),
    "luac": changes(looks="-p -l"),
    "zig": Tool(
        look="env targets version zen",
        change="init fetch",
        verbs={"fmt": changes(looks="--check --stdin"), "ast-check": looks()},
    ),
    "nimble": Tool(look="list search path dump", change="install uninstall develop publish init refresh"),
    "crystal": Tool(
        look="env version", verbs={"tool": Tool(look="hierarchy context", verbs={"format": changes(looks="--check")})}
    ),
    "gcc": _COMPILES,
    "g++": _COMPILES,
    "cc": _COMPILES,
    "c++": _COMPILES,
    "clang": _COMPILES,
    "clang++": _COMPILES,
    "ld": changes(looks="-v -V"),
    "as": changes(),
    "nasm": changes(),
    "clang-format": looks(
        long_with_one_dash=True, writes="-i", dry="-n --dry-run --dump-config", values="--style --assume-filename"
    ),
    "clang-tidy": looks(writes="-fix --fix -fix-errors --fix-errors --export-fixes", long_with_one_dash=True),
    "cppcheck": looks(writes="--output-file"),
    "cpplint": looks(),
    "include-what-you-use": looks(),
    "astyle": changes(),
    "uncrustify": looks(writes="--replace --no-backup -o"),
    "cmake": Tool(looks="--system-information -LA -L -LAH -N --list-presets", writes="--install"),
    "ctest": Tool(looks="-N --show-only"),
    "meson": Tool(look="introspect", change="setup init install wrap configure subprojects"),
    "ninja": Tool(looks="-n", values="-d -t -w -C -f -j -k -l"),
    "bazel": Tool(look="query cquery aquery info version help print_action dump mod", change="clean fetch sync shutdown"),
    "buck2": Tool(look="query targets uquery cquery audit", change="clean kill"),
    "pants": Tool(look="list dependencies filedeps paths peek roots count-loc", change="fmt fix tailor generate-lockfiles"),
    "scons": Tool(looks="-n -T"),
    "make": Tool(
        looks="-n --dry-run --just-print --recon -q --question", values="-I -E -O -C -f -j -l -o -W --directory --file"
    ),
    "gmake": Tool(looks="-n --dry-run --just-print --recon -q --question", values="-C -f -j"),
    "just": Tool(looks="-l --list --summary -s --show --dump --evaluate --variables -n --dry-run", writes="--fmt --init"),
    "task": Tool(looks="-l --list -a --list-all --summary -n --dry"),
    "rake": Tool(looks="-T --tasks -P -n --dry-run"),
    "mage": Tool(looks="-l"),
    "pkg-config": looks(),
    "pkgconf": looks(),
    "conan": Tool(
        look="search list inspect graph version", change="install create upload remove build export download config"
    ),
    "vcpkg": Tool(look="list search version", change="install remove update upgrade integrate"),
    "autoconf": changes(),
    "automake": changes(),
    "autoreconf": changes(),
    "strip": changes(),
    "objcopy": changes(),
    "ranlib": changes(),
    "gdb": Tool(),
    "lldb": Tool(),
    "valgrind": Tool(runs=0, floor=Effect.READ),
    "perf": Tool(look="list report script annotate", change="record"),
    "llvm-objdump": looks(),
    "llvm-nm": looks(),
    "c++filt": looks(),
    "addr2line": looks(),
    "shfmt": looks(writes="-w --write"),
    "shellcheck": looks(),
    "shellharden": looks(writes="--replace", dry="--check"),
    "checkbashisms": looks(),
    "bashate": looks(),
    "actionlint": looks(),
    "yamllint": looks(),
    "yamlfmt": changes(looks="-lint -dry", long_with_one_dash=True),
    "taplo": Tool(
        look="lint check get toml-test",
        verbs={"fmt": changes(looks="--check --diff"), "format": changes(looks="--check --diff")},
    ),
    "sqlfluff": Tool(
        look="lint parse dialects rules version",
        verbs={"fix": changes(looks="--check", ignores="--check"), "format": changes()},
    ),
    "sqlfmt": changes(looks="--check --diff"),
    "pgformatter": looks(),
    "pg_format": looks(writes="-i --inplace -o --output"),
    "xmllint": looks(writes="-o --output"),
    "tidy": looks(writes="-m -o"),
    "htmlhint": looks(),
    "csslint": looks(),
    "vale": looks(change="sync"),
    "proselint": looks(),
    "write-good": looks(),
    "typos": looks(writes="-w --write-changes", dry="--diff"),
    "lychee": looks(writes="-o --output"),
    "semgrep": looks(writes="--autofix -a -o --output", change="login logout publish"),
    "gitleaks": looks(writes="-r --report-path"),
    "trufflehog": looks(),
    "detect-secrets": Tool(look="audit-report", verbs={"scan": looks(writes="--baseline --update")}),
    "spectral": Tool(look="lint"),
    "redocly": Tool(look="lint stats", change="bundle build-docs split"),
    "ast-grep": looks(writes="-U --update-all -i --interactive"),
    "sg": Tool(),
    "comby": looks(writes="-i -in-place", long_with_one_dash=True),
    "nixfmt": changes(looks="--check -c"),
    "nixpkgs-fmt": changes(looks="--check"),
    "alejandra": changes(looks="--check -c"),
    "statix": Tool(look="check explain list dump", change="fix"),
    "deadnix": looks(writes="-e --edit"),
    "asdf": Tool(
        look="list current where which info latest help",
        change="install uninstall set global local reshim update",
        verbs={"plugin": Tool(look="list", change="add remove update"), "exec": Tool(runs=0)},
    ),
    "mise": Tool(
        look="ls list current where which doctor env ls-remote latest outdated version",
        change=("install i use u uninstall up upgrade trust untrust set unset self-update prune settings-set"),
        verbs={
            "exec": Tool(runs=1, behind_dashes=True),
            "x": Tool(runs=1, behind_dashes=True),
            "settings": Tool(bare=Effect.READ, look="ls get", change="set unset add"),
            "tasks": Tool(bare=Effect.READ, look="ls info deps", change="add edit"),
        },
    ),
    "R": Tool(),
    "julia": Tool(),
    "buildifier": changes(looks="-mode=check -mode=diff -mode=print --mode=check --mode=diff", long_with_one_dash=True),
    "cue": Tool(
        look="eval export vet def",
        verbs={"fmt": changes(looks="--check --diff"), "mod": Tool(change="init tidy get publish")},
    ),
    "jsonnet": looks(writes="-o --output-file -m --multi"),
    "jsonnetfmt": looks(writes="-i --in-place"),
    "opa": Tool(look="eval check inspect version deps parse", verbs={"fmt": looks(writes="-w --write"), "test": looks()}),
    "conftest": Tool(look="test verify parse", change="pull push"),
}
