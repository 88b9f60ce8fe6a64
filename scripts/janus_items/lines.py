"""Tasks whose reply is a number of lines."""

from collections.abc import Iterable

from scripts.janus_items.task import Task

_ROMAN = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def exact(prompt: str, lines: Iterable[object]) -> Task:
    return {"prompt": prompt, "expected_answer": "\n".join(map(str, lines))}


def by_rules(prompt: str, **rules: object) -> Task:
    return {"prompt": prompt, "evaluation": {"line_rules": rules}}


def roman(number: int) -> str:
    """For numbers below 400."""
    text = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        text += sign * count
    return text


def clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"
