"""What commands do whose options or programs have to be read: tar, find, sed, awk, dd, tee and their like.

One small function each, one table of all: words in, an effect, a reason and the command lines it runs out. Pure.
To teach the judge a command whose verbs and options decide, add a row to ``tables``; only what no row can say goes here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from borgd.limits.shell.awk import read_awk
from borgd.limits.shell.interpreters import (
    SQL_LETTERS,
    interpreter,
    judge_mongo,
    judge_perl,
    judge_ruby,
    judge_sqlite3,
    judge_vim,
    sql_client,
)
from borgd.limits.shell.options import has, operands, option_values
from borgd.limits.shell.reading import Read, Reader
from borgd.limits.shell.sed import read_sed
from borgd.limits.shell.tables.tool import Effect, words
from borgd.limits.shell.web import judge_curl, judge_httpie, judge_wget

SINKS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "-"})
"""Names behind which nothing is kept."""


def _plain(judge: Callable[[Sequence[str]], tuple[Effect, str]]) -> Reader:
    return lambda arguments: Read(*judge(arguments))


def _tar(arguments: Sequence[str]) -> Read:
    """Modes in any place, with and without a dash; what other programs it runs cannot be told."""
    given = list(arguments)
    if given and not given[0].startswith("-"):
        given[0] = "-" + given[0]
    options = option_values(
        given,
        "fCTXIbgLNVFH",
        words(
            "--file --directory --files-from --exclude-from --use-compress-program --exclude "
            "--strip-components --transform --to-command"
        ),
    )
    names = {name for name, _ in options}
    file = next((value for name, value in options if name in ("-f", "--file")), "")
    runs = names & {
        "--to-command",
        "--checkpoint-action",
        "--info-script",
        "--new-volume-script",
        "-F",
        "-I",
        "--use-compress-program",
        "--rsh-command",
    }
    if names & {"-c", "--create"} and names & {"-f", "--file"} and file not in SINKS:
        return Read(Effect.CHANGE, "tar creates an archive")
    if names & {"-r", "-u", "-A", "--append", "--update", "--concatenate", "--delete"}:
        return Read(Effect.CHANGE, "tar changes an archive")
    if names & {"-x", "--extract", "--get"} and not names & {"-O", "--to-stdout"}:
        return Read(Effect.UNKNOWN if "--to-command" in names else Effect.CHANGE, "tar unpacks")
    if runs:
        return Read(Effect.UNKNOWN, "tar runs another program")
    if names & {
        "-t",
        "--list",
        "-d",
        "--diff",
        "--compare",
        "-x",
        "--extract",
        "--get",
        "--help",
        "--version",
        "-c",
        "--create",
    }:
        return Read(Effect.READ, "tar lists or prints")
    return Read(Effect.CHANGE, "tar")


def _find(arguments: Sequence[str]) -> Read:
    writes = sorted(words("-delete -fprint -fprint0 -fprintf -fls") & set(arguments))
    targets = [
        b for a, b in zip(arguments, [*arguments[1:], ""], strict=False) if a in ("-fprint", "-fprint0", "-fprintf", "-fls")
    ]
    if writes and not (len(targets) == len(writes) and set(targets) <= SINKS):
        return Read(Effect.CHANGE, f"find {writes[0]}")
    return Read(Effect.READ, "find looks")


def _sed(arguments: Sequence[str]) -> Read:
    options = option_values(arguments, "efl", words("--expression --file --line-length"))
    if any(
        name == "-i" or (name.startswith("--i") and "--in-place".startswith(name)) for name, _ in _up_to_inplace(arguments)
    ):
        return Read(Effect.CHANGE, "sed -i changes files")
    scripts = [value for name, value in options if name in ("-e", "--expression")]
    from_file = any(name in ("-f", "--file") for name, _ in options)
    if not scripts and not from_file:
        scripts = [value for name, value in options if not name][:1]
    script = read_sed("\n".join(scripts))
    if script.writes:
        return Read(Effect.CHANGE, f"the sed script writes {script.writes[0]}")
    runs = tuple(run for run in script.runs if run)
    if from_file or script.unreadable or len(runs) < len(script.runs):
        return Read(Effect.UNKNOWN, "the sed script is in a file, runs its input or cannot be read", runs)
    return Read(Effect.READ, "sed prints", runs)


def _up_to_inplace(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Options with ``-i`` taking what is glued to it (``-i.bak``)."""
    found: list[tuple[str, str]] = []
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument == "--":
            break
        elif argument.startswith("--"):
            name, equals, _ = argument.partition("=")
            found.append((name, ""))
            skip = not equals and name in ("--expression", "--file", "--line-length")
        elif argument.startswith("-"):
            for at, letter in enumerate(argument[1:], 1):
                found.append(("-" + letter, ""))
                if letter in "efl":
                    skip = at == len(argument) - 1
                    break
                if letter == "i":
                    break
    return found


