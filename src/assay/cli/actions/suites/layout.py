"""What a suite asks, and what of it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.domain.run import Evaluation, RunId
from assay.engine.execution.engine import Engine
from assay.engine.suites.matrix import Cell, Place, Stored, cells, key_of, stored
from assay.engine.suites.races import asked_together
from assay.engine.suites.suite import TAG, Suite


@dataclass(frozen=True, slots=True)
class Wanted:
    file: Path
    # Take no results that are stored already.
    again: bool = False
    as_json: bool = False
    fail_on_error: float | None = None


async def laid_out(engine: Engine, suite: Suite, *, again: bool) -> tuple[list[Cell], Stored]:
    """Every cell, and what the store has of them; nothing of it with `again`."""
    every = await cells(engine, suite)
    if again:
        return every, Stored({}, ())
    found = await stored(engine.stores, every, tag=tag_of(suite))
    return every, asked_together(suite, every, found)


def tag_of(suite: Suite) -> str:
    return next(tag for tag in suite.description.tags if tag.startswith(f"{TAG}:"))


async def places_of(engine: Engine, run_id: RunId, every: list[Cell]) -> dict[Place, Evaluation]:
    """The cells that a run asks."""
    made = {key_of(one): one for one in await engine.stores.runs.evaluations(run_id)}
    return {one.place: made[one.key] for one in every if one.key in made}


def without(places: list[Place], asked: Mapping[Place, object]) -> list[Place]:
    return [place for place in places if place not in asked]
