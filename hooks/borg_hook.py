"""The hook client: carries one event from a coding agent to borgd and the answer back. Run it through ``borg-hook``.

Promises: exactly one JSON object on stdout and exit 0, always, within the event's deadline; ``{}`` on any failure, which
is one line in hook.log. Forwards stdin as it arrives and never waits for its end. Starts the daemon only at a session's
start and at a prompt, only where none listens, never after a refusal by a sandbox; a prompt waits for it in its deadline.
Must not parse JSON, and must not import anything but the five modules below: each further one doubles what a hook costs.
"""

import _socket
import posix  # not os, which runs its own modules and the abstract base classes: a fifth of what a bare interpreter costs
import select
import sys
import time

LONG_S = 1.0
"""host: a prompt or a Stop may wait this long, counted from the start of the process."""
SHORT_S = 0.25
"""host: a tool event may wait this long; an event with an unknown name is taken for one."""
STARTUP_S = 0.02
"""guard: what the interpreter has used before the first line of this file runs."""
LONG_EVENTS = frozenset((
    "SessionStart", "sessionStart", "session_start", "session.created",
    "UserPromptSubmit", "UserPromptExpansion", "BeforeAgent", "beforeSubmitPrompt", "userPromptSubmitted",
    "chat.message", "before_agent_start", "input",
    "Stop", "SubagentStop", "AfterAgent", "stop", "subagentStop", "agentStop", "session_stop", "session.idle", "agent_end",
))  # fmt: skip
START_EVENTS = frozenset(("SessionStart", "sessionStart", "session_start", "session.created"))
PROMPT_EVENTS = frozenset((
    "UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt", "userPromptSubmitted", "chat.message", "before_agent_start",
    "input",
))  # fmt: skip
HOST_S = 4.5
"""host: agents wait 5 s for a hook, so bytes that still come may prolong our deadline to here, counted from our start."""
CHUNK = 1 << 16
"""method: bytes per read, one full pipe."""
MAX_FORWARD = 1 << 28
"""guard: bytes of stdin that are sent; the daemon takes the middle out of what is too long."""
MAX_REPLY = 1 << 20
"""guard: no answer of the daemon is longer."""
DRAIN_S = 0.05
"""guard: after a failure stdin is emptied this long, so that the agent's own write does not fail."""
LOG_BYTES = 256 * 1024
"""guard: hook.log is set aside as hook.log.1 beyond this."""
LOG_TEXT = 300
"""guard: characters of one cause in hook.log."""
BACKOFF_S = 5.0
"""guard: seconds until a daemon that did not come up is started again, doubled each time; one that serves resets it."""
BACKOFFS = 8
"""guard: doublings, so that it is tried every 20 minutes at least."""
COMING_S = 3.0
"""design: a daemon that was started so short ago is on its way, and a prompt waits for it."""
MISSES = 3
"""guard: answers in a row that did not come, after which only one event in BREAK_S waits for one."""
BREAK_S = 10.0
"""guard: seconds between two such events."""
SOCKET_PATH_BYTES = 103 if sys.platform == "darwin" else 107
"""host: sun_path holds 104 or 108 bytes, one of them the closing NUL."""
SILENT = b"{}"
HOST_WORDS = {"claude-code": (("attended", "CLAUDE_CODE_SESSION_ATTENDED"), ("entry", "CLAUDE_CODE_ENTRYPOINT"))}
"""host: what an agent's host says of the session in a hook's environment, by agent: a word of the header, the variable."""
WORD_CHARS = 32
"""guard: a longer value is none of the host's words."""
REFUSED = b"a header is "
"""method: how a daemon begins to answer that is older than such words."""
INSIDE = "BORGD_INSIDE"
"""method: in the environment of an agent that borgd itself started: its hooks are no one's work."""
OFF = "BORGD_OFF"
"""design: in the environment of whoever wants nothing of borgd; 0 and nothing do not count."""
TELLS = {
    "claude-code": ("systemMessage", "SessionStart"),
    "codex": ("systemMessage", "SessionStart"),
    "gemini": ("systemMessage", "SessionStart"),
}
"""host: the key of a line for the person, by agent, and the event at which it is shown."""
WRONG = {
    "ENOENT": "no daemon runs and none came up",
    "ECONNREFUSED": "the daemon died and none came up",
    "EPERM": "a sandbox forbids the connection to its socket",
    "EACCES": "its socket may not be opened",
    "timeout": "the daemon does not answer",
    "breaker": "the daemon does not answer",
    "closed": "the daemon broke off",
    "garbage": "what answers on its socket is not borgd",
    "version": "daemon and hook are of different versions",
    "uid": "its socket belongs to another user",
}
"""What a person is told at a session's start, by cause; others say nothing."""
Socket = _socket.socket
FILE_NAMES = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
"""host: how names of files and variables are text."""


