"""Imports every module that serving may need, before the daemon says that it is ready.

A module that is missing is then named at the start and not at the first event that needs it, and a shortage of
descriptors later keeps nothing from being loaded. A test holds the list against what the code imports inside functions.
"""

from __future__ import annotations

import importlib
import pkgutil

MODULES = (
    "anyio._backends._asyncio",
    "asyncio.subprocess",
    "encodings.idna",
    "encodings.utf_16_le",
    "importlib.readers",
    "importlib.resources",
    "logging",
    "msgspec",
    "watchfiles",
    "zoneinfo",
    "borgd.server.service",
    "borgd.server.assembly",
    "borgd.server.calls",
    "borgd.journal.commit",
    "borgd.recall.render",
    "borgd.recall.text.bm25",
)
PACKAGES = ("borgd.lessons.corrections",)
"""Packages whose modules are chosen by name while serving."""


def preload() -> None:
    """Import them all.

    :raises ImportError: one is missing or broken.
    """
    for name in MODULES:
        importlib.import_module(name)
    for package in PACKAGES:
        for found in pkgutil.iter_modules(importlib.import_module(package).__path__, package + "."):
            importlib.import_module(found.name)
