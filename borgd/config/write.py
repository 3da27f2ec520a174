"""Changes to config.toml that keep everything a person wrote: comments, order, spelling.

The result is parsed and checked as the configuration before it replaces anything; a symbolic link stays one.
"""

from __future__ import annotations

from collections.abc import Sequence

import tomlkit
from tomlkit.exceptions import TOMLKitError

from borgd.config.schema import load
from borgd.errors import BorgError, ConfigError
from borgd.files import replace_file
from borgd.paths import Paths, private_dir


def with_setting(text: str, table: str, key: str, value: str | Sequence[str] | None) -> str:
    """config.toml's ``text`` with ``key`` of ``[table]`` set to ``value``; None takes the key out.

    The table may be written in any way TOML has: ``[table]``, ``["table"]``, ``table = {...}``, ``table.key = ...``.

    :raises ConfigError: ``text`` is not TOML, ``table`` is not a table in it, or the result is not a valid configuration.
    :raises UnicodeEncodeError: ``value`` has no UTF-8.
    """
    if value is not None:
        "".join(value).encode("utf-8")  # an argument that is not text is named as it was given
    try:
        document = tomlkit.parse(text)
        found = document.get(table)
        if found is None:
            if value is None:
                return text
            found = document[table] = tomlkit.table()
        if not hasattr(found, "keys"):
            raise ConfigError("config.toml", f"expected a table, got {found!r}", field=table)
        if value is not None:
            found[key] = value if isinstance(value, str) else list(value)
        elif key in found:
            del found[key]
        changed = tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ConfigError("config.toml", f"not valid TOML: {error}") from None
    load(changed.encode())
    return changed


def write_setting(where: Paths, table: str, key: str, value: str | Sequence[str] | None) -> None:
    """As ``with_setting``, in config.toml itself, which is made where there is none.

    :raises BorgError: it cannot be read or written; ConfigError as ``with_setting``. The file is then as it was.
    """
    path = where.config_file
    try:
        private_dir(path.parent)
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        changed = with_setting(text, table, key, value)
        if changed != text:
            replace_file(path, changed.encode())
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), f"not valid UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise BorgError(f"{path} cannot be written: {error.strerror}") from None
