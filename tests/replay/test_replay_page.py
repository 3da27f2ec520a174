"""The page as a browser draws it: phone and desk, light and dark; no script, no network, nothing clipped or overlapping."""

from __future__ import annotations

import html
import json
import re
import shutil
import struct
import subprocess
import zlib
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import numpy as np
import pytest

from borgd.memory.belief import BeliefRule
from borgd.replay.asks import AskDay, ask_days
from borgd.replay.candidates import parse
from borgd.replay.engine import Replay
from borgd.replay.outcomes import Outcomes
from borgd.replay.page import plots
from borgd.replay.page.page import page
from borgd.replay.records import hash64
from borgd.replay.result import result
from borgd.replay.simulate import simulate

NOW = 1_900_000_000_000
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr",
)  # fmt: skip
PAPER = {"light": (0xFB, 0xFA, 0xF7), "dark": (0x14, 0x17, 0x1A)}
browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH; CI installs it")


def asks() -> list[AskDay]:
    return [AskDay(f"2026-01-{day:02}", day % 4, day * 5 % 7, 0, (0.5, 0.65, 0.8, 0.95)[day % 4]) for day in range(1, 29)]


@pytest.fixture(scope="module")
def text() -> str:
    """A page with every section, long ids and all."""
    known, lines = Outcomes(), []
    for each in simulate(500, 8, lessons=70):
        lines += [msgspec.json.encode(decision) for decision in each.decisions]
        known.add(msgspec.json.encode(outcome) for outcome in each.outcomes)
    named = [parse("a-candidate-with-a-rather-long-name-01", ["relative=0.7"]), parse("forgiving", ["belief.ignored=0.25"])]
    replay = Replay(named, ("changed", "not_corrected", "avoided"), known.seal(), NOW)
    replay.feed(replay.read(lines))
    return page(
        result(replay),
        title="What another policy would have done",
        period="2026-01-01 to 2026-01-17",
        timeline=replay.outcomes.beliefs(BeliefRule()),
        names={hash64(name): name for name in replay.lessons.names},
        ask_days=asks(),
        ceiling=3,
        hooks=[("claude-code UserPromptSubmit", 4.2, 9.1, 31.0), ("claude-code PreToolUse", 0.8, 2.0, 5.5)],
    )


class Reader(HTMLParser):
    """What a reader without eyes or script has of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.labels: list[str] = []
        self.links: list[str] = []
        self.sections: dict[str, dict[str, int]] = {}
        self.heading = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")]
        if tag == "svg":
            self.labels.append(found.get("aria-label") or "")
        if tag not in ("meta", "link", "br", "line", "circle", "rect", "path"):
            self.open.append(tag)
        if tag == "h2":
            self.heading = ""
        if tag in ("svg", "table") and self.heading:
            self.sections.setdefault(self.heading, {"svg": 0, "table": 0})[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("line", "circle", "rect", "path"):
            return
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "h2":
            self.heading += data


def test_it_is_one_file_that_reads_without_script_or_network(text: str) -> None:
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert reader.links == ["data:,"]
    assert not {"script", "iframe", "object", "img", "form"} & set(reader.tags)
    assert not re.search(r"url\(|@import|https?://|\son\w+=", text)


def test_every_plot_has_a_name_a_table_and_units(text: str) -> None:
    reader = Reader()
    reader.feed(text)
    assert len(reader.sections) >= 6
    assert all(count["table"] >= 1 for count in reader.sections.values())
    assert sum(count["svg"] for count in reader.sections.values()) >= 12
    assert all(len(label) > 10 for label in reader.labels)
    for unit in (
        "milliseconds",
        "per recall",
        "share of occasions",
        "asks",
        "logged p",
        "observed share",
        "belief’s mean",
        "week",
    ):
        assert unit in text


@pytest.mark.slow
@browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_draws_it(text: str, width: int, scheme: str, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    (tmp_path / "page.html").write_text(text)
    said = _chromium(tmp_path, f"--screenshot={picture}", f"--window-size={width},3000", scheme=scheme)
    assert "CONSOLE" not in said
    pixels = png(picture.read_bytes())
    assert pixels.shape[:2] == (3000, width)
    np.testing.assert_array_equal(pixels[2, 2, :3], PAPER[scheme])
    paper = np.all(pixels[:, :, :3] == PAPER[scheme], axis=2).mean()
    assert 0.02 < paper < 0.9, "neither blank nor painted over"
    assert len(np.unique(pixels[:, :, :3].reshape(-1, 3), axis=0)) > 50
    bright = pixels[:, :, :3].mean()
    assert bright > 180 if scheme == "light" else bright < 80


MEASURE = """
<script>
const out = {wide: document.documentElement.scrollWidth, clipped: [], crossed: [], plots: 0};
for (const svg of document.querySelectorAll('svg')) {
  const frame = svg.getBoundingClientRect();
  if (!frame.width) continue;
  out.plots++;
  const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect(), t]);
  for (const [words, box] of boxes)
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      out.clipped.push(words);
  for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
    const a = boxes[i][1], b = boxes[j][1];
    const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (x > 1 && y > 3)
      out.crossed.push([boxes[i][0], boxes[j][0]]);
  }
}
document.body.setAttribute('data-found', JSON.stringify(out));
</script>
"""


@pytest.mark.slow
@browser
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_clipped_and_no_labels_cross(text: str, width: int, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(text.replace("</body>", MEASURE + "</body>"))
    dom = _chromium(tmp_path, "--dump-dom", f"--window-size={width},3000", output=True)
    match = re.search(r'data-found="([^"]*)"', dom)
    assert match is not None
    found = json.loads(html.unescape(match[1]))
    assert found["plots"] >= 12
    assert found["clipped"] == []
    assert found["crossed"] == []
    assert found["wide"] <= max(width, 500), "no sideways scrolling"


def _chromium(directory: Path, *arguments: str, scheme: str = "light", output: bool = False) -> str:
    assert CHROMIUM is not None
    extra = ("--blink-settings=preferredColorScheme=0",) if scheme == "dark" else ()
    profile = f"--user-data-dir={directory / 'profile'}"
    done = subprocess.run(
        [CHROMIUM, *FLAGS, *extra, profile, *arguments, (directory / "page.html").as_uri()],
        capture_output=True, timeout=120, check=True, text=True, errors="replace",
    )  # fmt: skip
    return done.stdout if output else done.stderr


def png(data: bytes) -> np.ndarray:
    """Pixels of an 8-bit RGB or RGBA picture, shape (height, width, channels)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, packed, header = 8, b"", b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + size]
        header = body if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        place += size + 12
    width, height, depth, color = struct.unpack(">IIBB", header[:10])
    assert depth == 8
    channels = {2: 3, 6: 4}[color]
    rows = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + width * channels)
    before = np.zeros(width * channels, dtype=np.uint8)
    pixels = np.empty((height, width * channels), dtype=np.uint8)
    for number in range(height):
        line = rows[number, 1:].copy()
        method = rows[number, 0]
        if method == 2:
            line = line + before
        elif method == 1:
            line = np.cumsum(line.reshape(-1, channels), axis=0, dtype=np.uint8).ravel()
        elif method in (3, 4):
            line = _unfilter(line, before, channels, int(method))
        pixels[number] = before = line
    return pixels.reshape(height, width, channels)


