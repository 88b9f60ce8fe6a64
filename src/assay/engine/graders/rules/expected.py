"""Grading an answer against what the author of a data set expected of it."""

import functools
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from string import ascii_uppercase

from assay.domain.benchmark import Grade
from assay.domain.calls.messages import Json
from assay.domain.dataset_report import Grading
from assay.domain.errors import InvalidValueError
from assay.domain.outcome import Outcome
from assay.engine.graders.exact import LONGEST, folded, normalised
from assay.engine.graders.number import parse_number
from assay.engine.graders.patterns import pattern
from assay.engine.graders.robust import robust_choice, robust_number
from assay.engine.graders.rules.json_answers import grade_json, grade_schema, schema_fault
from assay.engine.graders.rules.overlap import bleu, f1, missing_library, rouge_l

VERSION = "1"
Options = Mapping[str, Json]
_QUOTED = 100
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
        return schema_fault(expected)
    if grading is Grading.JSON:
        return None
    if (missing := missing_library(grading)) is not None:
        return missing
    texts = texts_of(expected)
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


def grade_expected(
    grading: Grading, expected: Json, answer: str, options: Mapping[str, Json] | None = None
) -> Grade:
    """Grade without asking anybody; the judge is asked elsewhere."""
    options = options or {}
    if not answer.strip():
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is empty")
    if grading is Grading.JSON_SCHEMA:
        return grade_schema(expected, answer)
    if grading is Grading.JSON:
        return grade_json(expected, answer, options)
    return _GRADERS[grading](texts_of(expected), answer, options)


def _grade_exact(expected: Sequence[str], answer: str, options: Options) -> Grade:
    said = answer.strip()
    form = normalised if options.get("normalise") else str.strip
    wanted = form(said)
    return _graded(any(wanted == form(text) for text in expected), said, "equal the expected answer")


def _grade_contains(expected: Sequence[str], answer: str, options: Options) -> Grade:
    if not options.get("all"):
        return _grade_contains_any(expected, answer)
    grades = [_grade_contains_any([text], answer) for text in expected]
    missing = next((text for text, one in zip(expected, grades, strict=True) if not one.score), None)
    if missing is None:
        return _graded(True, expected[0], "contain every expected text")  # noqa: FBT003
    return _graded(False, None, f"contain {missing[:_QUOTED]!r}")  # noqa: FBT003


def _grade_contains_any(expected: Sequence[str], answer: str) -> Grade:
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


def _grade_regex(expected: Sequence[str], answer: str, options: Options) -> Grade:
    _ = options
    matches = (pattern(text).found_in(answer) for text in expected)
    found = next((match for match in matches if match is not None), None)
    return _graded(found is not None, found, "match the expected pattern")


def _grade_number(expected: Sequence[str], answer: str, options: Options) -> Grade:
    text = robust_number(answer)
    said = None if text is None else _value(text)
    if said is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer names no single number")
    is_right = any(_is_near(said, value, options) for value in map(_value, expected) if value is not None)
    return _graded(is_right, text, "give the expected number")


def _is_near(said: Fraction, expected: Fraction, options: Options) -> bool:
    """Equal without a tolerance; both tolerances are exact decimal numbers, as they were written."""
    absolute, relative = (Fraction(str(options.get(name, 0))) for name in ("tolerance", "relative"))
    return abs(said - expected) <= max(absolute, relative * abs(expected))


def _grade_overlap(
    measure: Callable[[str, str], float], expected: Sequence[str], answer: str, options: Options
) -> Grade:
    """The best of the expected texts counts."""
    return measured(max(measure(answer, text) for text in expected), options)


def _grade_bleu(expected: Sequence[str], answer: str, options: Options) -> Grade:
    return measured(bleu(answer, expected), options)


def measured(value: float, options: Options) -> Grade:
    """The measure itself is the score, unless the rule says how much is right."""
    least = options.get("at_least")
    if isinstance(least, int | float):
        grade = _graded(value >= least, None, f"reach {least:g}: it has {value:.4f}")
        return replace(grade, details={"measure": value})
    outcome = Outcome.CORRECT if value >= 1 else Outcome.PARTIAL if value > 0 else Outcome.INCORRECT
    return Grade(outcome, value, explanation=f"the measure is {value:.4f}")


def _grade_choice(expected: Sequence[str], answer: str, options: Options) -> Grade:
    _ = options
    right = {one.strip().upper() for one in expected}
    letter = robust_choice(answer, letters=_USUAL if right <= set(_USUAL) else ascii_uppercase)
    if letter is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer chooses no single letter")
    return _graded(letter in right, letter, "give the expected letter")


_GRADERS: Mapping[Grading, Callable[[Sequence[str], str, Options], Grade]] = {
    Grading.EXACT: _grade_exact,
    Grading.CONTAINS: _grade_contains,
    Grading.REGEX: _grade_regex,
    Grading.NUMBER: _grade_number,
    Grading.CHOICE: _grade_choice,
    Grading.F1: functools.partial(_grade_overlap, f1),
    Grading.ROUGE_L: functools.partial(_grade_overlap, rouge_l),
    Grading.BLEU: _grade_bleu,
}


def _graded(is_right: bool, extracted: str | None, claim: str) -> Grade:  # noqa: FBT001
    outcome, word = (Outcome.CORRECT, "does") if is_right else (Outcome.INCORRECT, "does not")
    return Grade(outcome, float(is_right), extracted=extracted, explanation=f"the answer {word} {claim}")


def _value(text: str) -> Fraction | None:
    number = parse_number(text)
    if number is not None:
        return Fraction(number)
    return Fraction(text) if _FRACTION.fullmatch(text.strip()) else None


def texts_of(expected: Json) -> tuple[str, ...]:
    """Each right answer as text; empty where one of them has no text form."""
    members = expected if isinstance(expected, Sequence) and not isinstance(expected, str) else [expected]
    if not members or not all(isinstance(member, str | int | float) for member in members):
        return ()
    return tuple(_text(member) for member in members)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