class Failure(Exception):  # noqa: N818 (most of them are not errors: no daemon is a normal state)
    """No answer: ``cause`` is the first word in hook.log, ``absent`` says that no daemon listens."""

    def __init__(self, cause: str, text: str, absent: bool = False) -> None:
        self.cause, self.text, self.absent = cause, text, absent


def exists(path: str) -> bool:
    """Whether there is anything at ``path``, a link that leads nowhere included."""
    try:
        posix.lstat(path)
    except OSError:
        return False
    return True


def make_directory(path: str) -> None:
    """The directory ``path`` and those above it, where they are missing; nobody else may look into them."""
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except FileNotFoundError:
        above = path.rpartition("/")[0]
        if not above:
            raise
        make_directory(above)
        make_directory(path)


def is_private(path: str, uid: int) -> bool:
    try:
        info = posix.lstat(path)
    except OSError:
        return False
    return info.st_mode & 0o177777 == 0o040700 and info.st_uid == uid


def state_home(env: "dict[str, str]") -> str:
    state = env.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        state = env.get("HOME", "/").rstrip("/") + "/.local/state"
    return state.rstrip("/") + "/borgd"


def own_state(env: "dict[str, str]") -> str:
    """The state directory, made where it is missing.

    :raises OSError: it is a link, or somebody else's, or would be in whatever directory the agent works in.
    """
    directory = state_home(env)
    if directory[:1] != "/":
        raise NotADirectoryError(directory)
    make_directory(directory)
    info = posix.lstat(directory)
    if info.st_mode & 0o170000 != 0o040000 or info.st_uid != posix.getuid():
        raise NotADirectoryError(directory)
    return directory


def socket_path(env: "dict[str, str]", uid: int) -> str:
    """As borgd.protocol.address.socket_path: a test compares the two."""
    runtime = env.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and is_private(runtime, uid):
        path = runtime.rstrip("/") + "/borgd/borgd.sock"
    else:
        path = state_home(env) + "/run/borgd.sock"
    data = path.encode(*FILE_NAMES)
    if len(data) <= SOCKET_PATH_BYTES:
        return path
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"/tmp/borgd-{uid}-{value:016x}/borgd.sock"


def peer_uid(sock: Socket) -> "int | None":
    """The uid at the other end as the kernel knows it, or None where the platform does not say."""
    if hasattr(_socket, "SO_PEERCRED"):
        return int.from_bytes(sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)[4:8], sys.byteorder)
    if sys.platform == "darwin":
        return int.from_bytes(sock.getsockopt(0, 1, 76)[4:8], sys.byteorder)  # SOL_LOCAL, LOCAL_PEERCRED: xucred.cr_uid
    return None


def connect(path: str, deadline: float) -> Socket:
    """A non-blocking socket connected to ``path``; a full backlog is waited for until the deadline."""
    try:
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        sock.setblocking(False)
        while True:
            try:
                sock.connect(path)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise Failure("timeout", "the daemon accepts no connection: " + path) from None
                time.sleep(0.002)
        uid = peer_uid(sock)
    except PermissionError as error:
        raise Failure("EPERM" if error.errno == 1 else "EACCES", "not allowed to connect to " + path) from None
    except FileNotFoundError:
        raise Failure("ENOENT", "no daemon: no socket at " + path, True) from None
    except ConnectionRefusedError:
        raise Failure("ECONNREFUSED", "no daemon listens at " + path, True) from None
    if uid is not None and uid != posix.getuid():
        raise Failure("uid", f"the socket {path} is served by uid {uid}")
    return sock


