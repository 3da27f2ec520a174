"""``python -m borgd``: the same program as ``borg``, for those who know the interpreter and not the script."""

from borgd.cli import main

main()
