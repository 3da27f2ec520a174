"""Make borgd/recall/text/document_frequencies.txt: in how many contexts each stem is, over contexts of Git repositories.

    python -m tests.perf.count_contexts REPOSITORY… > borgd/recall/text/document_frequencies.txt

A context is a commit's message, the paths it touched and a piece of its diff, or a passage of the documentation. Counts
of stems are all that is kept; stems that only one repository has, or fewer than ``LEAST`` contexts, are left out. The file
names each repository with its commit and the first line of its licence.
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

HEAD = """# Stems and in how many of the counted contexts each was. Each line is a count and its stems.
#
# Made by tests/perf/count_contexts.py. A context is a commit's message, touched paths and a piece of its diff, or a
# passage of the documentation. Stems of one repository only are left out. From these repositories:
"""


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


def source_of(repository: str) -> str:
    """Where the repository is from, its commit, the first line of its licence."""
    url = git(repository, "remote", "get-url", "origin").strip() or "no remote"
    names = git(repository, "ls-tree", "--name-only", "HEAD").split("\n")
    licence = next((name for name in names if name.upper().startswith(("LICENSE", "LICENCE", "COPYING"))), "")
    first = git(repository, "show", f"HEAD:{licence}").strip().split("\n")[0].strip() if licence else "no licence file"
    return f"{url} {git(repository, 'rev-parse', 'HEAD').strip()} {first}"


def main(repositories: list[str]) -> None:
    """Count and print the file."""
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
    print(HEAD, end="")
    for repository in repositories:
        print(f"# {source_of(repository)}")
    print(f"contexts {contexts}\nstems {total}")
    for count in sorted(lines, reverse=True):
        for line in textwrap.wrap(" ".join(sorted(lines[count])), width=112, break_long_words=False):
            print(count, line)


if __name__ == "__main__":
    main(sys.argv[1:])
