"""What a shell line does: looks, changes, or cannot be told; and which files or pages it shows.

Judged by parsing it and looking every simple command up, wherever it stands; a line does the worst of what is in it.

Between the wrong answers: a line taken for state-changing ends the investigation and is never stopped, so that error opens
the gate; a line taken for read-only may be stopped although it changes something, which the limits promise never to do.
So only what is known to change counts as a change, only what is known to look counts as looking, and the rest (scripts,
tests, aliases, what the parser cannot read) is ``unknown``: it costs one retrieval call, is never stopped, and ends nothing.

Pure and total: any text gets an answer. It is an account of what honest commands do, not a sandbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from borgd.limits.shell import git as shell_git
from borgd.limits.shell.commands import SPECIAL, has, operands
from borgd.limits.shell.parse import Command, Redirect, Script, parse
from borgd.limits.shell.tables import CHANGE, NOTHING, READ, SHOWS_FILES, TAKES_VALUE, Effect
from borgd.limits.shell.words import ShellSyntaxError, ShellWord

MAX_FILES = 256
"""guard: files of one line that are counted; a line that names more has spent any budget."""

MAX_UNWRAPPED = 8
"""guard: commands that run commands, and texts that are commands, inside each other."""

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash"})
_WRAPPERS: dict[str, tuple[frozenset[str], int]] = {
    "sudo": (frozenset({"-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D"}), 0),
    "doas": (frozenset({"-u", "-C"}), 0),
    "env": (frozenset({"-u", "-C", "-S", "--unset", "--chdir"}), 0),
    "timeout": (frozenset({"-s", "-k", "--signal", "--kill-after"}), 1),
    "nice": (frozenset({"-n", "--adjustment"}), 0),
    "ionice": (frozenset({"-c", "-n", "-p"}), 0),
    "chrt": (frozenset(), 1),
    "nohup": (frozenset(), 0),
    "setsid": (frozenset(), 0),
    "stdbuf": (frozenset({"-i", "-o", "-e"}), 0),
    "command": (frozenset(), 0),
    "builtin": (frozenset(), 0),
    "exec": (frozenset({"-a"}), 0),
    "time": (frozenset({"-f", "-o", "--format", "--output"}), 0),
    "watch": (frozenset({"-n", "--interval"}), 0),
    "xargs": (frozenset({"-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E", "--max-args", "--max-procs", "--delimiter"}), 0),
    "busybox": (frozenset(), 0),
    "unbuffer": (frozenset(), 0),
}
"""Commands that run another: their options with a value, and how many operands come before it."""

_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_SINKS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "-"})
_RUN_BY_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_RUN_BY_FD = frozenset({"-x", "-X", "--exec", "--exec-batch"})
_ABOUT = frozenset({"--version", "--help", "-version"})


@dataclass(frozen=True, slots=True)
class CommandJudgement:
    """What a line does and what it shows: file names and URLs as written, in order, each once."""

    effect: Effect
    files: tuple[str, ...] = ()


@dataclass(slots=True)
class _Account:
    effect: Effect = Effect.NOTHING
    files: dict[str, None] = field(default_factory=dict)
    depth: int = 0

    def add(self, effect: Effect, files: Sequence[str] = ()) -> None:
        self.effect = max(self.effect, effect)
        for name in files:
            if len(self.files) < MAX_FILES and name and name not in _SINKS:
                self.files[name] = None


def judge(line: str) -> CommandJudgement:
    """What ``line`` does. What cannot be parsed is unknown."""
    account = _Account()
    _judge_text(line, account)
    return CommandJudgement(account.effect, tuple(account.files))


def _judge_text(text: str, account: _Account) -> None:
    if account.depth >= MAX_UNWRAPPED:
        account.add(Effect.UNKNOWN)
        return
    account.depth += 1
    try:
        script = parse(text)
    except ShellSyntaxError:
        account.add(Effect.UNKNOWN)
    else:
        for command in script.commands:
            _judge_command(command, script, account)
    account.depth -= 1


def _judge_command(command: Command, script: Script, account: _Account) -> None:
    for redirect in command.redirects:
        account.add(*_redirect(redirect))
    if command.words:
        _judge_words(list(command.words), script, account)


def _redirect(redirect: Redirect) -> tuple[Effect, Sequence[str]]:
    target = redirect.target.text
    if redirect.operator in _WRITES or (redirect.operator == ">&" and not _is_descriptor(target)):
        return (Effect.NOTHING, ()) if target in _SINKS or target.startswith("/dev/fd/") else (Effect.CHANGE, ())
    if redirect.operator == "<":
        return Effect.READ, (target,)
    return Effect.NOTHING, ()


def _is_descriptor(target: str) -> bool:
    return target.rstrip("-").isdigit() or target == "-"


def _judge_words(words: list[ShellWord], script: Script, account: _Account) -> None:
    """A command and, where it runs another one, that one too."""
    for _ in range(MAX_UNWRAPPED):
        if words[0].dynamic:
            break
        name = words[0].text.rpartition("/")[2] or words[0].text
        rest = words[1:]
        texts = [word.text for word in rest]
        if name not in _WRAPPERS:
            _judge_named(name, rest, texts, script, account)
            return
        if name == "command" and has(texts, "-v", "-V"):
            account.add(Effect.NOTHING)
            return
        words = _inside(name, rest)
        if not words:
            account.add(Effect.READ if name in ("env", "xargs") else Effect.NOTHING)
            return
    account.add(Effect.UNKNOWN)


def _inside(name: str, words: list[ShellWord]) -> list[ShellWord]:
    """What a wrapper runs: its options, their values, assignments and leading operands taken off."""
    takes_value, leading = _WRAPPERS[name]
    place = 0
    while place < len(words):
        text = words[place].text
        if text == "--":
            place += 1
            break
        if text.startswith("-") and len(text) > 1:
            place += 2 if text in takes_value else 1
        elif name in ("env", "sudo", "doas") and "=" in text and not text.startswith("="):
            place += 1
        else:
            break
    return words[place + leading :]


def _judge_named(name: str, words: list[ShellWord], texts: list[str], script: Script, account: _Account) -> None:
    if name in script.functions:
        return  # its body was judged where it is defined
    if texts and set(texts) <= _ABOUT:
        account.add(Effect.READ)
        return
    if name in _SHELLS:
        _judge_shell(words, texts, account)
    elif name == "eval":
        _judge_eval(words, account)
    elif name in ("find", "fd", "fdfind"):
        account.add(SPECIAL[name](texts))
        _judge_run(words, _RUN_BY_FIND if name == "find" else _RUN_BY_FD, script, account)
    elif name == "git":
        account.add(shell_git.judge(texts), shell_git.files(texts))
    elif name in SPECIAL:
        account.add(SPECIAL[name](texts), _shown(name, texts))
    elif name in NOTHING:
        account.add(Effect.NOTHING)
    elif name in READ:
        account.add(Effect.READ, _shown(name, texts))
    elif name in CHANGE:
        account.add(Effect.CHANGE)
    else:
        account.add(Effect.UNKNOWN)


def _judge_shell(words: list[ShellWord], texts: list[str], account: _Account) -> None:
    """``sh -c TEXT`` is its text; a script file or a script from a pipe cannot be told."""
    for place, text in enumerate(texts):
        if text.startswith("-") and not text.startswith("--") and "c" in text and place + 1 < len(words):
            _judge_literal(words[place + 1], account)
            return
    account.add(Effect.UNKNOWN)


def _judge_eval(words: list[ShellWord], account: _Account) -> None:
    if any(word.dynamic for word in words):
        account.add(Effect.UNKNOWN)
    _judge_text(" ".join(word.text for word in words), account)


def _judge_literal(word: ShellWord, account: _Account) -> None:
    if word.dynamic:
        account.add(Effect.UNKNOWN)
    _judge_text(word.text, account)


def _judge_run(words: list[ShellWord], options: frozenset[str], script: Script, account: _Account) -> None:
    """The commands that ``find -exec … ;`` and ``fd -x …`` run."""
    place = 0
    while place < len(words):
        if words[place].text in options:
            end = next((n for n in range(place + 1, len(words)) if words[n].text in (";", "+")), len(words))
            if end > place + 1:
                _judge_words([ShellWord(word.text) for word in words[place + 1 : end]], script, account)
            place = end
        place += 1


def _shown(name: str, texts: list[str]) -> list[str]:
    """The files and pages whose content the command shows."""
    if name in ("curl", "wget", "http"):
        return [text for text in texts if "://" in text and not text.startswith("-")]
    found = operands(texts, TAKES_VALUE.get(name, frozenset()))
    if name in ("sed", "gsed"):
        return found if has(texts, "-e", "-f", "--expression", "--file") else found[1:]
    if name in ("awk", "gawk", "mawk"):
        return [text for text in (found if has(texts, "-f") else found[1:]) if "=" not in text]
    if name in ("jq", "yq"):
        return found if has(texts, "-f", "--from-file") else found[1:]
    if name in ("head", "tail"):
        return [text for text in found if not (text.startswith("+") and text[1:].isdigit())]
    return found if name in SHOWS_FILES else []
