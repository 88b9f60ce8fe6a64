"""Texts that must not be shown."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_KEY_LIKE = re.compile(r"\b(?:sk|rk|pk|cpk|gsk|xai|hf|fw)[-_][\w-]{8,}|(?<=Bearer )\S+", re.IGNORECASE)
_SHOWN = "[key]"


@dataclass(frozen=True, slots=True)
class Secret:
    """Has an empty repr, so that no message, log line or traceback shows the value by accident."""

    value: str = field(repr=False)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with these secrets, and anything that looks like a key, replaced."""
    for secret in secrets:
        text = text.replace(secret, _SHOWN)
    return _KEY_LIKE.sub(_SHOWN, text)
