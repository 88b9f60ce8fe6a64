"""What a run with a stopping rule has settled."""

from http import HTTPStatus

from fastapi import APIRouter

from assay.api.dependencies import Caches, Services
from assay.api.errors import problems
from assay.api.schemas.results.race import RunRace
from assay.domain.errors import InvalidValueError
from assay.engine.results.race_report import race_report

router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get("/{run_id}/race", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_race(run_id: str, services: Services, caches: Caches) -> RunRace:
    """What is certain so far of a run with a stopping rule, how soon it was, and what was saved."""
    run = await services.stores.runs.get(run_id)
    counts = await services.stores.attempts.outcome_counts([run.id])
    made = sum(count for own in counts.values() for count in own.values())

    async def read() -> RunRace:
        report = await race_report(services.stores, run)
        if report is None:
            raise InvalidValueError(f"run {run.id[:8]!r} has no stopping rule: it asks all of its items")
        return RunRace.of(run, report)

    return await caches.races.get((run.id, run.state, made), read)
