"""Grading an answer against what the author of a data set expected of it."""

import functools
import gc
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from string import ascii_uppercase
from typing import NoReturn

import jsonschema_rs
import orjson

from assay.domain.benchmark import Grade
from assay.domain.dataset_report import Grading
from assay.domain.errors import InvalidValueError
from assay.domain.messages import Json
from assay.domain.outcome import Outcome
from assay.engine.graders.exact import LONGEST, folded, normalised
from assay.engine.graders.number import parse_number
from assay.engine.graders.patterns import pattern
from assay.engine.graders.robust import robust_choice, robust_number

VERSION = "1"
# Schemas come from strangers: patterns in them are matched in linear time, and nothing is fetched. A compiled
# one may take megabytes.
_KEPT = 64
_LONGEST_EXPLANATION = 1_000
_FENCE = "```"
_LONG = 20_000
_AT_ONCE = 30
# The only letters of which nothing is ASCII unless case is folded first, which takes long.
_MADE_TWO = "\u00df\u1e9e"
_BLANKS = bytes(code for code in range(128) if chr(code).isspace())
# White space that is still not ASCII in compatibility form.
_OTHER_BLANKS = "\x85\u1680\u2028\u2029"
_OTHER = "\u0635"
_FRACTION = re.compile(r"[+-]?[0-9]{1,50}/0{0,9}[1-9][0-9]{0,40}")
# What options are usually called; beyond, an I or an A is more often a word.
_USUAL = "ABCDEFGHIJ"


def expectation_fault(grading: Grading, expected: Json) -> str | None:
    """Why nothing could be graded against this, or None."""
    if grading is Grading.JSON_SCHEMA:
        return _schema_fault(expected)
    texts = _texts(expected)
    if not texts:
        return "must be text, a number, or a list of either"
    faults = (_fault(grading, text) for text in texts)
    return next((fault for fault in faults if fault), None)


def _fault(grading: Grading, text: str) -> str | None:
    if grading is Grading.NUMBER and _value(text) is None:
        return f"{text!r} is not a number"
    if grading is Grading.CHOICE and not (len(text.strip()) == 1 and text.strip().isalpha()):
        return f"{text!r} is not a single letter"
    if grading is Grading.REGEX:
        try:
            pattern(text)
        except InvalidValueError as error:
            return error.message
    if not text.strip():
        return "is empty"
    return None


def grade_expected(grading: Grading, expected: Json, answer: str) -> Grade:
    """Grade without asking anybody; the judge is asked elsewhere."""
    if not answer.strip():
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is empty")
    if grading is Grading.JSON_SCHEMA:
        return _grade_schema(expected, answer)
    return _GRADERS[grading](_texts(expected), answer)


def _grade_exact(expected: Sequence[str], answer: str) -> Grade:
    said = answer.strip()
    return _graded(any(said == text.strip() for text in expected), said, "equal the expected answer")


def _grade_contains(expected: Sequence[str], answer: str) -> Grade:
    wanted = {text: normalised(text) for text in expected}
    if len(answer) > _LONG and not answer.isascii():
        # Composing letters with marks takes longest by far, and ASCII shows without it what cannot be there.
        skimmed = _skimmed(answer)
        wanted = {text: words for text, words in wanted.items() if _may_hold(skimmed, words)}
    said = folded(answer) if wanted else ""
    found = next((text for text, words in wanted.items() if _holds(said, words)), None)
    return _graded(found is not None, found, "contain the expected text")


def _holds(said: str, wanted: str) -> bool:
    """Whether the words stand there, with any white space between them."""
    first, *others = wanted.split(" ")
    if not others:
        return first in said
    return re.search(r"\s++".join(map(re.escape, (first, *others))), said) is not None


def _may_hold(skimmed: bytes, words: str) -> bool:
    """Folding case may change how many other letters there are: of words with some, only ASCII is asked."""
    if words.isascii():
        return _skimmed(words) in skimmed
    return _skimmed(words).translate(None, b"?") in skimmed.translate(None, b"?")


def _skimmed(text: str) -> bytes:
    """What is ASCII once letters and marks are apart, `?` for the rest, without case and white space."""
    text = text.replace(LONGEST, _OTHER)
    for letter in _MADE_TWO:
        text = text.replace(letter, "ss")
    for blank in _OTHER_BLANKS:
        text = text.replace(blank, "")
    # Marks in a row are put in order in quadratic time. None of them is shown, so a row may be cut anywhere.
    parts = (text[start : start + _AT_ONCE] for start in range(0, len(text), _AT_ONCE))
    apart = "".join(unicodedata.normalize("NFKD", part) for part in parts)
    return apart.encode("ascii", "replace").lower().translate(None, _BLANKS)


