"""Requests and answers through a real daemon process: what is whole, what is malformed, what crashes behind the socket."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from borgd import __version__
from borgd.protocol import frames as wire
from borgd.server.server import MAX_CONNECTIONS
from tests.server.processes import Home, wait_for


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("served"))
    with home.daemon():
        yield home


LEAK_KB = 512
"""A thousand connections may not leave half a kilobyte each behind, once the allocator has what it once needed at worst."""
HOOK = b"borg/1 hook claude-code Stop\n"


def echoed(answer: wire.ReplyFrame) -> int:
    assert answer.status == 0, answer.err
    said = json.loads(answer.out)
    assert said["agent"] == "claude-code"
    return int(said["length"])


@pytest.mark.parametrize("close", [True, False])
@pytest.mark.parametrize(
    ("body", "length"),
    [
        (b'{"a":1}', 7),
        (b'\xef\xbb\xbf{"a":1}', 7),
        (b'\r\n \t{"a":1}\r\n', 7),
        (b'{"a":1}{"b":2}', 7),
        (b'{"a":"}\\""}', 11),
        (b'{"a":1}garbage \xff\x00', 7),
    ],
)
def test_a_whole_object_is_answered_whether_or_not_the_stream_ends(
    served: Home, body: bytes, length: int, close: bool
) -> None:
    assert echoed(served.ask(HOOK + body, close=close)) == length


def test_a_slow_writer_is_waited_for_byte_by_byte(served: Home) -> None:
    with served.connect() as sock:
        for byte in HOOK + b'{"a": "\xc3\xa4\\""}':
            sock.sendall(bytes([byte]))
        assert echoed(wire.unpack(b"".join(iter(lambda: sock.recv(999), b"")))) == len(b'{"a": "\xc3\xa4\\""}')


@pytest.mark.parametrize("body", [b"", b" \r\n\r\n", b"\xef\xbb\xbf"])
def test_an_empty_body_says_nothing(served: Home, body: bytes) -> None:
    assert served.ask(HOOK + body) == wire.ReplyFrame(0, b"{}", b"")


@pytest.mark.parametrize(
    ("request_bytes", "reason"),
    [
        (b"", b"header"),
        (b"\n", b"header"),
        (b"GET / HTTP/1.1\r\n\r\n", b"header"),
        (b"\xff\xfe{\x00}\x00\n", b"header"),
        (b"x" * 600, b"header"),
        (b"x" * 600 + b"\n{}", b"header"),
        (b"borg/2 hook claude-code Stop\n{}", b"borg/2"),
        (b"borg/1 hook claude-code\n{}", b"borg/1 hook <agent> <event>"),
        (b"borg/1 hook ../../x Stop\n{}", b"borg/1 hook <agent> <event>"),
        (b"borg/1 shout loud\n{}", b"borg/1 hook <agent> <event>"),
        (HOOK + b'{"a":', b"ended before"),
        (HOOK + b"[]", b"does not start with {"),
        (HOOK + b"12", b"does not start with {"),
        (HOOK + b"}", b"does not start with {"),
        (HOOK + b"hello", b"does not start with {"),
        (HOOK + b"\xff\xfe{\x00", b"does not start with {"),
        (HOOK + b'{"a":[' + b'"x",' * (wire.MAX_REQUEST // 4) + b'""]}', b"larger than 1048576 bytes"),
        (HOOK + b"{" * wire.MAX_REQUEST, b"larger than 1048576 bytes"),
    ],
)
def test_a_bad_request_gets_an_empty_object_and_the_reason(served: Home, request_bytes: bytes, reason: bytes) -> None:
    answer = served.ask(request_bytes)
    assert (answer.status, answer.out) == (1, b"{}")
    assert reason in answer.err


def test_the_largest_request_is_served_whole_and_a_larger_one_without_the_middle_of_its_long_strings(served: Home) -> None:
    room = wire.MAX_REQUEST - len(HOOK) - len(b'{"a":""}')
    assert echoed(served.ask(HOOK + b'{"a":"' + b"x" * room + b'"}')) == wire.MAX_REQUEST - len(HOOK)
    assert 1 << 16 <= echoed(served.ask(HOOK + b'{"a":"' + b"x" * (room + 1) + b'"}')) < 1 << 17


def test_a_crash_behind_the_socket_is_told_once_and_the_daemon_stays(served: Home) -> None:
    for _ in range(5):
        answer = served.ask(b'borg/1 hook claude-code crash\n{"prompt":"the canary 4711"}')
        assert (answer.status, answer.out) == (3, b"{}")
        first, rest = answer.err.decode().split("\n", 1)
        assert "crash" in first
        assert "ValueError" in first
        assert "4711" not in first
        assert "Traceback" in rest
    assert served.answers()
    assert served.daemon_log.count("hook claude-code other crashed") == 1
    assert "4711" not in served.daemon_log
    answer = served.ask(b"borg/1 call crash\n")
    assert (answer.status, answer.out) == (3, b"")
    assert b"KeyError" in answer.err


def test_an_answer_of_ours_that_is_no_object_never_gets_out(served: Home) -> None:
    answer = served.ask(b"borg/1 hook claude-code garbage\n{}")
    assert (answer.status, answer.out) == (3, b"{}")
    assert b"not a JSON object" in answer.err


@pytest.mark.parametrize(("body", "length"), [(b"", 0), (b'{"a":1}', 7), (b"[1,2]", 5), (b" 12 ", 3), (b"{", 1)])
def test_a_call_takes_its_body_until_the_stream_ends(served: Home, body: bytes, length: int) -> None:
    answer = served.ask(b"borg/1 call echo\n" + body)
    assert json.loads(answer.out) == {"method": "echo", "length": length}


def test_a_call_with_a_whole_value_need_not_end_its_stream(served: Home) -> None:
    assert json.loads(served.ask(b"borg/1 call echo\n[1]", close=False).out)["length"] == 3


def test_ping_and_status_say_who_answers(served: Home) -> None:
    ping = json.loads(served.ask(b"borg/1 call ping\n").out)
    assert ping["version"] == __version__
    served.ask(HOOK + b"{}")
    status = json.loads(served.ask(b"borg/1 call status\n").out)
    assert status["pid"] == ping["pid"]
    assert status["socket"] == str(served.socket)
    assert status["service"] == {"echo": True}
    assert status["hooks"]["claude-code Stop"]["count"] >= 1
    assert status["hooks"]["claude-code Stop"]["p50_ms"] <= status["hooks"]["claude-code Stop"]["max_ms"]
    assert served.ask(b"borg/1 call status\n[]").status == 1


def test_only_known_words_are_counted_logged_and_shown(served: Home) -> None:
    for agent, event in (
        ("claude-code", "AKIAQ3EGRTYU7890ASDF"),
        ("AKIAQ3EGRTYU7890ASDF", "Stop"),
        ("claude-code", "crash"),
    ):
        served.ask(f"borg/1 hook {agent} {event}\n{{}}".encode())
    status = served.ask(b"borg/1 call status\n").out.decode()
    assert set(json.loads(status)["hooks"]) <= {"claude-code Stop", "claude-code other", "other"}
    assert "AKIA" not in status + served.daemon_log


def test_a_slow_request_does_not_hold_up_another(served: Home) -> None:
    order: list[str] = []

    def slow() -> None:
        served.ask(b"borg/1 hook claude-code slow\n{}")
        order.append("slow")

    thread = threading.Thread(target=slow)
    thread.start()
    wait_for(lambda: json.loads(served.ask(b"borg/1 call status\n").out)["in_flight"] == 2)
    served.ask(HOOK + b"{}")
    order.append("quick")
    (served.state / "answer").touch()
    thread.join()
    assert order == ["quick", "slow"]


def test_one_connection_too_many_is_told_so_and_the_rest_is_served(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.daemon():
        held = [home.connect() for _ in range(MAX_CONNECTIONS)]
        wait_for(lambda: b"busy" in home.ask(b"").err)
        held.pop().close()
        wait_for(home.answers)
        for sock in held:
            sock.sendall(HOOK + b"{}")
            assert sock.recv(100).startswith(b"borg/1 0 ")
            sock.close()


def test_running_out_of_descriptors_is_told_once_and_passes(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.daemon() as process:
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (32, 32))
        held = [home.connect() for _ in range(100)]
        wait_for(lambda: "cannot accept" in home.daemon_log)
        for sock in held:
            sock.close()
        wait_for(home.answers)
        assert home.daemon_log.count("cannot accept") <= 2


def count_fds(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def rss_kb(pid: int) -> int:
    return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(pid)]))


@pytest.mark.slow
@pytest.mark.parametrize("sent", [b"", b"borg/1 ho", HOOK + b'{"a":', HOOK + b"{}", HOOK + b"{" * 200_000])
def test_a_thousand_connections_cut_off_leave_nothing_behind(tmp_path: Path, sent: bytes) -> None:
    home = Home(tmp_path)

    def cut_off(times: int) -> None:
        for _ in range(times):
            with home.connect() as sock:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                sock.setblocking(False)
                with suppress(BlockingIOError):
                    sock.send(sent)
        wait_for(lambda: json.loads(home.ask(b"borg/1 call status\n").out)["connections"]["open"] == 1)

    with home.daemon() as process:
        cut_off(1000)
        fds, rss = count_fds(process.pid), [rss_kb(process.pid)]
        while len(rss) < 8 and (len(rss) < 2 or rss[-1] - rss[-2] >= LEAK_KB):
            cut_off(1000)
            assert count_fds(process.pid) == fds
            rss.append(rss_kb(process.pid))
        assert rss[-1] - rss[-2] < LEAK_KB, rss
        assert "crash" not in home.daemon_log
