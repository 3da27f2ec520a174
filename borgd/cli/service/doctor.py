"""``borg doctor``: what is installed, what is missing, what to do. Looks only; changes nothing."""

from __future__ import annotations

import argparse
import json
import os
import sys

from borgd.cli.service.doctor_checks import BAD, findings
from borgd.cli.terminal_text import about
from borgd.errors import EXIT_FORESEEN
from borgd.paths import user_paths


def run(argv: list[str]) -> int:
    """Print the findings; 1 where something is broken."""
    parser = argparse.ArgumentParser(prog="borg doctor", description=about(__doc__))
    parser.add_argument("--json", action="store_true", help="one JSON object: ok, findings")
    options = parser.parse_args(argv)
    found = list(findings(user_paths(), dict(os.environ)))
    ok = all(finding.state != BAD for finding in found)
    if options.json:
        print(json.dumps({"ok": ok, "findings": [finding._asdict() for finding in found]}))
    else:
        for finding in found:
            print(f"{finding.state:<5}{finding.name}: {finding.text}")
            if finding.todo:
                print(f"     → {finding.todo}")
        sys.stdout.flush()
    return 0 if ok else EXIT_FORESEEN
