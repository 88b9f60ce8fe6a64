"""The number a reply gives as its answer: the last statement that names one wins, else the last number."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from assay.engine.graders.robust.cues import CONNECTOR, cues_backwards, sentence_at
from assay.engine.graders.robust.markup import BOX_CLOSES, BOX_OPENS, plain
from assay.engine.graders.robust.visible import visible_text

# Longer ones are no answer to anything, and would only slow the reader down.
_MOST_DIGITS = 60
_MOST_BOXES = 16
_LONGEST_VALUE = 500
_MOST_CONNECTORS = 6

_THOUSANDS = r"[0-9]{1,3}(?:(?:,|\{,\}|[\u2009\u202f'])[0-9]{3}(?![0-9])){1,20}"
_DIGITS = rf"[0-9]{{1,{_MOST_DIGITS}}}"
_POWER = r"\^ ?\{{?(?P<{}>[+-]?[0-9]{{1,3}})\}}?"
_TEN_TO_THE = rf" ?(?:\\times|\\cdot|[\u00d7\u00b7x*]) ?10 ?{_POWER.format('ten')}"
_PART = r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?"
_NUMBER = re.compile(
    r"(?P<sign>[+-]? ?)(?:"
    rf"\\[dt]?frac ?\{{ ?(?P<over>{_PART}) ?\}} ?\{{ ?(?P<under>{_PART}) ?\}}|"
    rf"10 ?{_POWER.format('bare_ten')}|"
    rf"(?:(?P<whole>{_THOUSANDS}|{_DIGITS})(?:[.,](?P<decimals>{_DIGITS}))?|\.(?P<bare>{_DIGITS}))"
    rf"(?:[eE](?P<e>[+-]?[0-9]{{1,3}})|{_TEN_TO_THE})?(?: ?/ ?(?P<divisor>[0-9]{{1,30}})(?![0-9/]))?)"
)
_LEAD_WORDS = (
    "approximately", "about", "roughly", "around", "exactly", "only", "just", "simply", "therefore", "thus",
    "hence", "then", "equal to", "equals", "the number", "the integer", "the value", "a total of", "is",
    "are", "be", "option", "answer", "of", "to",
)  # fmt: skip
_LEAD = re.compile(
    r"(?:\s|[:=\"'(\[#>\u2248\u2192]|\\?[$\u20ac\u00a3\u00a5]|\\approx"
    rf"|(?i:{'|'.join(_LEAD_WORDS)})\b){{0,12}}+"
)
# What makes the number before it a part of something: a power, a sum, a product, a list, a choice, a name.
_GOES_ON = re.compile(
    r"(?! ?\^ ?\{?(?:\\circ|\u00b0)) ?(?:"
    r"[+*/^\u00d7\u00b7] ?[\w(\\{]|\\(?:times|cdot|div|sqrt|pi|binom)(?![a-z])|[\u221a\u03c0]|![^ ]|- ?[0-9])"
    r"|,? {1,3}(?:or|and|to) {1,3}[-\\$]?[0-9]|, ?-?[0-9]|:[0-9]| [0-9]"
    r"|[a-zA-Z](?![a-zA-Z])(?<![mskgKJNWVALhCF])"
)
# Thousands set apart by a thin space in LaTeX.
_GROUPED = re.compile(r"(?<=[0-9])\\[,!:;](?=[0-9]{3}(?![0-9]))")
_BOX = re.compile(rf"{BOX_OPENS}([^{BOX_OPENS}]{{1,{_LONGEST_VALUE}}}?){BOX_CLOSES}")
_EQUALS = re.compile(r"=|\u2248|\\(?:approx|equiv)(?![a-z])")
_BEGINNING = re.compile(r"(?<![\w.\\^_/])(?<![0-9],)-?(?:\\[dt]?frac ?\{|[0-9.])")
_LINE_NUMBER = re.compile(r"(?:^|\n)\(?$")
_LABEL = re.compile(r"(?i:step|problem|question|case|figure|equation|eq\.|part|aime|chapter|section) $")


@dataclass(frozen=True, slots=True)
class _Statement:
    """`number` is None where several are named, or an expression that is not worked out."""

    end: int
    number: str | None


def robust_number(reply: str) -> str | None:
    """The number as plain digits: `1,024`, `1024.0` and `2^{10}` boxed as `1024` are all "1024".

    Decimals lose trailing zeros, fractions are given in lowest terms as "3/4". A statement that names several
    numbers, or an expression that is not worked out, is no answer.
    """
    text = plain(_GROUPED.sub(",", visible_text(reply)))
    found = (_boxed(text), _cued(text), _last_line(text))
    statement = max((one for one in found if one), key=lambda one: one.end, default=None)
    return statement.number if statement else _last_number(text)


def robust_value(content: str) -> str | None:
    """The number that a statement is, once it is found: what a box holds, or what a label announces."""
    return next(_values(plain(_GROUPED.sub(",", content))), None)


def _boxed(text: str) -> _Statement | None:
    for box in reversed(list(_BOX.finditer(text))[-_MOST_BOXES:]):
        if box[1].strip():
            # In a box an exclamation mark is a factorial.
            number = None if box[1].rstrip().endswith("!") else next(_values(box[1]), None)
            return _Statement(box.end(), number)
    return None


def _cued(text: str) -> _Statement | None:
    for cue in cues_backwards(text):
        if cue.kind != "answer":
            continue
        sentence = sentence_at(text, cue.end)
        for number in _announced(sentence, is_tagged=text[cue.end - 1] == ">"):
            return _Statement(cue.end + len(sentence), number)
    return None


def _announced(sentence: str, *, is_tagged: bool) -> Iterator[str | None]:
    if is_tagged:
        yield from _values(sentence)
        return
    for connector in islice(CONNECTOR.finditer(sentence), _MOST_CONNECTORS):
        yield from _values(sentence[connector.end() :])


def _last_line(text: str) -> _Statement | None:
    line = text.rpartition("\n")[2].strip().strip(".")
    found = _NUMBER.fullmatch(line.removeprefix("= "))
    return _Statement(len(text), _canonical(found)) if found else None


def _values(content: str) -> Iterator[str | None]:
    """The number that a statement begins with, or that its last equation ends in; nothing without one."""
    parts = _EQUALS.split(content[:_LONGEST_VALUE])
    lead = _LEAD.match(parts[-1])
    start = lead.end() if lead else 0
    found = _NUMBER.match(parts[-1], start)
    if found:
        yield None if _GOES_ON.match(parts[-1], found.end()) else _canonical(found)


def _last_number(text: str) -> str | None:
    """The last number that stands alone and does not number a line or a step."""
    for start in reversed([found.start() for found in _BEGINNING.finditer(text)]):
        found = _NUMBER.match(text, start)
        if found and not _is_label(text, found):
            return _canonical(found)
    return None


def _is_label(text: str, found: re.Match[str]) -> bool:
    """Whether the number counts lines or steps."""
    before = text[max(0, found.start() - 12) : found.start()]
    is_marker = text[found.end() : found.end() + 2] in (". ", ") ", ".\n", ")\n", ": ", ":\n")
    return bool(_LABEL.search(before) or (is_marker and _LINE_NUMBER.search(before)))


def _canonical(found: re.Match[str]) -> str | None:
    sign = -1 if found["sign"].startswith("-") else 1
    if found["over"] is not None:
        return _quotient(sign * Fraction(found["over"]), Fraction(found["under"]))
    if found["bare_ten"] is not None:
        return _decimal_text(sign * Fraction(10) ** int(found["bare_ten"]))
    digits = re.sub(r"[^0-9]", "", found["whole"] or "0")
    decimals = found["decimals"] or found["bare"] or "0"
    value = sign * Fraction(f"{digits}.{decimals}")
    power = found["e"] or found["ten"]
    if power:
        value *= Fraction(10) ** int(power)
    if found["divisor"]:
        return _quotient(value, Fraction(found["divisor"]))
    return _decimal_text(value)


def _quotient(over: Fraction, under: Fraction) -> str | None:
    if under == 0:
        return None
    return str(over / under)


def _decimal_text(value: Fraction) -> str:
    """Exactly: every number read here has finitely many decimals."""
    if value.denominator == 1:
        return str(value.numerator)
    places = 0
    denominator = value.denominator
    while denominator > 1:
        denominator = (
            denominator // 10 if denominator % 10 == 0 else denominator // (5 if denominator % 5 == 0 else 2)
        )
        places += 1
    scaled = abs(value) * 10**places
    digits = str(scaled.numerator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
