"""Prompts with the fields of a row in braces; two braces stand for one."""

import json
import re

from assay.domain.benchmark import Row
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json

_PART = re.compile(r"\{\{|\}\}|\{(?P<name>[^{}\n]{1,100})\}")
_SHOWN = 20


def filled(template: str, row: Row) -> str:
    """Each field is put in once: braces in it are text. Raises InvalidValueError for an unknown field."""

    def part(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return match[0][0]
        if name not in row:
            known = ", ".join(list(row)[:_SHOWN])
            raise InvalidValueError(f"the prompt names the field {name!r}, and the row has {known or 'none'}")
        return as_text(row[name])

    return _PART.sub(part, template)


def as_text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
