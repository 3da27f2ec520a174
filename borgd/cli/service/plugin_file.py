"""The file that loads borgd's plugin into an agent which has no settings for hooks: what it is to be, with us and without.

A file of that name that is not ours is never touched.
"""

from __future__ import annotations

from borgd.agents.wiring import client_of_plugin, is_plugin_text, plugin_text
from borgd.errors import BorgError
from borgd.paths import Paths
from borgd.stores.installed.client import client_path
from borgd.stores.installed.settings_file import SettingsFile, decoded


def _held(file: SettingsFile) -> str:
    """The file's text, empty where there is none.

    :raises BorgError: it is not ours.
    """
    data = file.read()
    if data is None:
        return ""
    text = decoded(data, str(file.path))
    if not is_plugin_text(text):
        raise BorgError(
            f"{file.path} is not borgd's: it does not begin as borg install writes it; move it away and run this again"
        )
    return text


def with_plugin(agent: str, file: SettingsFile, where: Paths) -> tuple[bytes | None, bytes]:
    """(the file without ours: None, there is none; the file as it is to be).

    :raises BorgError: something else of that name is there.
    """
    _held(file)
    return None, plugin_text(agent, str(client_path(where))).encode()


def without_plugin(file: SettingsFile) -> bytes | None:
    """The file without ours: None, it goes; what is not ours stays as it is."""
    try:
        _held(file)
    except BorgError:
        return file.read()
    return None


def loads_plugin(agent: str, file: SettingsFile, where: Paths) -> bool:
    """Whether the file is there as it should be."""
    return file.read() == plugin_text(agent, str(client_path(where))).encode()


def foreign_client(agent: str, file: SettingsFile, where: Paths) -> list[str]:
    """The client of another place beside which the plugin lies that the file loads; at most one."""
    client = client_of_plugin(agent, file.text())
    return [client] if client and client != str(client_path(where)) else []