def connect_any(env: "dict[str, str]", deadline: float) -> Socket:
    """The daemon of this environment, or of the same state directory started where there was no runtime directory."""
    uid = posix.getuid()
    path = socket_path(env, uid)
    try:
        return connect(path, deadline)
    except Failure as failure:
        other = socket_path({**env, "XDG_RUNTIME_DIR": ""}, uid)
        if not failure.absent or other == path:
            raise
        try:
            return connect(other, deadline)
        except Failure:
            raise failure from None


def parse(reply: bytes) -> "tuple[bytes, bytes] | None":
    """(out, err) of a whole reply, None while it is still incomplete."""
    head, newline, rest = reply.partition(b"\n")
    words = head.split(b" ")
    if not b"borg/1 ".startswith(head[:7]):
        if head.startswith(b"borg/"):
            raise Failure("version", "the daemon speaks another protocol version; restart it (borg stop, borg start)")
        raise Failure("garbage", "what answers on the socket is not borgd")
    if not newline:
        if len(head) > 64:
            raise Failure("garbage", "the reply has no status line")
        return None
    if len(words) != 4 or not all(word.isdigit() and len(word) < 9 for word in words[1:]):
        raise Failure("garbage", "the reply has a damaged status line")
    out, err = int(words[2]), int(words[3])
    if out + err > MAX_REPLY or len(rest) > out + err:
        raise Failure("garbage", "the reply is longer than it may be")
    return None if len(rest) < out + err else (rest[:out], rest[out:])


def host_words(agent: str, env: "dict[str, str]") -> str:
    """What the agent's host says of the session, as words for the header, each with a space before it."""
    words = ""
    for word, variable in HOST_WORDS.get(agent, ()):
        value = env.get(variable, "")
        if value.isascii() and len(value) <= WORD_CHARS and value.translate({45: "a", 46: "a", 95: "a"}).isalnum():
            words += f" {word}.{value}"
    return words


def exchange(
    sock: Socket, header: bytes, read: bool, deadline: float, latest: float, held: bytearray
) -> "tuple[bytes, bytes]":
    """Send ``header``, ``held`` and stdin as it comes (where ``read``), and return (out, err) once the reply is whole.

    Each piece of stdin puts the deadline off by as much as there was at first, up to ``latest``. ``held`` gains what is
    read: what a daemon refuses can be said to it again in other words.
    """
    unsent, reply, sent, writable, watching = header + held, b"", 0, True, False
    patience, came = deadline - time.monotonic(), bool(held) or not read
    poll = select.poll()
    if read:
        poll.register(0, select.POLLIN)
        if poll.poll(0):  # what has already come travels with the header: the daemon wakes once
            chunk = posix.read(0, CHUNK)
            held += chunk
            unsent += chunk
            read, came = bool(chunk), came or bool(chunk)
            if not came:
                raise Failure("empty", "the agent sent nothing on standard input")
        poll.unregister(0)
    poll.register(sock, select.POLLIN)
    while True:
        try:
            while unsent:
                count = sock.send(unsent)
                sent += count
                unsent = unsent[count:]
            if writable and not read:
                writable = False
                sock.shutdown(_socket.SHUT_WR)
        except BlockingIOError:
            pass
        except OSError:  # closed by the daemon: its answer may be there already
            unsent, writable = b"", False
        poll.modify(sock, select.POLLIN | select.POLLOUT if unsent else select.POLLIN)
        wanted = read and writable and not unsent and sent < MAX_FORWARD
        if wanted is not watching:
            watching = wanted
            if watching:
                poll.register(0, select.POLLIN)
            else:
                poll.unregister(0)
        left = deadline - time.monotonic()
        ready = dict(poll.poll(left * 1000)) if left > 0 else None
        if not ready:
            raise Failure("timeout", "the daemon did not answer in time")
        if ready.get(sock.fileno(), 0) & ~select.POLLOUT:
            try:
                chunk = sock.recv(CHUNK)
            except OSError:  # reset: it closed without reading all
                chunk = b""
            if not chunk:
                raise Failure("closed", "the daemon closed the connection without a whole answer")
            reply += chunk
            answer = parse(reply)
            if answer:
                return answer
        if ready.get(0):
            chunk = posix.read(0, CHUNK)
            held += chunk
            unsent += chunk
            read = bool(chunk)
            if read:
                came, deadline = True, max(deadline, min(latest, time.monotonic() + patience))
            elif not came:
                raise Failure("empty", "the agent sent nothing on standard input")


