"""What the C library kept of memory that nothing holds any more goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.server.processes import ROOT

MEGABYTES = 40
CODE = f"""
import threading
from pathlib import Path
from borgd.server.heap import give_back, share_one_heap

share_one_heap()
def resident():
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0])

def work():
    global small
    pieces = [bytes(1000) for _ in range({MEGABYTES} * 1000)]
    small = pieces[-1]  # what is small and stays keeps the heap from being shortened

before = resident()
thread = threading.Thread(target=work)
thread.start()
thread.join()
held = resident()
give_back()
print(before, held, resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_a_busy_thread_is_given_back_although_something_small_stays() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", CODE], cwd=ROOT, capture_output=True, check=True, text=True)
    before, held, after = map(int, done.stdout.split())
    assert held > before + MEGABYTES * 500, "the heap still has it"
    assert after < before + MEGABYTES * 250
