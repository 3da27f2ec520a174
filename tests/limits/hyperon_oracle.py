"""Runs in a process of its own: a policy file and facts in on stdin, what MeTTa makes of them out on stdout, as JSON.

One interpreter per policy (two rules in one space would give two results). Not a test module.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    from hyperon import MeTTa

    answers = []
    for case in json.load(sys.stdin):
        metta = MeTTa()
        metta.run(case["policy"])
        told = []
        for spent, ceiling, soft, min_local, iterations, hard in case["facts"]:
            results = metta.run(f"!(escalate {spent} {ceiling} {soft} {min_local} {iterations} {hard})")
            told.append([str(atom) for result in results for atom in result])
        answers.append(told)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
