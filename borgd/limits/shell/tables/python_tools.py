"""Python: packages, environments, what lints and formats it. Data."""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Effect, Tool, changes, looks, shows_or_sets

_PIP = Tool(
    bare=Effect.READ,
    look="list show freeze check search index help debug inspect hash",
    change="install uninstall download wheel lock",
    values="--python --proxy --timeout --cache-dir --log",
    verbs={
        "config": Tool(look="list get debug", change="set unset edit"),
        "cache": Tool(look="dir info list", change="remove purge"),
        "freeze": looks(),
    },
)

_CONDA = Tool(
    bare=Effect.READ,
    look="list info search doctor notices compare",
    change="install create remove uninstall update upgrade clean init activate-global rename build",
    verbs={
        "env": Tool(look="list export", change="create remove update config"),
        "config": Tool(
            looks="--show --show-sources --get --validate --describe",
            writes="--set --add --append --prepend --remove --remove-key --write-default",
        ),
        "run": Tool(runs=0, values="-n --name -p --prefix --cwd"),
        "activate": Tool(Effect.NOTHING),
        "deactivate": Tool(Effect.NOTHING),
        "env-vars": Tool(),
    },
)

_UV_RUN = Tool(
    runs=0,
    floor=Effect.UNKNOWN,  # it brings the environment up to date first
    values="--with --with-editable --with-requirements -p --python --extra --group --package "
    "--project --directory --env-file "
    "--index --index-url --no-group --only-group",
    doubts="-m --module -s --script",
)

