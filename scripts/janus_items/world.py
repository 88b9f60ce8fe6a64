"""A world is a set of invented documents with the questions that can be asked about them."""

from collections.abc import Callable
from dataclasses import dataclass

from scripts.janus_items.draw import Draw
from scripts.janus_items.task import Task

Claim = Callable[[bool], Task]
"""Writes a claim that is true or false, as asked for."""


@dataclass(frozen=True)
class World:
    documents: list[tuple[str, str]]
    claims: tuple[Claim, Claim]
    comparative: tuple[Task, Task]
    synthesis: tuple[Task, Task]
    deep_dive: tuple[Task, Task]


def ask(query: str, answers: dict[str, object], **evaluation: object) -> Task:
    return {"query": query, "expected_answer": answers, **({"evaluation": evaluation} if evaluation else {})}


def claim(text: str, label: str, value: object, *, is_true: bool) -> Task:
    """The value that decides must be stated as well: a guessed verdict is worth nothing."""
    return {
        "claim": text,
        "expected_answer": {label: value, "Verdict": is_true},
        "evaluation": {"all_or_nothing": True},
    }


def bound(draw: Draw, value: int, *, is_below: bool) -> int:
    """A figure of three digits near the value, that the value exceeds if `is_below`."""
    gap = max(2, value * draw.integer(3, 9) // 100)
    return round(value - gap if is_below else value + gap, 3 - len(str(value)))


def listed(members: list[str]) -> str:
    return f"{', '.join(members[:-1])} and {members[-1]}"
