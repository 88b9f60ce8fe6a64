"""Fields and templates of tasks: Jinja in its sandbox, with the settings that lm-eval has."""

import ast
import re
from collections.abc import Mapping
from functools import cache
from typing import cast

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from assay.domain.benchmark import Row
from assay.domain.errors import InvalidValueError


def rendered(template: str, row: Row) -> str:
    """Raises InvalidValueError."""
    try:
        return _environment().from_string(template).render(**row)
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        fault = f"{type(error).__name__}: {error}"
        raise InvalidValueError(f"the template {template[:80]!r} cannot be filled: {fault}") from error


def text_of(template: str, row: Row, fields: frozenset[str]) -> str:
    """The field of this name, else the template."""
    if template not in fields:
        return rendered(template, row)
    value = row[template]
    if not isinstance(value, str):
        raise InvalidValueError(f"the field {template!r} is no text but {type(value).__name__}")
    return value


def target_of(template: object, row: Row, fields: frozenset[str]) -> object:
    """The field of this name, else the template; what looks like a Python list then becomes one."""
    if not isinstance(template, str):
        return template
    if template in fields:
        return row[template]
    text = rendered(template, row)
    if not (text.startswith("[") and text.endswith("]")):
        return text
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def answer_of(
    target: object, choices: object, row: Row, fields: frozenset[str], *, may_be_text: bool = False
) -> object:
    """The target, or with choices the one whose number it is."""
    found = target_of(target, row, fields)
    if choices is None:
        return found
    if isinstance(found, str) and found.isdecimal() and target not in fields:
        found = int(found)
    if not isinstance(found, int):
        if may_be_text:
            return found
        raise InvalidValueError(
            f"doc_to_target gives {found!r}; with doc_to_choice it has to be the number of a choice"
        )
    listed = _choices_of(choices, row, fields)
    if not 0 <= found < len(listed):
        raise InvalidValueError(
            f"doc_to_target gives the choice {int(found)}, and there are {len(listed)}, counted from 0"
        )
    return listed[found]


def _choices_of(choices: object, row: Row, fields: frozenset[str]) -> list[str]:
    if isinstance(choices, Mapping):
        found: object = list(cast("Mapping[object, object]", choices).values())
    elif isinstance(choices, str):
        found = target_of(choices, row, fields)
    else:
        found = choices
    listed = cast("list[object]", found) if isinstance(found, list) else []
    texts = [one for one in listed if isinstance(one, str)]
    if not texts or len(texts) != len(listed):
        raise InvalidValueError(f"doc_to_choice must give a list of texts, not {found!r:.80}")
    return texts


def joined(prefix: str, answer: str) -> str:
    """With a space between, unless one of them has white space there."""
    if not prefix or not answer or prefix[-1].isspace() or answer[0].isspace():
        return prefix + answer
    return f"{prefix} {answer}"


def template_fault(template: str) -> str | None:
    """Why this is no template, or None."""
    try:
        _environment().from_string(template)
    except TemplateError as error:
        return f"is no template: {error}"
    return None


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    # The type of its filters lists those that it has itself.
    cast("dict[str, object]", environment.filters)["regex_replace"] = _regex_replace
    return environment


def _regex_replace(text: str, pattern: str, replacement: str, count: int = 0) -> str:
    return re.sub(pattern, replacement, text, count=count)