def _awk(arguments: Sequence[str]) -> Read:
    options = option_values(
        arguments, "FvfiolE", words("--field-separator --assign --file --include --load --exec --source")
    )
    if any(name in ("-i", "--include") and "inplace" in value for name, value in options):
        return Read(Effect.CHANGE, "awk -i inplace changes files")
    if any(name in ("-o", "-p", "-d", "--pretty-print", "--profile", "--dump-variables") for name, _ in options):
        return Read(Effect.CHANGE, "awk writes its program to a file")
    sources = [value for name, value in options if name == "--source"]
    unseen = any(name in ("-f", "--file", "-i", "--include", "-l", "--load", "-E", "--exec") for name, _ in options)
    if not unseen and not sources:
        sources = [value for name, value in options if not name][:1]
    program = read_awk("\n".join(sources))
    if program.writes:
        return Read(Effect.CHANGE, f"the awk program writes {program.writes[0] or 'a file'}")
    runs = tuple(run for run in program.runs if run)
    if unseen or program.loads or len(runs) < len(program.runs):
        return Read(Effect.UNKNOWN, "the awk program is in a file or runs what only running tells", runs)
    return Read(Effect.READ, "awk prints", runs)


def _date(arguments: Sequence[str]) -> Read:
    options = option_values(arguments, "dfrs", words("--date --file --reference --set"))
    if any(name == "-s" or (name.startswith("--s") and "--set".startswith(name)) for name, _ in options):
        return Read(Effect.CHANGE, "date sets the clock")
    bare = [value for name, value in options if not name and not value.startswith("+")]
    if bare and "-j" not in {name for name, _ in options} and bare[0].replace(".", "").isdigit() and len(bare[0]) >= 8:
        return Read(Effect.CHANGE, "date sets the clock")
    return Read(Effect.NOTHING, "date tells the time")


def _tee(arguments: Sequence[str]) -> Read:
    names = [name for name in operands(arguments) if name not in SINKS and not name.startswith((">(", "/dev/fd/"))]
    return Read(Effect.CHANGE, f"tee writes {names[0]}") if names else Read(Effect.NOTHING, "tee passes on")


def _kill(arguments: Sequence[str]) -> Read:
    if arguments and arguments[0] in ("-l", "-L", "-0", "--list", "--table"):
        return Read(Effect.NOTHING, "kill only tells")
    return Read(Effect.CHANGE, "kill ends a process")


def _dd(arguments: Sequence[str]) -> Read:
    target = next((argument[3:] for argument in arguments if argument.startswith("of=")), "-")
    if has(arguments, "--help", "--version") or target in SINKS:
        return Read(Effect.READ, "dd reads")
    return Read(Effect.CHANGE, f"dd writes {target}")


def _uniq(arguments: Sequence[str]) -> Read:
    given = operands(arguments, words("-f -s -w --skip-fields --skip-chars --check-chars"))
    return (
        Read(Effect.CHANGE, "uniq writes its second operand")
        if len(given) > 1 and given[1] not in SINKS
        else Read(Effect.READ, "uniq prints")
    )


def _xxd(arguments: Sequence[str]) -> Read:
    given = operands(arguments, words("-l -s -c -g -o -n -R"))
    return (
        Read(Effect.CHANGE, "xxd writes its second operand")
        if len(given) > 1 and given[1] not in SINKS
        else Read(Effect.READ, "xxd prints")
    )


def _pacman(arguments: Sequence[str]) -> Read:
    """By its operation, the capital letter; what it looks up of another kind is a small one beside it."""
    letters = "".join(argument[1:] for argument in arguments if argument.startswith("-") and not argument.startswith("--"))
    named = {argument for argument in arguments if argument.startswith("--")}
    asks = named & {"--print", "--help", "--version"} or "p" in letters
    if set(letters) & set("RUD") or named & {"--remove", "--upgrade", "--database"}:
        return Read(Effect.READ if asks and "D" not in letters else Effect.CHANGE, "pacman removes or installs")
    if "S" in letters or "--sync" in named:
        looks = asks or (set(letters) & set("sigl") and not set(letters) & set("yuwc")) or named & {"--search", "--info"}
        return Read(Effect.READ if looks else Effect.CHANGE, "pacman -S")
    if set(letters) & set("QFTV") or named & {"--query", "--files"}:
        return Read(Effect.CHANGE if "F" in letters and "y" in letters else Effect.READ, "pacman asks")
    return Read(Effect.READ if asks else Effect.UNKNOWN, "pacman")


