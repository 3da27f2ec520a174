"""Programs that run the command that stands behind them, and what they take before it. Data."""

from __future__ import annotations

from collections.abc import Mapping

from borgd.limits.shell.tables.tool import Effect, Tool

TOOLS: Mapping[str, Tool] = {
    "sudo": Tool(
        runs=0,
        assigns=True,
        bare=Effect.NOTHING,
        looks="-l --list -v -V",
        writes="-e --edit",
        doubts="-s -i --shell --login",
        values="-u -g -h -p -C -r -t -U -D -R -T --user --group --host --prompt --chdir",
    ),
    "doas": Tool(runs=0, assigns=True, values="-u -C", doubts="-s"),
    "env": Tool(runs=0, assigns=True, bare=Effect.READ, values="-u -C --unset --chdir", text_of="-S --split-string"),
    "timeout": Tool(runs=1, values="-s -k --signal --kill-after"),
    "gtimeout": Tool(runs=1, values="-s -k --signal --kill-after"),
    "nice": Tool(runs=0, bare=Effect.READ, values="-n --adjustment"),
    "ionice": Tool(runs=0, values="-c -n -p --class --classdata"),
    "chrt": Tool(runs=1),
    "taskset": Tool(runs=1),
    "cpulimit": Tool(runs=0, values="-l -p -e"),
    "nohup": Tool(runs=0),
    "setsid": Tool(runs=0),
    "stdbuf": Tool(runs=0, values="-i -o -e --input --output --error"),
    "unbuffer": Tool(runs=0),
    "command": Tool(runs=0, bare=Effect.NOTHING),
    "builtin": Tool(runs=0, bare=Effect.NOTHING),
    "exec": Tool(runs=0, bare=Effect.NOTHING, values="-a"),
    "time": Tool(runs=0, bare=Effect.NOTHING, values="-f --format", writes="-o --output"),
    "watch": Tool(runs=0, values="-n --interval", as_text=True),
    "hyperfine": Tool(
        runs=0,
        values=("-w --warmup -r --runs -m --min-runs -M --max-runs -n --command-name -L --parameter-list"),
        text_of="-p --prepare -s --setup -c --cleanup",
        writes="--export-json --export-csv --export-markdown",
        as_text=True,
    ),
    "xargs": Tool(
        runs=0, bare=Effect.READ, values="-I -n -P -L -d -s -a -E --max-args --max-procs --delimiter --max-lines --arg-file"
    ),
    "parallel": Tool(
        runs=0,
        floor=Effect.UNKNOWN,
        as_text=True,
        values="-j --jobs -a --arg-file -n --max-args -N -I --colsep -d --delimiter --joblog --timeout",
    ),
    "entr": Tool(runs=0, floor=Effect.UNKNOWN),
    "busybox": Tool(runs=0),
    "toybox": Tool(runs=0),
    "flock": Tool(runs=1, text_of="-c --command", values="-w --timeout -E"),
    "chroot": Tool(runs=1, values="--userspec --groups"),
    "unshare": Tool(runs=0),
    "nsenter": Tool(runs=0, values="-t --target"),
    "setarch": Tool(runs=1),
    "linux64": Tool(runs=0),
    "strace": Tool(runs=0, values="-e -p -s -E -P -u -X -a", writes="-o --output -ff"),
    "ltrace": Tool(runs=0, values="-e -p -s", writes="-o"),
    "runuser": Tool(runs=0, values="-u --user -g -G -s", behind_dashes=True, text_of="-c --command"),
    "su": Tool(Effect.UNKNOWN, text_of="-c --command", values="-s --shell -g -G"),
    "script": Tool(Effect.CHANGE, text_of="-c --command"),
    "ssh": Tool(
        runs=1,
        floor=Effect.UNKNOWN,
        as_text=True,
        ignores="--help --version",
        values="-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B",
    ),
    "mosh": Tool(runs=1, floor=Effect.UNKNOWN),
    "sshpass": Tool(runs=0, values="-p -f -d"),
    "dbus-run-session": Tool(runs=0, behind_dashes=True),
    "xvfb-run": Tool(runs=0, values="-s -n -e -f --server-args"),
    "noglob": Tool(runs=0),
    "nocorrect": Tool(runs=0),
    "catchsegv": Tool(runs=0),
    "chronic": Tool(runs=0),
    "winpty": Tool(runs=0),
    "arch": Tool(runs=0, bare=Effect.READ),
}
"""``ssh``: what runs elsewhere is at least unknown."""
