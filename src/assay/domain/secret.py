"""Texts that must not be shown."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_KEY_LIKE = re.compile(r"\b(?:sk|rk|pk|cpk|gsk|xai|hf|fw)[-_][\w-]{8,}|(?<=Bearer )\S+", re.IGNORECASE)
_SHOWN = "[key]"


@dataclass(frozen=True, slots=True)
class Secret:
    """Prints as nothing, so that no message, log line or traceback shows it by accident."""

    value: str = field(repr=False)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these secrets, or anything that looks like a key."""
    for secret in secrets:
        text = text.replace(secret, _SHOWN)
    return _KEY_LIKE.sub(_SHOWN, text)