TOOLS: Mapping[str, Tool] = {
    "pip": _PIP,
    "pip3": _PIP,
    "uv": Tool(
        bare=Effect.READ,
        look="help",
        change="add remove lock init build publish sync",
        values="--directory --project --config-file --cache-dir --color",
        verbs={
            "run": _UV_RUN,
            "lock": changes(looks="--check --locked"),
            "tree": looks(),
            "version": shows_or_sets(looks="--dry-run", writes="--bump"),
            "export": looks(writes="-o --output-file"),
            "venv": changes(),
            "pip": Tool(
                look="list show freeze check tree",
                change="install uninstall sync",
                verbs={"compile": looks(writes="-o --output-file")},
            ),
            "tool": Tool(look="list dir", change="install uninstall upgrade update-shell", verbs={"run": _UV_RUN}),
            "python": Tool(look="list find dir", change="install uninstall pin upgrade update-shell"),
            "cache": Tool(look="dir size", change="clean prune"),
            "self": Tool(look="version", change="update"),
            "auth": Tool(look="token dir", change="login logout"),
            "format": changes(looks="--check --diff"),
        },
    ),
    "uvx": _UV_RUN,
    "pipx": Tool(
        look="list environment",
        change=(
            "install uninstall upgrade upgrade-all reinstall inject uninject ensurepath "
            "install-all reinstall-all uninstall-all"
        ),
        verbs={"run": Tool(runs=0, floor=Effect.UNKNOWN, values="--spec --python")},
    ),
    "poetry": Tool(
        bare=Effect.READ,
        look="show check about search help list",
        change="add remove install update lock init build publish new sync",
        values="-C --directory -P --project",
        verbs={
            "lock": changes(looks="--check"),
            "version": shows_or_sets(),
            "config": Tool(looks="--list", writes="--unset", sets_from=2),
            "env": Tool(look="info list activate", change="use remove"),
            "export": looks(writes="-o --output"),
            "run": Tool(runs=0),
            "source": Tool(look="show", change="add remove"),
            "self": Tool(look="show", change="add remove update install lock sync"),
            "cache": Tool(look="list", change="clear"),
        },
    ),
    "pdm": Tool(
        look="list show search info outdated",
        change="add remove install update sync lock init build publish fix use import",
        verbs={
            "run": Tool(runs=0, floor=Effect.UNKNOWN, looks="-l --list"),
            "config": Tool(writes="-d --delete", sets_from=2),
            "venv": Tool(look="list", change="create remove purge"),
            "cache": Tool(look="list info", change="clear remove"),
            "export": looks(writes="-o --output"),
            "python": Tool(look="list find", change="install remove link"),
        },
    ),
    "pipenv": Tool(
        look="graph check verify scripts",
        change="install uninstall update sync lock clean upgrade",
        looks="--venv --where --py --envs",
        writes="--rm",
        verbs={"run": Tool(runs=0), "requirements": looks()},
    ),
    "hatch": Tool(
        look="status project",
        change="build publish new fmt clean",
        verbs={
            "version": shows_or_sets(),
            "fmt": changes(looks="--check -l --linter"),
            "env": Tool(look="show find", change="create remove prune"),
            "dep": Tool(look="show hash"),
            "config": Tool(look="show find explore", change="set restore update"),
            "python": Tool(look="show find", change="install remove update"),
            "run": Tool(),
        },
    ),
    "rye": Tool(
        look="show list",
        change="add remove sync lock init build publish pin fetch install uninstall",
        verbs={
            "run": Tool(runs=0, floor=Effect.UNKNOWN),
            "fmt": changes(looks="--check"),
            "lint": looks(writes="--fix"),
            "toolchain": Tool(look="list", change="fetch remove register"),
        },
    ),
    "conda": _CONDA,
    "mamba": _CONDA,
    "micromamba": _CONDA,
    "pixi": Tool(look="info list tree search", change="add remove install update init upgrade clean", verbs={"run": Tool()}),
    "pyenv": Tool(
        look="versions version which whence root prefix commands help version-name version-file",
        change="install uninstall rehash",
        verbs={
            "local": shows_or_sets(),
            "global": shows_or_sets(),
            "shell": shows_or_sets(),
            "exec": Tool(runs=0),
            "install": changes(looks="-l --list"),
        },
    ),
    "virtualenv": changes(),
    "pip-compile": changes(),
    "pip-sync": changes(),
    "pip-audit": looks(writes="--fix -o --output"),
    "pipdeptree": looks(),
    "safety": Tool(look="check scan"),
    "twine": Tool(look="check", change="upload register"),
    "build": Tool(),
    "bumpversion": changes(),
    "bump-my-version": Tool(look="show show-bump", change="bump replace"),
    "bump2version": changes(),
    "cookiecutter": changes(),
    "copier": changes(),
    "ruff": Tool(
        look="rule linter version help",
        values=(
            "--config --select --ignore --extend-select --extend-ignore --target-version "
            "--line-length --output-format --exclude"
        ),
        verbs={
            "check": looks(dry="--diff", writes="--fix --fix-only --add-noqa --output-file -o"),
            "format": changes(looks="--check --diff -", values="--stdin-filename --range"),
            "config": looks(),
            "clean": changes(),
            "analyze": Tool(look="graph"),
        },
    ),
    "black": changes(
        values="-c --code -l --line-length -t --target-version --include --exclude --extend-exclude "
        "--config --stdin-filename "
        "--force-exclude -W --workers",
        looks="--check --diff -c --code -",
    ),
    "isort": changes(
        long_with_one_dash=True,
        looks="--check-only -c -df --diff --show-settings --show-files --stdout -d",
        doubts="--check",
        ignores="--check",
        values="-l --line-length --profile -p -s --skip --settings-path --sp",
    ),
    "autopep8": looks(writes="-i --in-place", dry="--diff -d"),
    "yapf": looks(writes="-i --in-place", dry="-d --diff"),
    "autoflake": looks(writes="-i --in-place", dry="--check -c --check-diff -cd --stdout -s"),
    "docformatter": looks(writes="-i --in-place"),
    "pyupgrade": changes(),
    "reorder-python-imports": changes(),
    "add-trailing-comma": changes(),
    "blacken-docs": changes(),
    "djlint": looks(writes="--reformat", dry="--check"),
    "djhtml": changes(),
    "mypy": looks(writes=("--install-types --junit-xml --html-report --txt-report --xml-report --cobertura-xml-report")),
    "dmypy": Tool(look="check status", change="start stop restart run kill recheck"),
    "stubgen": changes(),
    "pyright": looks(writes="--createstub --writebaseline"),
    "basedpyright": looks(writes="--createstub --writebaseline"),
    "ty": Tool(look="check version"),
    "pyre": Tool(look="check"),
    "pytype": Tool(),
    "pylint": looks(writes="--output"),
    "flake8": looks(writes="--output-file"),
    "pycodestyle": looks(),
    "pydocstyle": looks(),
    "pyflakes": looks(),
    "bandit": looks(writes="-o --output"),
    "vulture": looks(),
    "radon": looks(writes="-O --output-file"),
    "xenon": looks(),
    "interrogate": looks(writes="-g --generate-badge -o --output"),
    "codespell": looks(writes="-w --write-changes -i"),
    "lint-imports": looks(),
    "deptry": looks(writes="-o --json-output"),
    "pydoc": looks(writes="-w", doubts="-p -n -b"),
    "coverage": Tool(
        look="report debug help",
        change="erase combine html xml json lcov annotate",
        verbs={"run": Tool(), "report": looks(writes="--output")},
    ),
    "pytest": Tool(ignores="--check --diff --list"),
    "tox": Tool(
        looks="-l --listenvs -a --listenvs-all --showconfig", ignores="--check --diff --list", look="list l config c"
    ),
    "pre-commit": Tool(
        look="validate-config validate-manifest sample-config",
        change="install uninstall autoupdate clean gc init-templatedir install-hooks migrate-config",
    ),
    "alembic": Tool(change="upgrade downgrade revision stamp merge init edit", values="-c --config -n --name -x"),
    "jupyter": Tool(
        look="--paths --version kernelspec-list",
        verbs={
            "kernelspec": Tool(look="list", change="install remove uninstall provision"),
            "nbconvert": changes(looks="--stdout"),
            "lab": Tool(),
            "notebook": Tool(look="list", default=Effect.UNKNOWN),
            "trust": changes(),
        },
    ),
    "mkdocs": Tool(change="build new gh-deploy"),
    "sphinx-build": changes(),
    "cython": changes(),
    "django-admin": Tool(look="help version", change="startproject startapp"),
}
