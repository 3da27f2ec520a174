"""Secrets that only the format around them gives away go; what looks like them and holds none stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.lessons.redact import redact

SECRET = "Wr3nch!monkey"
GONE = [
    f"mysql -h db.local -u root -p{SECRET} shop < dump.sql",
    f"mysqldump --single-transaction -uroot '-p{SECRET}' shop",
    f"sshpass -p '{SECRET}' ssh deploy@host",
    f"docker login -u ci -p {SECRET} registry.local",
    f"redis-cli -h cache -a {SECRET} ping",
    f"ldapsearch -x -D cn=admin -w {SECRET} -b dc=x",
    f"smbclient //nas/share -U ann%{SECRET}",
    f"openssl rsa -in key.pem -passin pass:{SECRET}",
    f"7z x -p{SECRET} backup.7z",
    f"machine api.local login ann password {SECRET}",
    f"machine api.local\n  login ann\n  password {SECRET}\n",
    f"default login anonymous password {SECRET}",
    f"db.local:5432:shop:ann:{SECRET}",
    f"cat ~/.pgpass\n*:*:*:postgres:{SECRET}\n",
    f"use the new password {SECRET} from now on",
    f"Please log in with the password {SECRET}.",
    f'the password for staging is "{SECRET}"',
    f"change the root password to {SECRET}, then restart",
    f"das Passwort für den Server ist jetzt {SECRET}",
    f"https://acme.webhook.office.com/webhookb2/0a1b-{SECRET.replace('!', '')}@x/IncomingWebhook/abc/def",
    f"curl https://discord.com/api/webhooks/1234567890/{SECRET.replace('!', '_')}aaaa",
    f"https://hooks.zapier.com/hooks/catch/12345/{SECRET.replace('!', '')}",
    f"https://chat.acme.org/hooks/{SECRET.replace('!', '')}9k2m",
]
STAYS = [
    "mysql -h db.local -u root -p shop",
    "mysql -u root -p$MYSQL_PASSWORD shop",
    "mkdir -p src/app && docker run -p 8080:80 nginx",
    "The login form asks for a password twice; the password field is required.",
    "the password policy changed: passwords expire after 90 days",
    "hash the password before storing it",
    "password settings.password is read from config.password",
    "src/app/main.py:10:5:error:E501",
    "2026-11-30T12:30:15 host:8080 started",
    "see https://docs.acme.org/guides/webhooks for how to set one up",
    "git hooks live in .git/hooks/pre-commit",
    "unzip -o archive.zip -d out",
    "Is the password reset link invalidated after use?",
]


@pytest.mark.parametrize("text", GONE)
def test_the_secret_goes_and_the_rest_stays(text: str) -> None:
    once = redact(text)
    for form in (SECRET, SECRET.replace("!", ""), SECRET.replace("!", "_")):
        assert form not in once
    assert "[redacted]" in once
    assert redact(once) == once
    assert once[:6] == text[:6]


@pytest.mark.parametrize("text", STAYS)
def test_what_holds_no_secret_stays(text: str) -> None:
    assert redact(text) == text


@given(
    st.lists(
        st.sampled_from([*GONE, *STAYS, " ", "\n", "mysql ", "-p", "password ", "login ", "://hooks/", "a:1:"]), max_size=9
    )
)
def test_twice_is_once(parts: list[str]) -> None:
    once = redact("".join(parts))
    assert redact(once) == once


@pytest.mark.parametrize(
    "piece", ["mysql ", "mysql -", "machine a login ", "a:11:b:", "https://hooks/", "password for ", "login "]
)
def test_time_is_linear(piece: str) -> None:
    def seconds(count: int) -> float:
        text, start = piece * count, time.process_time()
        redact(text)
        return time.process_time() - start

    assert seconds(16_000) < 40 * seconds(2000) + 0.5
