"""``borg run``: serve in the foreground; SIGTERM or Ctrl-C ends it. ``borg start``, systemd and the client run this too."""

from __future__ import annotations

import logging
import os
import sys

from borgd.cli.terminal_text import flags_of
from borgd.errors import BorgError, ConfigError, module_at_fault
from borgd.paths import user_paths
from borgd.server.listen import Claim, claim

OF_THIS_PROCESS = ("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
"""host: what systemd says to this process and not to those that it starts."""


def run(argv: list[str]) -> int:
    """Serve; the exit code.

    :raises AlreadyServingError: another process is this user's daemon.
    """
    flags_of(argv, "run", __doc__)
    env = dict(os.environ)
    for name in OF_THIS_PROCESS:
        os.environ.pop(name, None)
    held = claim(user_paths(env), env)  # before the slow imports: clients that come now wait in the kernel's queue
    try:
        return _serve(held, env)
    finally:
        held.close()


def _serve(held: Claim, env: dict[str, str]) -> int:
    from borgd.server.log import close_log, open_log

    where = user_paths(env)
    log = open_log(where.state / "daemon.log")
    logger = logging.getLogger("borgd.run")
    try:
        _import_all(logger)
        from functools import partial

        import anyio

        from borgd.config.read import read_config
        from borgd.config.schema import Config
        from borgd.server.heap import share_one_heap
        from borgd.server.lifecycle import serve
        from borgd.server.service import build

        share_one_heap()
        try:
            config = read_config(where)
        except ConfigError as error:
            print(f"borg: {error}; the defaults are used", file=sys.stderr)
            logger.error("config.toml cannot be used: the defaults are")
            config = Config()
        if sys.stderr.isatty():
            print(f"borgd: serving on {where.socket}, pid {os.getpid()}; Ctrl-C ends it", file=sys.stderr)
        return anyio.run(partial(serve, build(where), where, config.daemon, env=env, held=held))
    except BorgError:
        raise
    except BaseExceptionGroup as group:
        first = _first(group)
        if not isinstance(first, (BorgError, OSError)):
            logger.exception("the daemon crashed")
            raise
        logger.error("the daemon could not go on: %s", type(first).__name__)
        raise first from None
    except Exception:
        logger.exception("the daemon crashed")
        raise
    finally:
        close_log(log)


def _import_all(logger: logging.Logger) -> None:
    """Import what serving needs; here, so that what is missing is named at the start.

    :raises BorgError: a module is missing or broken.
    """
    try:
        from borgd.server.preload import preload

        preload()
    except Exception as error:  # whatever a broken module does
        told = (
            f"{module_at_fault(error)}, a module that the daemon needs, cannot be imported: {type(error).__name__}: {error}"
        )
        logger.error("the daemon could not go on: %s", told)
        raise BorgError(f"{told}; borg doctor says how to bring it back") from None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error that is not a group itself."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
