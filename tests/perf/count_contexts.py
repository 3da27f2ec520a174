"""Make borgd/recall/prior_counts.py: in how many contexts each stem is, over imitation contexts from Git repositories.

    python -m tests.perf.count_contexts REPOSITORY… > borgd/recall/prior_counts.py

A context is a commit's message, the paths it touched and a piece of its diff, or a passage of the documentation. Counts
of stems are all that is kept; stems that only one repository has, or fewer than ``LEAST`` contexts, are left out.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator

from borgd.recall.text.document_frequencies import stems_of

COMMITS = 450
PASSAGES = 300
PASSAGE_WORDS = (60, 120, 180, 260)
DIFF_WORDS = (15, 40, 120, 200, 350)
LEAST = 4
LEAST_STEMS = 12
LONGEST_STEM = 16
MACHINE_MADE = re.compile(r"dependabot|renovate|bump|version", re.IGNORECASE)
TRAILER = re.compile(r"(?i)(signed-off|co-authored|reviewed|change-id)")

HEAD = '''"""Stems and in how many of the counted contexts each was. Data only, no promise beyond that.

The contexts were made from nine public repositories with free licences (a web client, two web frameworks, an HTTP client
for phones, a phone app, a task queue, infrastructure modules, an alert router, an analytics page): a commit's message,
touched paths and a piece of its diff, or a passage of the documentation. Each line is a count and its stems; stems of
one repository only are left out. tests/perf/count_contexts.py makes this file.
"""
'''


def git(repository: str, *arguments: str) -> str:
    """What git says; a part of it where the repository lacks an object."""
    done = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def commits(repository: str, random_: random.Random) -> Iterator[str]:
    """Imitation contexts from commits."""
    names = git(repository, "log", "--no-merges", "--format=%H").split()
    random_.shuffle(names)
    for name in names[: 2 * COMMITS]:
        shown = git(repository, "show", "--format=%s%n%b%x00", "--no-color", "-U1", "--stat=200", name)[:400_000]
        message, _, rest = shown.partition("\0")
        if MACHINE_MADE.search(message[:200]):
            continue
        message = "\n".join(line for line in message.split("\n") if not TRAILER.match(line.strip()))
        stat, _, diff = rest.partition("diff --git")
        paths = re.findall(r"^ (\S+)\s+\|", stat, re.MULTILINE)[:12]
        lines = [line[1:] for line in diff.split("\n") if line[:1] in "+-" and not line.startswith(("+++", "---"))]
        words = " ".join(lines).split()
        start = random_.randrange(max(1, len(words) // 2))
        yield "\n".join((message[:3000], *paths, " ".join(words[start : start + random_.choice(DIFF_WORDS)])))


def passages(repository: str, random_: random.Random) -> list[str]:
    """Imitation contexts from documentation."""
    names = git(repository, "ls-tree", "-r", "--name-only", "HEAD").split("\n")
    pages = [name for name in names if name.endswith((".md", ".rst", ".txt")) and "LICENSE" not in name]
    random_.shuffle(pages)
    found: list[str] = []
    for page in pages[:150]:
        words = git(repository, "show", f"HEAD:{page}")[:60_000].split()
        for start in range(0, len(words), PASSAGE_WORDS[-1])[:14]:
            found.append(f"{page}\n{' '.join(words[start : start + random_.choice(PASSAGE_WORDS)])}")
    random_.shuffle(found)
    return found[:PASSAGES]


def main(repositories: list[str]) -> None:
    """Count and print the module."""
    random_ = random.Random(7)
    counts: Counter[str] = Counter()
    homes: dict[str, set[str]] = defaultdict(set)
    contexts = total = 0
    for repository in repositories:
        taken = 0
        for text in (*passages(repository, random_), *commits(repository, random_)):
            stems = stems_of(text)
            if len(stems) < LEAST_STEMS or taken == COMMITS + PASSAGES:
                continue
            taken += 1
            contexts += 1
            total += len(stems)
            counts.update(stems)
            for one in stems:
                homes[one].add(repository)
        print(repository, taken, file=sys.stderr)
    lines: dict[int, list[str]] = defaultdict(list)
    for one, count in counts.items():
        plain = one.isascii() and not one.isdigit() and len(one) <= LONGEST_STEM
        if plain and count >= LEAST and len(homes[one]) > 1:
            lines[count].append(one)
    print(HEAD)
    print(f'CONTEXTS = {contexts}\n"""method: how many contexts were counted."""\n')
    print(f'STEMS = {total}\n"""method: their distinct stems, summed over the contexts, with those left out."""\n')
    print('COUNTS = """')
    for count in sorted(lines, reverse=True):
        for line in textwrap.wrap(" ".join(sorted(lines[count])), width=112, break_long_words=False):
            print(count, line)
    print('"""')


if __name__ == "__main__":
    main(sys.argv[1:])