def write_out(data: bytes, deadline: float) -> None:
    """``data`` on stdout, in pieces that a pipe takes whole, so that a reader who sleeps cannot hold us."""
    poll = select.poll()
    poll.register(1, select.POLLOUT)
    while data:
        if not poll.poll(max(0, deadline - time.monotonic()) * 1000):
            return
        data = data[posix.write(1, data[:4096]) :]


def log(env: "dict[str, str]", agent: str, event: str, cause: str, text: str) -> None:
    """One line in hook.log; a log that cannot be written is not worth failing for."""
    try:
        path = own_state(env) + "/hook.log"
        flags = posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC | posix.O_NONBLOCK
        file = posix.open(path, flags, 0o600)
        if posix.fstat(file).st_size > LOG_BYTES:
            posix.rename(path, path + ".1")
            posix.close(file)
            file = posix.open(path, flags, 0o600)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        words = " ".join((stamp, agent[:64], event[:64], cause, text[:LOG_TEXT]))
        posix.write(file, "".join(c if c.isprintable() else " " for c in words).encode() + b"\n")
        posix.close(file)
    except OSError:
        pass


def launch_command(env: "dict[str, str]") -> "list[bytes] | None":
    """The daemon's command line as the installer wrote it, one argument a line; None where it is not ours alone to write."""
    data = env.get("XDG_DATA_HOME", "")
    if not data.startswith("/"):
        data = env.get("HOME", "/").rstrip("/") + "/.local/share"
    try:
        file = posix.open(
            data.rstrip("/") + "/borgd/launch", posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_CLOEXEC | posix.O_NONBLOCK
        )
    except OSError:
        return None
    info = posix.fstat(file)
    content = posix.read(file, 1 << 14) if info.st_mode & 0o170022 == 0o100000 and info.st_uid == posix.getuid() else b""
    posix.close(file)
    command = [line for line in content.split(b"\n") if line]
    return command if command and command[0].startswith(b"/") else None


def may_start(env: "dict[str, str]") -> "bool | None":
    """True at most once in a while: the marker is a file with a byte an attempt, made anew by whoever may start.

    A daemon that serves removes it. None: not now, but one was started a moment ago. ``borg stop --stay`` forbids it.
    """
    try:
        directory = own_state(env)
        marker, tries = directory + "/hook.start", 0
        if exists(directory + "/stay"):
            return False
        try:
            info = posix.lstat(marker)
            age, tries = time.time() - info.st_mtime, min(info.st_size, BACKOFFS)
            if 0 <= age < BACKOFF_S * 2 ** (tries - 1):
                return None if age < COMING_S else False
            posix.unlink(marker)
        except FileNotFoundError:
            pass
        file = posix.open(marker, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600)
        posix.write(file, b"." * (tries + 1))
        posix.close(file)
    except FileExistsError:
        return None
    except OSError:
        return False
    return True


def start_daemon(env: "dict[str, str]") -> bool:
    """Start the daemon in a session of its own, with nothing of ours open; whether one is on its way."""
    command = launch_command(env)
    allowed = may_start(env) if command else False
    if not command or not allowed:
        return allowed is None
    child = posix.fork()
    if child:
        posix.waitpid(child, 0)
        return True
    try:
        posix.setsid()
        if posix.fork():
            posix._exit(0)
        null = posix.open("/dev/null", posix.O_RDWR)
        for number in (0, 1, 2):
            posix.dup2(null, number)
        posix.closerange(3, 1 << 16)
        posix.chdir("/")
        posix.execve(command[0], command, env)
    finally:
        posix._exit(127)


