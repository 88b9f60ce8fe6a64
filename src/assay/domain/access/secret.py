"""Texts that must not be shown, or not as they are."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_KEY_LIKE = re.compile(
    r"\b(?:sk|rk|pk|cpk|gsk|xai|hf|fw)[-_][\w-]{8,}|\bAIza[\w-]{20,}|(?<=Bearer )\S+", re.IGNORECASE
)
_SHOWN = "[key]"
# Shorter keys are placeholders such as "EMPTY" or "ollama", which a text may hold by chance.
LEAST_KEY_CHARS = 16
# All but the tab and the line feed; with them what changes the direction of text, which can hide parts of it.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Secret:
    """Has an empty repr, so that no message, log line or traceback shows the value by accident."""

    value: str = field(repr=False)


class LoginToken(Secret):
    """The token of a signed-in user: the identity provider's inference proxy accepts it, endpoints do not."""


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with these secrets, and anything that looks like a key, replaced."""
    for secret in secrets:
        text = text.replace(secret, _SHOWN)
    return _KEY_LIKE.sub(_SHOWN, text)


def without_key(text: str, key: str | None) -> str:
    """What a server sent, without the key that it was sent: a server may repeat it."""
    return text if key is None or len(key) < LEAST_KEY_CHARS else text.replace(key, _SHOWN)


def printable(text: str) -> str:
    """The text with control characters as escapes, so that a terminal or a log shows them and obeys none."""
    plain = text.replace("\r\n", "\n")
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), plain)


def printable_json(text: str) -> str:
    """JSON with the same meaning, in which control characters are escapes."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
