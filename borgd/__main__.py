"""``python -m borgd``: the same program as ``borg`` and ``borgd``."""

from borgd.cli import main

main()
