"""What a command line does: looks, changes, or cannot be told; and which files or pages it shows.

Judged by parsing it and looking every simple command up, wherever it stands; a line does the worst of what is in it.

Between the wrong answers: a line taken for a change ends the investigation and is never stopped, which opens the gate; a
line taken for a look may be stopped although it changes something, which the limits promise never to do. So only what is
known to change counts as a change, only what is known to look counts as looking, and the rest (scripts, tests, aliases,
what the parser cannot read) is ``unknown``: it costs one retrieval call, is never stopped, and ends nothing.

Pure and total: any text gets an answer. It is an account of what honest commands do, not a sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from borgd.limits.shell import git
from borgd.limits.shell.interpreters import given_writes
from borgd.limits.shell.options import has, operands
from borgd.limits.shell.parse import Command, Redirect, Script, parse
from borgd.limits.shell.programs import READERS, SINKS
from borgd.limits.shell.tables import TABLE, Effect, look_up
from borgd.limits.shell.tables.files import SHOWS_FILES, TAKES_VALUE
from borgd.limits.shell.tables.tool import words as listed
from borgd.limits.shell.web import judge_gh_api
from borgd.limits.shell.words import ShellSyntaxError, ShellWord

MAX_FILES = 256
"""guard: files of one line that are counted; a line that names more has spent any budget."""

MAX_UNWRAPPED = 8
"""guard: commands that run commands, and texts that are commands, inside each other."""

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish"})
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_RUN_BY_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_RUN_BY_FD = frozenset({"-x", "-X", "--exec", "--exec-batch"})
_ABOUT = frozenset({"--version", "--help", "-version", "-V", "--usage"})
_PYTHON = re.compile(r"^(?:python|pypy)[\d.]*$")
_VERSIONED = re.compile(r"^([a-z+-]+?)-?\d+(?:\.\d+)*$")
_BIN_FOLDERS = listed("bin sbin .bin libexec Scripts shims")
_ACTIVATES = re.compile(r"(?:^|/)(?:bin|Scripts)/activate(?:\.\w+)?$")
_RISKY_VARIABLES = listed(
    "PAGER GIT_PAGER MANPAGER LESSOPEN GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS "
    "LD_PRELOAD BASH_ENV ENV PROMPT_COMMAND "
    "GIT_EDITOR EDITOR VISUAL DYLD_INSERT_LIBRARIES PYTHONSTARTUP RIPGREP_CONFIG_PATH "
    "GIT_SSH PATH"
)
"""Variables through which a command that looks runs another one."""
_TAME_VALUES = listed("cat less more true : bat delta vim vi nano") | {""}
_TOOLCHAINS = listed("cargo rustc rustfmt rustdoc clippy-driver")
"""Programs of rustup, which take ``+TOOLCHAIN`` before all else."""
_MODULES_THAT_READ = listed(
    "json.tool site sysconfig platform tokenize ast dis this calendar inspect symtable tabnanny pyclbr"
)
_MODULES_THAT_WRITE = listed("venv ensurepip compileall py_compile virtualenv lib2to3")
_POWERSHELL = re.compile(
    r"^(get|select|test|measure|compare|find|format|sort|where|group|resolve|convertto|convertfrom|show|search|"
    r"set|new|remove|add|copy|move|rename|clear|start|stop|restart|install|uninstall|enable|disable|import|update|expand|compress)"
    r"-[a-z]+$",
    re.IGNORECASE,
)
_POWERSHELL_LOOKS = listed(
    "get select test measure compare find format sort where group resolve convertto convertfrom show search"
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a line does and what it shows: file names and URLs as written, in order, each once."""

    effect: Effect
    files: tuple[str, ...] = ()
    reason: str = ""
    """Which command, option or redirection decided."""


