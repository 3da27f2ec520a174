"""Which of the modules that the daemon needs an interpreter cannot import, asked of that interpreter itself."""

from __future__ import annotations

import json
import os
import subprocess
from importlib import metadata
from typing import NamedTuple

from borgd.cli.doctor.finding import quoted

PROBE_S = 30.0
"""guard: seconds that the imports may take, on a cold disk too."""
NEEDED = ("anyio", "msgspec", "numpy", "rank_bm25", "watchfiles", "xdg_base_dirs", "tomlkit")
"""Top-level modules that the daemon's own modules import; asked first, so that the cause is named before its effects."""
PROBE = """
import importlib, json, sys
def attempt(name):
    try:
        importlib.import_module(name)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return ""
found = {}
for name in json.loads(sys.argv[1]):
    problem = attempt(name)
    if problem:
        found[name] = problem
if not found:
    problem = attempt("borgd.server.preload")
    if problem:
        found["borgd"] = problem
version = ""
try:
    import borgd
    version = borgd.__version__
except BaseException:
    pass
print(json.dumps({"problems": found, "version": version, "prefix": sys.prefix}))
"""


class Probe(NamedTuple):
    """What the interpreter said. ``problems``: by module, why it cannot be imported; ``failed``: it said nothing."""

    problems: dict[str, str]
    version: str = ""
    prefix: str = ""
    failed: str = ""


def probe(command: list[str]) -> Probe:
    """Ask ``command`` (an interpreter and its flags) to import everything that the daemon needs."""
    needed = json.dumps(_required())
    try:
        done = subprocess.run(
            [*command, "-c", PROBE, needed],
            capture_output=True,
            timeout=PROBE_S,
            check=False,
            cwd="/",
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return Probe({}, failed=f"it was still importing after {PROBE_S:g} s")
    except OSError as error:
        return Probe({}, failed=f"it cannot be run: {error.strerror}")
    lines = done.stdout.decode("utf-8", "replace").strip().split("\n")
    try:
        said = json.loads(lines[-1])
        return Probe(dict(said["problems"]), str(said["version"]), str(said["prefix"]))
    except (ValueError, KeyError, TypeError):
        words = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        return Probe({}, failed=f"it ended with code {done.returncode}: {words[:200] or 'without a word'}")


def _required() -> list[str]:
    """NEEDED, as far as this version of borgd asks for it."""
    try:
        wanted = {line.split(">")[0].split("=")[0].split(";")[0].strip() for line in metadata.requires("borgd") or ()}
    except metadata.PackageNotFoundError:
        return list(NEEDED)
    return [name for name in NEEDED if name.replace("_", "-") in wanted or name in wanted]


def remedy(prefix: str, executable: str, modules: list[str]) -> str:
    """The command that brings ``modules`` back into the environment at ``prefix``, by who made that."""
    if "/pipx/venvs/" in prefix:
        return "pipx reinstall borgd"
    if "/uv/tools/" in prefix:
        return "uv tool upgrade --reinstall borgd"
    names = [name.replace("_", "-") for name in modules]
    if not os.path.exists(os.path.join(prefix, "bin", "pip")) and prefix:  # noqa: PTH110, PTH118 (strings of another process)
        return quoted("uv", "pip", "install", "--python", executable, "--reinstall", *names)
    return quoted(executable, "-m", "pip", "install", "--force-reinstall", *names)
