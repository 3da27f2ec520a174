"""A page laid out by Chromium: the boxes of what is on it, at a width, in a colour scheme. None where no Chromium is."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MEASURE = """
const d = document.getElementById('f').contentDocument, w = document.getElementById('f').contentWindow;
const seen = e => e.getClientRects().length > 0 && w.getComputedStyle(e).visibility !== 'hidden';
const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
const svgs = [...d.querySelectorAll('svg')].filter(seen).map(s => ({box: box(s), label: s.getAttribute('aria-label'),
  texts: [...s.querySelectorAll('text')].map(t => ({box: box(t), text: t.textContent})),
  marks: [...s.querySelectorAll('line,circle,path,rect')].map(box)}));
const blocks = [...d.querySelectorAll('main > *, .card')].filter(seen).map(e => ({box: box(e), card: e.className === 'card',
  name: e.tagName + ' ' + e.textContent.slice(0, 40)}));
const wide = [...d.querySelectorAll('main *')].filter(seen).filter(e => !e.closest('.scroll') && !e.closest('svg'))
  .filter(e => e.getBoundingClientRect().right > w.innerWidth + 0.5 || e.getBoundingClientRect().left < -0.5)
  .map(e => e.tagName + ' ' + e.textContent.slice(0, 40));
document.title = JSON.stringify({width: d.documentElement.scrollWidth, inner: w.innerWidth, svgs, blocks, wide});
"""


def browser() -> str | None:
    """The Chromium of this machine."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def framed(page: str, width: int, *, dark: bool, opened: bool, script: str = "") -> str:
    """The page in a frame of ``width``, dark or light whatever the browser's own setting, its tables opened or not."""
    page = page.replace("(prefers-color-scheme: dark)", "all" if dark else "not all")
    page = page.replace("<details>", "<details open>") if opened else page
    frame = (
        f'<iframe id="f" style="border:0;width:{width}px;height:9000px" srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )
    run = f"<script>document.getElementById('f').onload = () => {{ {script} }};</script>" if script else ""
    return f'<!doctype html><meta charset="utf-8"><body style="margin:0">{frame}{run}</body>'


def measured(page: str, width: int, directory: Path, *, dark: bool = False, opened: bool = False) -> dict[str, Any]:
    """Boxes (left, top, right, bottom) in pixels of everything that shows."""
    command = browser()
    assert command is not None
    file = directory / "framed.html"
    file.write_text(framed(page, width, dark=dark, opened=opened, script=MEASURE), encoding="utf-8")
    done = subprocess.run(
        [command, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,9000", f"--user-data-dir={directory}/p",
         "--virtual-time-budget=3000", "--dump-dom", file.as_uri()],
        capture_output=True, timeout=240, check=True,
    )  # fmt: skip
    title = re.search(r"<title>(.*?)</title>", done.stdout.decode(), re.S)
    assert title is not None, done.stderr.decode()[-500:]
    found: dict[str, Any] = json.loads(html.unescape(title[1]))
    return found
