"""Values as TOML, as a suite has them: what looks like a variable is meant as it stands."""

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from assay.domain.json_value import Json

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_VARIABLE = re.compile(r"\$\$?\{[^}]*\}")


class AsItStands(str):
    """Refers to a variable, where other texts only look like it."""

    __slots__ = ()


def toml_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(AsItStands(key))


def toml_value(value: Json | Decimal) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(key)} = {toml_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    # Decimals may have an exponent, which TOML writes as JSON does.
    return str(value).lower()


def _text(text: str) -> str:
    """As a basic string of TOML, which is one of JSON but for the control character 127."""
    if not isinstance(text, AsItStands):
        text = _VARIABLE.sub(lambda found: f"${found[0]}", text)
    plain = text.encode("utf-8", "replace").decode()
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