def _rpm(arguments: Sequence[str]) -> Read:
    """Queries and checks have their letter in the first cluster, where ``i`` and ``e`` mean something else."""
    first = next((argument for argument in arguments if argument.startswith("-")), "")
    if first.startswith("--"):
        asks = first.partition("=")[0] in words("--query --verify --checksig --eval --showrc --version --help --querytags")
        return Read(Effect.READ if asks else Effect.CHANGE, f"rpm {first}")
    if set(first) & set("qVK"):
        return Read(Effect.READ, "rpm asks")
    return Read(Effect.CHANGE if set(first) & set("ieUF") else Effect.UNKNOWN, "rpm")


def _cat(arguments: Sequence[str]) -> Read:
    given = [name for name in operands(arguments) if name not in ("-", "/dev/stdin")]
    return Read(Effect.READ, "cat shows") if given else Read(Effect.NOTHING, "cat passes on")


def _cp(arguments: Sequence[str]) -> Read:
    given = operands(arguments, words("-S --suffix"))
    if has(arguments, "--help", "--version") or (len(given) > 1 and given[-1] in SINKS - {"-"}):
        return Read(Effect.READ, "cp prints")
    return Read(Effect.CHANGE, "cp writes")


def _sysctl(arguments: Sequence[str]) -> Read:
    sets = any("=" in name for name in operands(arguments)) or has(arguments, "-w", "-p", "--write", "--load", "--system")
    return Read(Effect.CHANGE, "sysctl sets") if sets else Read(Effect.READ, "sysctl shows")


def _ifconfig(arguments: Sequence[str]) -> Read:
    return Read(Effect.READ, "ifconfig shows") if len(operands(arguments)) < 2 else Read(Effect.CHANGE, "ifconfig sets")


def _exiftool(arguments: Sequence[str]) -> Read:
    sets = any(re.match(r"^-[\w:*]+[-+^]?(<?=)", argument) for argument in arguments) or has(arguments, "-delete_original")
    return Read(Effect.CHANGE, "exiftool sets") if sets else Read(Effect.READ, "exiftool shows")


def _output_operand(name: str, sinks: frozenset[str] = SINKS) -> Reader:
    """Writes its second operand unless that is a sink (``pdftotext a -``)."""

    def judge(arguments: Sequence[str]) -> Read:
        given = operands(arguments, words("-f -l -r -x -y -W -H -enc --psm -l --oem"))
        prints = len(given) > 1 and given[1] in sinks
        return (
            Read(Effect.READ, f"{name} prints")
            if prints or has(arguments, "--help", "--version")
            else Read(Effect.CHANGE, f"{name} writes")
        )

    return judge


def _filtered(name: str) -> Reader:
    """Prints what it reads from a pipe, changes the files it is given (``sd a b``)."""

    def judge(arguments: Sequence[str]) -> Read:
        changes = len(operands(arguments, words("-n -f"))) > 2 and not has(arguments, "-p", "--preview")
        return Read(Effect.CHANGE, f"{name} changes files") if changes else Read(Effect.READ, f"{name} prints")

    return judge


READERS: Mapping[str, Reader] = {
    "tar": _tar,
    "bsdtar": _tar,
    "gtar": _tar,
    "find": _find,
    "gfind": _find,
    "sed": _sed,
    "gsed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "nawk": _awk,
    "goawk": _awk,
    "kill": _kill,
    "date": _date,
    "gdate": _date,
    "tee": _tee,
    "dd": _dd,
    "uniq": _uniq,
    "xxd": _xxd,
    "cat": _cat,
    "cp": _cp,
    "sysctl": _sysctl,
    "pacman": _pacman,
    "yay": _pacman,
    "paru": _pacman,
    "rpm": _rpm,
    "ifconfig": _ifconfig,
    "exiftool": _exiftool,
    "pdftotext": _output_operand("pdftotext"),
    "pdftohtml": _output_operand("pdftohtml"),
    "tesseract": _output_operand("tesseract", SINKS | {"stdout"}),
    "sd": _filtered("sd"),
    "curl": _plain(judge_curl),
    "wget": _plain(judge_wget),
    "http": _plain(judge_httpie),
    "https": _plain(judge_httpie),
    "xh": _plain(judge_httpie),
    **{name: sql_client(name) for name in SQL_LETTERS},
    "sqlite3": judge_sqlite3,
    "sqlite": judge_sqlite3,
    "mongosh": judge_mongo,
    "mongo": judge_mongo,
    "vim": judge_vim,
    "vi": judge_vim,
    "nvim": judge_vim,
    "perl": judge_perl,
    "ruby": judge_ruby,
    "python": interpreter("python", "c"),
    "python3": interpreter("python", "c"),
    "python2": interpreter("python", "c"),
    "pypy3": interpreter("python", "c"),
    "node": interpreter("node", "ep", "--check -c"),
    "php": interpreter("php", "r", "-l -i -m --ini"),
    "lua": interpreter("lua", "e"),
    "Rscript": interpreter("R", "e"),
    "osascript": interpreter("osascript", "e"),
}
"""Commands whose programs or options have to be read."""