def _unfilter(line: np.ndarray, before: np.ndarray, channels: int, method: int) -> np.ndarray:
    out, above = line.tolist(), before.tolist()
    for place in range(len(out)):
        left = out[place - channels] if place >= channels else 0
        up, corner = above[place], above[place - channels] if place >= channels else 0
        if method == 3:
            guess = (left + up) // 2
        else:
            ahead = left + up - corner
            guess = min((left, up, corner), key=lambda value: abs(ahead - value))
        out[place] = (out[place] + guess) & 255
    return np.array(out, dtype=np.uint8)


# The parts.


def test_ticks_are_round_and_inside() -> None:
    assert plots.ticks(0.0, 1.0, 4) == [0.0, 0.5, 1.0]
    assert plots.ticks(-0.13, 0.42, 6) == [-0.1, 0.0, 0.1, 0.2, 0.3, 0.4]
    assert plots.ticks(5.0, 5.0, 4) == [5.0]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1234.0, "1234"), (12345.0, "12k"), (0.25, "0.25"), (-0.4, "−0.4"), (0.0123, "0.012"), (3.0, "3")],
)
def test_numbers_for_axes(value: float, text: str) -> None:
    assert plots.short(value) == text


def test_names_are_cut_cleaned_and_escaped() -> None:
    assert plots.clean("<a&\x07\u202e>") == "&lt;a&amp;��&gt;"
    assert len(plots.clean("x" * 500)) == 60


def test_asks_are_counted_by_day_and_damage_is_passed_over() -> None:
    base = {"kind": "asked", "id": "1", "ms": 1_767_225_600_000, "outcome": "admit", "bar": "1/2"}
    lines = [
        base, {**base, "outcome": "defer", "bar": "0.65"}, {**base, "joined": "1"}, {**base, "kind": "settled"},
        {**base, "ms": 1_767_225_600_000 + 86_400_000, "outcome": "excluded", "bar": "1/0"}, {**base, "ms": -1},
        {**base, "rule": "attended"}, {**base, "rule": "counted"}, {**base, "lead": "1"},
        {**base, "rule": "attended", "lead": "1"},
    ]  # fmt: skip
    found = ask_days([*(json.dumps(line).encode() for line in lines), b"{", b"\xff", b""])
    assert found == [AskDay("2026-01-01", 1, 1, 0, 0.65, 2), AskDay("2026-01-02", 0, 0, 1, None)]


def test_a_page_of_nothing_is_a_page() -> None:
    empty = Replay([], ("changed", "not_corrected", "avoided"), Outcomes().seal(), NOW)
    text = page(result(empty), title="Nothing yet", period="no decision yet")
    Reader().feed(text)
    assert "Not enough data" in text
    assert "nan" not in text.casefold().replace("nano", "")
