"""Looking for names only where one can begin finds exactly what looking everywhere finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons import redact as module
from borgd.lessons.secret_shapes import REDACTED

# fmt: off
NAMES = [
    "password", "passwd", "passphrase", "passcode", "pass", "pwd", "passwort", "kennwort", "secret", "token", "credentials",
    "credential", "api_key", "apikey", "access_key", "access-key-id", "secret_access_key", "private-key", "webhook_url",
    "account_key", "encryption-key", "signing_key", "master_key", "session_key", "storage_key", "sshared_access_key",
    "license_key", "deploy_key", "ssh-key", "passpassword",
]
PHRASES = ["mot de passe", "connection string", "contraseña", "パスワード", "暗証番号", "密码", "api key", "secret key"]
GLUE = [
    " ", "=", ": ", "：", "＝", " is ", " was ", "は", '"', "'", "`", "\n", "=>", "==", ",", "_prod", "2", "]",
    "İ", "x", "com",
]
# fmt: on
VALUES = ["hunter22x", "Tr0ub4dor&3", "os.environ[", "abcdefgh1", "[redacted]", "settings.token", "é9é9é9"]

names = st.sampled_from(NAMES + PHRASES)
odd = names.map(lambda name: name.replace("s", "ſ").replace("k", "\u212a").replace("i", "ı"))
pieces = st.one_of(names, names.map(str.upper), names.map(str.title), odd, st.sampled_from(GLUE), st.sampled_from(VALUES))


@pytest.mark.parametrize(
    ("pattern", "replace"),
    [(module._ASSIGNMENT, module._assigned), (module._SAID, module._said)],
    ids=["assigned", "said"],
)
@given(parts=st.lists(pieces, max_size=14))
def test_nothing_is_missed(pattern: object, replace: object, parts: list[str]) -> None:
    """Whatever surrounds a name and however it is written, even in letters that only ignoring case makes the same."""
    text = "".join(parts)
    assert module._replace_named(pattern, replace, text) == pattern.sub(replace, text)  # type: ignore[attr-defined, arg-type]


@pytest.mark.parametrize("name", [*NAMES, *PHRASES])
def test_every_name_has_its_start(name: str) -> None:
    """Each of the names is a start by itself, so that none can be forgotten when one is added."""
    assert module._NAME_STARTS.search(name) is not None
    assert REDACTED in module.redact(f"{name}: 'hunter22x9'")
