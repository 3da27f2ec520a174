"""What reading the floor and the formula costs a program that starts."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module", ["evidence", "work", "text.document_frequencies", "text.scope", "text.words", "text.stems", "quality"]
)
def test_numpy_is_not_imported_before_there_is_an_index(module: str) -> None:
    code = f"import sys, borgd.recall.{module}; print('numpy' in sys.modules or 'rank_bm25' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240)
    assert done.stdout.strip() == "False"