@dataclass(slots=True)
class _Account:
    effect: Effect = Effect.NOTHING
    files: dict[str, None] = field(default_factory=dict)
    reason: str = "does nothing"
    depth: int = 0
    aliases: set[str] = field(default_factory=set)
    given: str = ""
    """The here-document of the command that is being judged."""

    def add(self, effect: Effect, reason: str, files: Sequence[str] = ()) -> None:
        if effect > self.effect:
            self.effect, self.reason = effect, reason
        for name in files:
            if len(self.files) < MAX_FILES and name and name not in SINKS:
                self.files[name] = None


def judge(line: str) -> Judgement:
    """What ``line`` does. What cannot be parsed is unknown."""
    account = _Account()
    _judge_text(line, account)
    return Judgement(account.effect, tuple(account.files), account.reason)


def _judge_text(text: str, account: _Account) -> None:
    if account.depth >= MAX_UNWRAPPED:
        account.add(Effect.UNKNOWN, "commands too deep inside each other")
        return
    account.depth += 1
    try:
        script = parse(text)
    except ShellSyntaxError as error:
        account.add(Effect.UNKNOWN, f"cannot be read: {error}")
    else:
        for command in script.commands:
            _judge_command(command, script, account)
    account.depth -= 1


def _judge_command(command: Command, script: Script, account: _Account) -> None:
    for redirect in command.redirects:
        account.add(*_redirect(redirect))
    given = [redirect for redirect in command.redirects if redirect.operator in ("<<", "<<-", "<<<")]
    account.given = "" if not given else given[-1].target.text if given[-1].operator == "<<<" else "".join(given[-1].body)
    if command.words:
        for assignment in command.assignments:
            name, _, value = assignment.partition("=")
            if name in _RISKY_VARIABLES and value.split(" ")[0].rpartition("/")[2] not in _TAME_VALUES and name != "PATH":
                account.add(Effect.UNKNOWN, f"{name} may run something else")
        _judge_words(list(command.words), script, account)


def _redirect(redirect: Redirect) -> tuple[Effect, str, Sequence[str]]:
    target = redirect.target.text
    if redirect.operator in _WRITES or (redirect.operator == ">&" and not _is_descriptor(target)):
        if target in SINKS - {"-"} or target.startswith(("/dev/fd/", ">(")) or (target == "-" and redirect.operator == ">&"):
            return Effect.NOTHING, "", ()
        return Effect.CHANGE, f"{redirect.operator} writes {target}", ()
    if redirect.operator == "<" and not target.startswith("<("):
        return Effect.READ, f"< reads {target}", (target,)
    return Effect.NOTHING, "", ()


def _is_descriptor(target: str) -> bool:
    return target.rstrip("-").isdigit() or target == "-"


def _named(word: ShellWord) -> str:
    """The program that ``word`` names; empty where it is the project's own or known only when it runs."""
    text = word.text
    if "/" not in text:
        return "" if word.dynamic else text
    folder, _, name = text.rpartition("/")
    known = folder.rpartition("/")[2] in _BIN_FOLDERS and not any(mark in name for mark in "$`*?[(")
    return name if known and "$(" not in folder and "`" not in folder else ""


def _judge_words(words: list[ShellWord], script: Script, account: _Account) -> None:
    """A command and, where it runs another one, that one too."""
    for _ in range(MAX_UNWRAPPED):
        while words and words[0].text in ("-p", "--", "-"):  # behind the keyword ``time``
            words = words[1:]
        if not words:
            return
        name, rest = _named(words[0]), words[1:]
        texts = [word.text for word in rest]
        if not name:
            about = bool(texts) and set(texts) <= {"--version", "--help"} and not words[0].dynamic
            account.add(Effect.READ if about else Effect.UNKNOWN, f"{words[0].text} is a program of its own")
            return
        if name in script.functions:
            return  # its body was judged where it is defined
        if name in account.aliases:
            account.add(Effect.UNKNOWN, f"{name} is an alias")
            return
        following = _judge_named(name, rest, texts, script, account)
        if following is None:
            return
        words = following
    account.add(Effect.UNKNOWN, "commands too deep inside each other")


