"""What a daemon does once, when all is loaded: the start went well, and the installed hook client becomes this version's."""

from __future__ import annotations

import logging
from contextlib import suppress

from borgd.errors import BorgError
from borgd.paths import Paths
from borgd.stores.installed.client import renew_client

CLIENT_MARKS = ("hook.start", "hook.missed", "stay")
"""method: what the hook client, and borg stop --stay, leave in the state directory while no daemon serves."""

logger = logging.getLogger("borgd.after_start")


def settle(where: Paths) -> str:
    """End the client's counts of failed starts and missed answers, renew it where it is not as it should be.

    Returns what could not be done, for a person; empty: all is well.
    """
    for name in CLIENT_MARKS:
        with suppress(OSError):
            (where.state / name).unlink()
    try:
        why = renew_client(where)
    except (BorgError, OSError) as error:
        return f"the installed hook client cannot be renewed: {error}"
    if why:
        logger.info("wrote the hook client anew: %s", why)
    return ""
