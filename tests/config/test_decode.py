"""What a repository's file may hold, which a stranger may have written: it is refused by name, whatever it is."""

from __future__ import annotations

import pytest

from borgd.config.schema import Config, RepositoryConfig, decode
from borgd.errors import ConfigError


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a = " + b"[" * 5000, "nested too deeply"),
        (b"a = " + b"{b = " * 3000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "digits"),
        (b"a = 1e" + b"9" * 30, "expected TOML|no such setting"),
        (b"\xff\xfe", "UTF-8"),
        (b"off = 3", "off"),
    ],
)
@pytest.mark.parametrize("kind", [Config, RepositoryConfig])
def test_what_cannot_be_read_is_an_error_with_the_files_name(data: bytes, expected: str, kind: type) -> None:
    with pytest.raises(ConfigError, match=f"x.toml.*({expected}|no such setting)"):
        decode(data, kind, "x.toml")
