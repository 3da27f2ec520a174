"""Archives and packers whose verbs and options decide; ``tar`` is read in ``programs.py``. Data."""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Tool, changes, looks

_PACKER = changes(looks="-c --stdout --to-stdout -l --list -t --test --info-raw -lv", values="-S --suffix -T --threads -o")
_SEVEN = Tool(
    look="l t i b h", change="a d e x u rn", looks="-so", long_with_one_dash=True, ignores="--check --diff --list --dry-run"
)
_RAR = Tool(look="l lb lt la v vb vt vta t p", change="a c d e f k m r rc rn rr rv s u x ch cw")

TOOLS: Mapping[str, Tool] = {
    **dict.fromkeys(
        (
            "gzip",
            "gunzip",
            "pigz",
            "unpigz",
            "bzip2",
            "bunzip2",
            "pbzip2",
            "xz",
            "unxz",
            "lzma",
            "unlzma",
            "zstd",
            "unzstd",
            "lz4",
            "unlz4",
            "brotli",
            "compress",
            "uncompress",
            "lzop",
            "pixz",
            "pxz",
        ),
        _PACKER,
    ),
    "lz4": changes(looks="-c --stdout --list -t --test"),
    "brotli": changes(looks="-c --stdout -t --test", values="-o -q -w -S"),
    "zip": changes(looks="-sf --show-files -T", long_with_one_dash=True),
    "unzip": changes(looks="-l -p -t -v -Z -c", values="-d -x -P"),
    "zipinfo": looks(),
    "zipgrep": looks(),
    "lsar": looks(),
    "unar": changes(),
    "xzgrep": looks(),
    "bzgrep": looks(),
    "zstdgrep": looks(),
    "zstdless": looks(),
    "xzless": looks(),
    "bzless": looks(),
    **dict.fromkeys(("7z", "7za", "7zr", "7zz"), _SEVEN),
    "rar": _RAR,
    "unrar": _RAR,
    "ar": Tool(look="t tv p pv", change="r rc rcs rs cr crs d x q qc m s", long_with_one_dash=True),
    "cpio": changes(looks="-t --list -it -tv -itv -o -ov --create", long_with_one_dash=True),
    "unsquashfs": changes(looks="-l -ll -s -stat -cat", long_with_one_dash=True),
    "mksquashfs": changes(),
    "isoinfo": looks(),
    "xorriso": Tool(),
    "genisoimage": changes(),
    "cabextract": changes(looks="-l --list -t --test"),
    "dpkg-source": changes(),
    "rpm2cpio": looks(),
    "atool": changes(looks="-l --list -c --cat"),
    "als": looks(),
    "apack": changes(),
    "aunpack": changes(),
    "asar": Tool(look="list l ls", change="pack extract e x p extract-file ef"),
}
