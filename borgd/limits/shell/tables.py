"""Commands whose name alone says what they do, and the readers whose operands are files they show. Data; pure.

A command in no table here or in ``shell_commands`` is unknown; nothing is guessed from its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum


class Effect(IntEnum):
    """What a call does, from harmless to not; a line does the worst of what is in it."""

    NOTHING = 0
    """Neither looks anything up nor changes anything (cd, echo, true)."""
    READ = 1
    UNKNOWN = 2
    CHANGE = 3


def words(text: str) -> frozenset[str]:
    """The words of ``text``, as a table is easiest to read and to add to."""
    return frozenset(text.split())


NOTHING = words(
    """
    : [ [[ alias bg bind break builtin cal cd clear continue declare dirs disown echo exit export expr false fg
    getopts hash history jobs let local popd printf pushd read readonly return seq set shift shopt sleep test
    times true type typeset ulimit umask unalias unset wait which whereis yes help man tput reset dirname
    basename
    """
)
"""Session-local or silent."""

READ = words(
    """
    ack ag arch b2sum base32 base64 bc cat cksum cloc cmp colordiff column comm cut df diff diff3 du egrep exa
    eza fgrep file fold free getconf getent grep groups head hexdump hostid id iostat join jq last ldd less
    locate look ls lsblk lscpu lsof lspci lsusb md5sum mediainfo more nl nm nproc ntpq numfmt objdump od paste
    pgrep pr printenv ps pstree pwd readelf readlink realpath rev rg sdiff sha1sum sha224sum sha256sum sha384sum
    sha512sum shasum size stat strings sum tac tail tokei top tr tree tsort tty uname uptime users vmstat w wc
    who whoami zcat zdiff zgrep zless zmore xzcat bzcat lz4cat zstdcat bat batcat dig host nslookup ping whois
    plocate delta glow hexyl tldr
    """
)
"""Look at files, processes or the machine whatever their options."""

CHANGE = words(
    """
    rm rmdir mv cp mkdir touch ln chmod chown chgrp dd install truncate shred mktemp mkfifo mknod unlink kill
    pkill killall patch rsync scp sftp mount umount useradd userdel usermod groupadd passwd chsh crontab at gzip
    gunzip bzip2 bunzip2 xz unxz zstd unzip zip 7z split csplit rename setfacl chattr wall write logger reboot
    shutdown halt poweroff swapon swapoff mkfs fsck iptables ufw visudo apt-get dpkg-reconfigure sponge indent
    unix2dos dos2unix dropdb createdb ssh-keygen chronyc renice autopep8
    """
)
"""Change files, processes or the machine whatever their options."""

SHOWS_FILES = words(
    """
    cat head tail less more bat batcat nl tac od xxd hexdump strings cut sort uniq diff cmp comm paste join fold
    column rev zcat zless bzcat xzcat colordiff sdiff pr hexyl glow
    """
)
"""Readers whose operands are files they show."""

TAKES_VALUE: Mapping[str, frozenset[str]] = {
    "head": frozenset({"-n", "-c", "--lines", "--bytes"}),
    "tail": frozenset({"-n", "-c", "--lines", "--bytes", "-s", "--pid"}),
    "cut": frozenset({"-d", "-f", "-c", "-b", "--delimiter", "--fields"}),
    "sort": frozenset({"-k", "-t", "-S", "-T", "--key", "--field-separator"}),
    "uniq": frozenset({"-f", "-s", "-w"}),
    "nl": frozenset({"-b", "-v", "-w", "-s", "-n", "-i"}),
    "od": frozenset({"-A", "-t", "-N", "-j", "-w"}),
    "xxd": frozenset({"-l", "-s", "-c", "-g", "-o"}),
    "hexdump": frozenset({"-n", "-s", "-e", "-f"}),
    "strings": frozenset({"-n", "-t", "-e"}),
    "column": frozenset({"-t", "-s", "-N", "-o"}) - {"-t"},
    "fold": frozenset({"-w"}),
    "bat": frozenset({"-l", "-r", "--language", "--line-range", "--style", "--theme", "-H"}),
    "diff": frozenset({"-U", "-C", "-x", "-I", "--label", "-L"}),
    "paste": frozenset({"-d"}),
    "join": frozenset({"-t", "-1", "-2", "-o", "-a", "-e", "-j"}),
    "less": frozenset({"-p", "-x", "-j"}),
    "jq": frozenset({"--arg", "--argjson", "--indent", "--slurpfile", "--rawfile", "-L", "-f", "--from-file"}),
    "sed": frozenset({"-e", "-f", "-l", "--expression", "--file"}),
    "awk": frozenset({"-F", "-v", "-f"}),
}
"""Options whose value is the next word, for the commands whose operands matter."""