def drain(deadline: float) -> None:
    """Empty stdin, for a little while at most."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while time.monotonic() < deadline and poll.poll(max(0, deadline - time.monotonic()) * 1000):
        if not posix.read(0, CHUNK):
            return


def broken(env: "dict[str, str]") -> "tuple[str, bool]":
    """(the file that counts missed answers, whether this event is not to wait for one)."""
    path = state_home(env) + "/hook.missed"
    try:
        info = posix.lstat(path)
    except OSError:
        return path, False
    if info.st_size < MISSES or not 0 <= time.time() - info.st_mtime < BREAK_S:
        try:
            posix.utime(path)  # this event tries; those that come meanwhile do not
        except OSError:
            pass
        return path, False
    return path, True


def missed(path: str, failure: "Failure | None") -> None:
    """Count an answer that did not come in time; one that came ends the count."""
    try:
        if failure is None:
            posix.unlink(path)
        elif failure.cause == "timeout" and not exists(path[: -len("missed")] + "start"):  # else it is still starting
            file = posix.open(
                path, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600
            )
            if posix.fstat(file).st_size < MISSES:
                posix.write(file, b".")
            posix.close(file)
    except OSError:
        pass


def reach(env: "dict[str, str]", event: str, deadline: float) -> Socket:
    """A connection to the daemon; one that is gone is started, and a prompt waits for it."""
    try:
        return connect_any(env, deadline)
    except Failure as failure:
        if not failure.absent or event not in PROMPT_EVENTS or not start_daemon(env):
            raise
        while time.monotonic() < deadline:
            time.sleep(0.01)
            try:
                return connect_any(env, deadline)
            except Failure as again:
                if not again.absent:
                    raise
        raise


def ask(agent: str, event: str, env: "dict[str, str]", read: bool, deadline: float) -> "tuple[bytes, Failure | None]":
    """(one JSON object, what went wrong or None) for one event."""
    counter = None
    try:
        words = agent + event
        if not agent or not event or not words.isascii() or not words.translate({45: "a", 46: "a", 95: "a"}).isalnum():
            raise Failure("usage", "AGENT and EVENT are words of letters, digits, dot, dash and underscore")
        counter, silent = broken(env)
        if silent:
            raise Failure("breaker", "")
        latest = deadline + HOST_S - LONG_S
        said, held = host_words(agent, env), bytearray()
        for known in (said, "") if said else ("",):
            header = f"borg/1 hook {agent} {event}{known}\n".encode()
            out, err = exchange(reach(env, event, deadline), header, read, deadline, latest, held)
            if not known or not err.startswith(REFUSED):
                break
        if exists(counter):
            missed(counter, None)
        text = out.strip()
        if text[:1] != b"{" or text[-1:] != b"}":
            raise Failure("garbage", "the daemon's answer is not one JSON object")
        return text, Failure("daemon", err.decode("utf-8", "replace").split("\n", 1)[0]) if err else None
    except Failure as failure:
        if counter and failure.cause == "timeout":
            missed(counter, failure)
        return SILENT, failure
    except BaseException as error:
        return SILENT, Failure("error", f"{type(error).__name__}: {error}")


def told(env: "dict[str, str]", agent: str, event: str, failure: Failure) -> bytes:
    """What a person is told at a session's start about ``failure``; nothing where no agent shows it or it is meant so."""
    key, when = TELLS.get(agent, ("", ""))
    wrong = WRONG.get(failure.cause)
    if event != when or not wrong or exists(state_home(env) + "/stay"):
        return SILENT
    return f'{{"{key}":"borgd: {wrong}, so lessons and limits are off here. borg doctor says what to do."}}'.encode()


def main() -> None:
    """The whole life of the process; never returns."""
    start = time.monotonic()
    for number in (0, 1, 2):
        try:
            posix.fstat(number)
        except OSError:
            posix.open("/dev/null", posix.O_RDWR)  # else a socket of ours would become the agent's stdin or stdout
    posix.umask(0o077)
    env = {name.decode(*FILE_NAMES): value.decode(*FILE_NAMES) for name, value in posix.environ.items()}
    agent, event = [*sys.argv[1:], "", ""][:2]
    deadline = start + (LONG_S if event in LONG_EVENTS else SHORT_S) - STARTUP_S
    read = not posix.isatty(0)
    off = INSIDE in env or env.get(OFF, "0") not in ("", "0")
    out, failure = (SILENT, None) if off else ask(agent, event, env, read, deadline)
    try:
        if failure and event in START_EVENTS and not (failure.absent and start_daemon(env)):
            out = told(env, agent, event, failure)
        try:
            write_out(out + b"\n", max(deadline, time.monotonic() + DRAIN_S))
        except OSError as error:
            failure = failure or Failure("stdout", f"the answer could not be handed over: {error}")
        if failure and failure.cause != "breaker":
            log(env, agent, event, failure.cause, failure.text)
        if failure and read:
            drain(min(time.monotonic() + DRAIN_S, deadline))
    finally:
        posix._exit(0)
