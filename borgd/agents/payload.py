"""An agent's hook JSON as a dictionary that may hold anything. Pure; used by every agent's module.

A field of another type than expected counts as absent: no release of an agent silences an event by what we do not use.
"""

from __future__ import annotations

from typing import Any

import msgspec

from borgd.agents.json_repair import repaired
from borgd.errors import ProtocolError

_decoder = msgspec.json.Decoder(dict[str, Any])


def payload_of(body: bytes, agent: str) -> dict[str, Any]:
    """The JSON object in ``body``; a byte order mark and white space around it do not matter.

    :param agent: the agent's name for the message.
    :raises ProtocolError: not one JSON object.
    """
    text = body.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        try:
            return _decoder.decode(text)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:  # half a character somewhere, or truly damaged
            return _decoder.decode(repaired(text))
    except msgspec.ValidationError:
        raise ProtocolError(f"the hook JSON of {agent} is not an object") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise ProtocolError(f"the hook JSON of {agent} is damaged: {error}") from None


def text_of(payload: dict[str, Any], *names: str) -> str:
    """The first of ``names`` that is a text in ``payload``, else an empty one."""
    return next((value for name in names if isinstance(value := payload.get(name), str)), "")


def object_of(payload: dict[str, Any], name: str) -> dict[str, Any]:
    """The object ``name`` of ``payload``, else an empty one. A text that holds an object counts as that object."""
    value = payload.get(name)
    if isinstance(value, str) and value[:1] == "{":
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def cut_bytes(text: str, limit: int) -> str:
    """At most ``limit`` bytes of ``text`` in UTF-8; no character is cut in half."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore")


def is_own_text(prompt: str) -> bool:
    """Whether ``prompt`` is a text of borgd's that the agent gave back as a prompt: its texts start with a mark."""
    return prompt.lstrip().startswith("[borg]")
