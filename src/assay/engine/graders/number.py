"""Grading numbers by value: 24, 024 and 24.0 are one number, 1,000 and 1000 too."""

import re
from decimal import Decimal

from assay.domain.benchmark import Grade
from assay.domain.errors import GraderError
from assay.domain.outcome import Outcome

# Longer ones are no answer to anything, and would only slow the grader down.
_MAX_CHARACTERS = 1000
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.(?P<decimals>[0-9]*))?"
    r"(?P<exponent>[eE][+-]?[0-9]{1,4})?"
)
# How typeset text writes a minus and the gap between thousands.
_TYPESET = {"\u2212": "-", "\u00a0": ",", "\u2009": ",", "\u202f": ",", "{,}": ",", "\\,": ","}


def parse_number(text: str) -> Decimal | None:
    """The number that the whole text is, or None."""
    plain = text.strip().strip("$")
    if len(plain) > _MAX_CHARACTERS:
        return None
    for typeset, typed in _TYPESET.items():
        plain = plain.replace(typeset, typed)
    match = _NUMBER.fullmatch(plain)
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    whole, decimals = match["whole"].replace(",", "") or "0", match["decimals"] or "0"
    return Decimal(f"{match['sign']}{whole}.{decimals}{match['exponent'] or ''}")


def grade_number(extracted: str | None, expected: str) -> Grade:
    """Equal values are correct; what is no number is unparsed."""
    right = parse_number(expected)
    if right is None:
        raise GraderError(f"the expected answer {expected!r} is not a number; the item's data is faulty")
    found = parse_number(extracted or "")
    if found is None:
        return Grade(Outcome.UNPARSED, 0.0, extracted=extracted, explanation="the answer gives no number")
    if found == right:
        return Grade(Outcome.CORRECT, 1.0, extracted=extracted, explanation=f"{extracted} equals {expected}")
    return Grade(Outcome.INCORRECT, 0.0, extracted=extracted, explanation=f"{extracted}, right is {expected}")
