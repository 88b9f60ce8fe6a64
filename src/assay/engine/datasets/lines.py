"""Parses the lines of a data set.

Three forms are read: the lines of OpenAI's batch files, lines with `custom_id` and `body` alone, and lines
with a `prompt`. Each may have `expected`, which makes it gradable, `grader` and `category`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.dataset_report import Grading
from assay.domain.datasets.dataset import Line
from assay.domain.datasets.grading_rule import Rule
from assay.domain.errors import InvalidValueError
from assay.engine.graders.rules.reading import read_rules

URL = "/v1/chat/completions"
MAX_ID_LENGTH = 512
KNOWN_FIELDS = frozenset(
    {"custom_id", "method", "url", "body", "prompt", "system", "expected", "grader", "category", "metadata"}
)
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


class LineFaultError(Exception):
    """Why a line cannot be used, and the field at fault."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class LinePlace:
    """The number of a line, and how it is graded unless it says so itself."""

    number: int
    grading: Grading = Grading.EXACT


def parsed_line(content: Json, place: LinePlace) -> Line:
    """Raises LineFaultError; whether anything can be graded against what is expected is not checked here."""
    if not isinstance(content, Mapping):
        raise LineFaultError("line", f"a JSON object was expected, not {_kind(content)}")
    body = _batch_body(content) if "body" in content else _prompt_body(content)
    expected, rules = _expectation(content, place)
    category = content.get("category")
    if category is not None and not isinstance(category, str):
        raise LineFaultError("category", f"must be text, not {_kind(category)}")
    return Line(_item_id(content, place), body, expected, rules, category)


def _item_id(content: Mapping[str, Json], place: LinePlace) -> ItemId:
    custom_id = content.get("custom_id")
    if custom_id is None and "prompt" in content:
        return ItemId(f"line-{place.number}")
    if custom_id is None:
        raise LineFaultError("custom_id", "is missing; every request needs one of its own")
    if not isinstance(custom_id, str):
        raise LineFaultError("custom_id", f"must be text, not {_kind(custom_id)}")
    if not custom_id or len(custom_id) > MAX_ID_LENGTH:
        raise LineFaultError("custom_id", f"must have 1 to {MAX_ID_LENGTH} characters, not {len(custom_id)}")
    return ItemId(custom_id)


def _batch_body(content: Mapping[str, Json]) -> Mapping[str, Json]:
    if "prompt" in content:
        raise LineFaultError("prompt", "a line has either a body or a prompt, not both")
    if content.get("method", "POST") != "POST":
        raise LineFaultError("method", f"must be 'POST', not {_shown(content['method'])}")
    if content.get("url", URL) != URL:
        raise LineFaultError("url", f"must be {URL!r}, not {_shown(content['url'])}")
    body = content["body"]
    if not isinstance(body, Mapping):
        raise LineFaultError("body", f"must be an object, not {_kind(body)}")
    _check_messages(body.get("messages"))
    if body.get("n", 1) not in (1, None):
        raise LineFaultError("body.n", "must be 1: ask for several answers with the run's samples instead")
    return body


def _check_messages(messages: Json) -> None:
    if messages is None:
        raise LineFaultError("body.messages", "is missing")
    if not isinstance(messages, Sequence) or isinstance(messages, str):
        raise LineFaultError("body.messages", f"must be a list, not {_kind(messages)}")
    if not messages:
        raise LineFaultError("body.messages", "is empty")
    for place, message in enumerate(messages):
        field = f"body.messages.{place}"
        if not isinstance(message, Mapping):
            raise LineFaultError(field, f"must be an object, not {_kind(message)}")
        role = message.get("role")
        if not isinstance(role, str) or role not in ROLES:
            raise LineFaultError(f"{field}.role", f"must be one of {', '.join(sorted(ROLES))}")
        if not isinstance(message.get("content"), str | Sequence) and "tool_calls" not in message:
            raise LineFaultError(f"{field}.content", "must be text or a list of parts")


def _prompt_body(content: Mapping[str, Json]) -> Mapping[str, Json]:
    prompt = content.get("prompt")
    if prompt is None:
        reason = "is missing; a line needs a body with messages, or a prompt"
        raise LineFaultError("body", reason + _fields_to_name(content))
    if not isinstance(prompt, str):
        raise LineFaultError("prompt", f"must be text, not {_kind(prompt)}")
    if not prompt.strip():
        raise LineFaultError("prompt", "is empty")
    messages: list[Json] = [{"role": "user", "content": prompt}]
    system = content.get("system")
    if isinstance(system, str):
        messages.insert(0, {"role": "system", "content": system})
    elif system is not None:
        raise LineFaultError("system", f"must be text, not {_kind(system)}")
    return {"messages": messages}


def _expectation(content: Mapping[str, Json], place: LinePlace) -> tuple[Json, tuple[Rule, ...]]:
    expected = content.get("expected")
    named = content.get("grader")
    try:
        rules = read_rules(place.grading.value if named is None else named)
    except InvalidValueError as error:
        raise LineFaultError("grader", error.message) from error
    if expected is not None:
        return expected, rules
    without = [rule.grader for rule in rules if rule.needs_expected and rule.expected is None]
    if without and len(without) < len(rules):
        raise LineFaultError("expected", f"is missing, and the grader {without[0].value!r} needs it")
    return None, () if without else rules


_SHOWN = 60
_LISTED = 5


def _fields_to_name(content: Mapping[str, Json]) -> str:
    others = [name for name, value in content.items() if isinstance(value, str) and name not in KNOWN_FIELDS]
    if not others:
        return ""
    listed = ", ".join(map(_shown, others[:_LISTED]))
    return f"; name one of {listed} with --prompt-field"


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case Mapping():
            return "an object"
        case _:
            return "a list"


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