def _judge_named(
    name: str, words: list[ShellWord], texts: list[str], script: Script, account: _Account
) -> list[ShellWord] | None:
    """One command; the words of another one that it runs, where they are to be judged in turn."""
    if texts and set(texts) <= _ABOUT and name not in ("kill", "echo"):
        account.add(Effect.READ, f"{name} {texts[0]} only tells")
    elif name in _SHELLS:
        _judge_shell(name, words, texts, account)
    elif name in _BUILTINS:
        _BUILTINS[name](words, texts, account)
    elif name == "command" and has(texts, "-v", "-V"):
        account.add(Effect.NOTHING, "command -v only tells")
    elif name in ("fd", "fdfind"):
        account.add(Effect.READ, f"{name} looks")
        _judge_run(words, _RUN_BY_FD, script, account)
    elif name == "git":
        _judge_git(texts, account)
    elif name == "gh" and operands(texts, listed("-R --repo"))[:1] == ["api"]:
        place = texts.index("api")
        account.add(*judge_gh_api(texts[place + 1 :]))
    elif _PYTHON.match(name):
        return _judge_python(words, texts, account)
    elif name in READERS:
        _judge_read(name, words, texts, script, account)
    else:
        return _judge_by_table(name, words, texts, account)
    return None


def _judge_read(name: str, words: list[ShellWord], texts: list[str], script: Script, account: _Account) -> None:
    """A command whose program or options have to be read, and what it runs."""
    read = READERS[name](texts)
    account.add(read.effect, read.reason, _shown(name, texts))
    for text in read.runs:
        _judge_text(text, account)
    if read.effect is Effect.UNKNOWN:
        _judge_given(name, operands(texts), account)
    if name in ("find", "gfind"):
        _judge_run(words, _RUN_BY_FIND, script, account)


def _judge_by_table(name: str, words: list[ShellWord], texts: list[str], account: _Account) -> list[ShellWord] | None:
    row = TABLE.get(name)
    if name in _TOOLCHAINS and texts[:1] and texts[0].startswith("+"):
        words, texts = words[1:], texts[1:]
    if row is None and (versioned := _VERSIONED.match(name)):
        row = TABLE.get(versioned[1])
    if row is None:
        _judge_unlisted(name, account)
        return None
    finding = look_up(name, row, texts)
    account.add(finding.effect, finding.reason, _shown(name, texts) if finding.effect is Effect.READ else ())
    following = None if finding.runs_from is None else words[finding.runs_from :]
    if name == "env" and finding.texts:
        place, begin = finding.texts[0]
        if place < len(texts):
            _judge_text(" ".join([texts[place][begin:], *(word.text for word in following or ())]), account)
        return None
    for place, begin in finding.texts:
        if place < len(words):
            _judge_literal(ShellWord(texts[place][begin:], words[place].dynamic), account)
    if following and finding.as_text:
        if len(following) > 1 and any(word.dynamic for word in following):
            account.add(Effect.UNKNOWN, f"what {name} runs is known only when it runs")
        _judge_text(" ".join(word.text for word in following), account)
        return None
    return following


def _judge_unlisted(name: str, account: _Account) -> None:
    if _POWERSHELL.match(name) and name[:1].isupper():
        looks = name.partition("-")[0].lower() in _POWERSHELL_LOOKS
        account.add(Effect.READ if looks else Effect.CHANGE, f"{name} {'looks' if looks else 'changes'}")
        return
    account.add(Effect.UNKNOWN, f"{name} is not in the table")


def _judge_shell(name: str, words: list[ShellWord], texts: list[str], account: _Account) -> None:
    """``sh -c TEXT`` is its text; a script file or a script from a pipe cannot be told; ``-n`` only checks."""
    place = 0
    while place < len(texts) and texts[place].startswith(("-", "+")) and len(texts[place]) > 1:
        text = texts[place]
        if text.startswith("--"):
            place += 2 if text in ("--rcfile", "--init-file") else 1
            continue
        if "n" in text[1:] and text[1:2] not in ("o", "O"):
            account.add(Effect.READ, f"{name} -n only checks")
            return
        if "c" in text[1:] and text.startswith("-") and place + 1 < len(words):
            _judge_literal(words[place + 1], account)
            return
        place += 2 if text[-1:] in ("o", "O") else 1
    account.add(Effect.UNKNOWN, f"{name} runs a script")


