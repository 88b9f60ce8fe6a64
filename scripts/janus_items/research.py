"""Questions over invented documents: nothing about them can be remembered or looked up."""

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import cast

from scripts.janus_items.draw import Draw, RedrawError
from scripts.janus_items.task import Task
from scripts.janus_items.world import World
from scripts.janus_items.worlds.bulletins import BULLETINS
from scripts.janus_items.worlds.clocks import clocks
from scripts.janus_items.worlds.dairy import dairy
from scripts.janus_items.worlds.expedition import expedition
from scripts.janus_items.worlds.ferries import ferries
from scripts.janus_items.worlds.foundry import foundry
from scripts.janus_items.worlds.heating import heating
from scripts.janus_items.worlds.huts import huts
from scripts.janus_items.worlds.libraries import libraries
from scripts.janus_items.worlds.observatory import observatory
from scripts.janus_items.worlds.plants import plants
from scripts.janus_items.worlds.provenance import provenance
from scripts.janus_items.worlds.seeds import seeds
from scripts.janus_items.worlds.theatre import theatre
from scripts.janus_items.worlds.tournament import tournament
from scripts.janus_items.worlds.trains import trains

Make = Callable[[Draw], World]
_WORLDS: tuple[Make, ...] = (
    ferries, seeds, observatory, tournament, dairy, libraries, clocks, theatre, huts, plants, foundry, expedition,
    trains, heating, provenance,
)  # fmt: skip
_SEED = "janus_research:1"
_PER_TYPE = 20
# Words that a reply may leave out of a name, where it is clear what is named.
_KINDS = re.compile(r" (?:Pass|Branch|Farm)\b")
_FIGURE = re.compile(r"\d+:\d\d|\d+(?:\.\d+)?")


def tasks() -> list[Task]:
    made = [
        *_claims(),
        *_current_events(),
        *_questions("comparative", 1, lambda world: world.comparative),
        *_questions("synthesis", 2, lambda world: world.synthesis),
        *_questions("deep_dive", 3, lambda world: world.deep_dive),
    ]
    return list(map(_with_short_names, made))


def _with_short_names(task: Task) -> Task:
    texts = {
        label: "; ".join(cast("list[str]", value)) if isinstance(value, list) else str(value)
        for label, value in cast("dict[str, object]", task["expected_answer"]).items()
    }
    short = {label: [_KINDS.sub("", text)] for label, text in texts.items() if _KINDS.search(text)}
    evaluation = cast("dict[str, object]", task.get("evaluation", {}))
    accepted = {**short, **cast("dict[str, object]", evaluation.get("accept", {}))}
    return {**task, "evaluation": {**evaluation, "accept": accepted}} if short else task


def _claims() -> Iterator[Task]:
    """Half of them are false."""
    verdicts = Draw(f"{_SEED}:verdicts").some([True, False] * (_PER_TYPE // 2), _PER_TYPE)
    for number, is_true in enumerate(verdicts):
        make, variant = _world(number, 0)

        def made(draw: Draw, *, make: Make = make, variant: int = variant, is_true: bool = is_true) -> Task:
            world = make(draw)
            task = world.claims[variant](is_true)
            # Who copies figures must not meet the one that decides.
            if _deciding_figure(task) in _FIGURE.findall(_text(world).replace(",", "")):
                raise RedrawError
            return {"documents": _documents(world), **task}

        yield {"task_type": "fact_verification", **_drawn(f"fact_verification:{number}", made)}


def _current_events() -> Iterator[Task]:
    for number in range(_PER_TYPE):
        make = BULLETINS[number % len(BULLETINS)]
        yield {"task_type": "current_events", **_drawn(f"current_events:{number}", make)}


def _questions(task_type: str, shift: int, of: Callable[[World], tuple[Task, Task]]) -> Iterator[Task]:
    for number in range(_PER_TYPE):
        make, variant = _world(number, shift)

        def made(draw: Draw, *, make: Make = make, variant: int = variant) -> Task:
            world = make(draw)
            return {"documents": _documents(world), **of(world)[variant]}

        yield {"task_type": task_type, **_drawn(f"{task_type}:{number}", made)}


def _world(number: int, shift: int) -> tuple[Make, int]:
    """The kind of world of a task and which of its two questions; no question comes twice within a type."""
    return _WORLDS[(number + 5 * shift) % len(_WORLDS)], (number + shift) % 2


def _drawn(seed: str, make: Callable[[Draw], Task]) -> Task:
    for attempt in count():
        try:
            return make(Draw(f"{_SEED}:{seed}:{attempt}"))
        except RedrawError:
            continue
    raise AssertionError


def _documents(world: World) -> list[dict[str, str]]:
    return [{"title": title, "text": text} for title, text in world.documents]


def _text(world: World) -> str:
    return " ".join(part for document in world.documents for part in document)


def _deciding_figure(task: Task) -> str:
    expected = cast("dict[str, object]", task["expected_answer"])
    return str(next(iter(expected.values())))
