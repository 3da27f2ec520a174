"""Every benchmark is found by the command that runs benchmarks, and by no other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def collected(*options: str) -> set[str]:
    """``file::test`` of what pytest would run below tests/perf, without the benchmarks' figures."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *options, str(HERE)],
        cwd=ROOT,
        env={**os.environ, "BORGD_PERF": "quick"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return {line for line in done.stdout.split("\n") if "::" in line}


@pytest.mark.slow
def test_the_command_for_benchmarks_takes_every_file_and_the_other_none() -> None:
    benchmarks, others = collected("-m", "perf"), collected("-m", "not perf")
    written = {path.name for path in HERE.glob("*.py") if re.search(r"^(?:async )?def test_", path.read_text(), re.M)}
    assert {Path(name.partition("::")[0]).name for name in benchmarks} == written - {Path(__file__).name}
    assert {Path(name.partition("::")[0]).name for name in others} == {Path(__file__).name}