def _judge_eval(words: list[ShellWord], _texts: list[str], account: _Account) -> None:
    if any(word.dynamic for word in words):
        account.add(Effect.UNKNOWN, "what eval runs is known only when it runs")
    _judge_text(" ".join(word.text for word in words), account)


def _judge_source(_words: list[ShellWord], texts: list[str], account: _Account) -> None:
    if texts and _ACTIVATES.search(texts[0]):
        account.add(Effect.NOTHING, "an environment of this shell")
    else:
        account.add(Effect.UNKNOWN, "a script is run")


def _judge_trap(words: list[ShellWord], texts: list[str], account: _Account) -> None:
    if len(words) > 1 and texts[0] not in ("-", "", "-p", "-l"):
        _judge_literal(words[0], account)


def _judge_alias(_words: list[ShellWord], texts: list[str], account: _Account) -> None:
    account.aliases |= {text.partition("=")[0] for text in texts if "=" in text}


_BUILTINS = {"eval": _judge_eval, "source": _judge_source, ".": _judge_source, "trap": _judge_trap, "alias": _judge_alias}


def _judge_git(texts: list[str], account: _Account) -> None:
    effect, reason = git.judge(texts)
    account.add(effect, reason, git.files(texts))
    text = git.runs(texts)
    if text:
        _judge_text(text, account)


def _judge_python(words: list[ShellWord], texts: list[str], account: _Account) -> list[ShellWord] | None:
    """``python -m MODULE`` is the module where that is a tool of the table; other programs are read for what they write."""
    place = 0
    while place < len(texts) and texts[place].startswith("-") and len(texts[place]) > 1:
        text = texts[place]
        if text == "-m" or (len(text) > 2 and text[1] != "-" and text.endswith("m") and "c" not in text):
            return _judge_module(words[place + 1 :], account)
        if text.startswith("-c") or text[-1:] == "c":
            break
        place += 2 if text in ("-W", "-X") else 1
    read = READERS["python"](texts)
    account.add(read.effect, read.reason)
    if read.effect is Effect.UNKNOWN:
        _judge_given("python", texts, account)
    return None


def _judge_given(name: str, texts: list[str], account: _Account) -> None:
    """A program in a here-document, where it is the one that is run: a script that is named reads it as data."""
    is_sql = name not in ("python", "node", "ruby", "perl", "php")
    if (
        account.given
        and (is_sql or not [text for text in texts if text != "-"])
        and (found := given_writes(name, account.given))
    ):
        account.add(Effect.CHANGE, found)


def _judge_module(words: list[ShellWord], account: _Account) -> list[ShellWord] | None:
    module = words[0].text if words else ""
    name = module.replace("_", "-")
    texts = [word.text for word in words[1:]]
    if module in _MODULES_THAT_WRITE:
        account.add(Effect.READ if has(texts, "--help") else Effect.CHANGE, f"python -m {module} writes")
    elif module in _MODULES_THAT_READ:
        account.add(Effect.CHANGE if len(operands(texts)) > 1 else Effect.READ, f"python -m {module}")
    elif module in ("zipfile", "tarfile"):
        lists = has(texts, "-l", "--list", "-t", "--test")
        account.add(Effect.READ if lists else Effect.CHANGE, f"python -m {module}")
    elif name in TABLE and not name.startswith(("build", "serve")):
        return [ShellWord(name), *words[1:]]
    else:
        account.add(Effect.UNKNOWN, f"python -m {module} is not in the table")
    return None


def _judge_literal(word: ShellWord, account: _Account) -> None:
    if word.dynamic:
        account.add(Effect.UNKNOWN, "a text that is known only when it runs")
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
    if name in ("curl", "wget", "http", "https", "xh"):
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