def _grade_regex(expected: Sequence[str], answer: str) -> Grade:
    matches = (pattern(text).found_in(answer) for text in expected)
    found = next((match for match in matches if match is not None), None)
    return _graded(found is not None, found, "match the expected pattern")


def _grade_number(expected: Sequence[str], answer: str) -> Grade:
    text = robust_number(answer)
    said = None if text is None else _value(text)
    if said is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer names no single number")
    return _graded(any(said == _value(one) for one in expected), text, "give the expected number")


def _grade_choice(expected: Sequence[str], answer: str) -> Grade:
    right = {one.strip().upper() for one in expected}
    letter = robust_choice(answer, letters=_USUAL if right <= set(_USUAL) else ascii_uppercase)
    if letter is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer chooses no single letter")
    return _graded(letter in right, letter, "give the expected letter")


_GRADERS: Mapping[Grading, Callable[[Sequence[str], str], Grade]] = {
    Grading.EXACT: _grade_exact,
    Grading.CONTAINS: _grade_contains,
    Grading.REGEX: _grade_regex,
    Grading.NUMBER: _grade_number,
    Grading.CHOICE: _grade_choice,
}


def _graded(is_right: bool, extracted: str | None, claim: str) -> Grade:  # noqa: FBT001
    outcome, word = (Outcome.CORRECT, "does") if is_right else (Outcome.INCORRECT, "does not")
    return Grade(outcome, float(is_right), extracted=extracted, explanation=f"the answer {word} {claim}")


def _value(text: str) -> Fraction | None:
    number = parse_number(text)
    if number is not None:
        return Fraction(number)
    return Fraction(text) if _FRACTION.fullmatch(text.strip()) else None


def _grade_schema(expected: Json, answer: str) -> Grade:
    text = _json_text(answer)
    try:
        said = _json_value(text)
    except orjson.JSONDecodeError as error:
        return Grade(Outcome.UNPARSED, 0.0, explanation=f"the answer is not JSON: {error}")
    validator = _validator(json.dumps(expected, sort_keys=True))
    if len(text) > _LONG and not validator.is_valid(said):
        # An error would hold, and quote, what it is about.
        return Grade(Outcome.INCORRECT, 0.0, extracted=text, explanation="does not fit the expected schema")
    try:
        validator.validate(said)
    except jsonschema_rs.ValidationError as error:
        where = "/".join(map(str, error.instance_path)) or "the document"
        reason = f"{where}: {error.message}"[:_LONGEST_EXPLANATION]
        return Grade(Outcome.INCORRECT, 0.0, extracted=text, explanation=reason)
    return Grade(Outcome.CORRECT, 1.0, extracted=text, explanation="fits the expected schema")


def _json_value(text: str) -> Json:
    """Garbage is not collected while it is read, which would take longer than the reading: there is none."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        value: Json = orjson.loads(text)
    finally:
        if is_collecting:
            gc.enable()
    return value


def _json_text(answer: str) -> str:
    """What stands between the first two fences, else all of it."""
    parts = answer.split(_FENCE, 2)
    if len(parts) <= 2:  # noqa: PLR2004
        return answer.strip()
    _language, _, content = parts[1].partition("\n")
    return content.strip()


def _schema_fault(expected: Json) -> str | None:
    if not isinstance(expected, Mapping | bool):
        return "must be a JSON schema, which is an object"
    try:
        _validator(json.dumps(expected, sort_keys=True))
    except ValueError as error:
        return f"is not a JSON schema: {str(error).splitlines()[0]}"
    return None


@functools.lru_cache(maxsize=_KEPT)
def _validator(schema: str) -> jsonschema_rs.Validator:
    options = jsonschema_rs.RegexOptions()
    return jsonschema_rs.validator_for(json.loads(schema), pattern_options=options, retriever=_no_retrieval)


def _no_retrieval(uri: str) -> NoReturn:
    raise ValueError(f"it refers to {uri!r}, and nothing is fetched: put that into the schema itself")


def _texts(expected: Json) -> tuple[str, ...]:
    """Each right answer as text; empty where one of them has no text form."""
    members = expected if isinstance(expected, Sequence) and not isinstance(expected, str) else [expected]
    if not members or not all(isinstance(member, str | int | float) for member in members):
        return ()
    return tuple(_text(member) for member in members)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
