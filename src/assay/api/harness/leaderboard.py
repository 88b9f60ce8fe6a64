"""The leaderboard of the code catalogue."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query

from assay.api.access.actor import Actor, CurrentActor, require_control
from assay.api.dependencies import ApiServices, Services
from assay.api.errors import problems
from assay.api.harness.access import BENCHMARK_TOKEN
from assay.api.harness.ids import required_model
from assay.api.schemas.harness import HarnessBoard, HarnessLeaderboard, HarnessRemoved, Level
from assay.domain.errors import UnknownNameError
from assay.engine.code_harness.leaderboard import (
    Board,
    board_document,
    code_boards,
    default_board,
    runs_behind,
)
from assay.engine.code_harness.names import BASE_LEVEL, BENCHMARK

router = APIRouter(prefix="/leaderboard", tags=["code harness"])

WhichBoard = Annotated[
    str | None,
    Query(max_length=200, description="Key of a board; by default that of all tasks with the most runs"),
]
RemovedLevel = Annotated[Level, Query(description="`base` for none")]
PROBLEMS: Final = problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
REMOVAL_PROBLEMS: Final = problems(HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT)


@router.get("", responses=PROBLEMS)
async def show_harness_leaderboard(services: Services, board: WhichBoard = None) -> HarnessLeaderboard:
    """The best run of each model and thinking level, among runs that are equal in everything else."""
    return await leaderboard(services, BENCHMARK, board)


# A path, because names of models contain slashes.
@router.delete("/{model:path}", responses=PROBLEMS | REMOVAL_PROBLEMS, dependencies=[BENCHMARK_TOKEN])
async def remove_from_harness_leaderboard(
    model: str,
    services: Services,
    actor: CurrentActor,
    thinking_level: RemovedLevel = BASE_LEVEL,
    board: WhichBoard = None,
) -> HarnessRemoved:
    """Delete the runs behind a row; 403 if one belongs to somebody else, 409 if one has other results."""
    row = RemovedRow(BENCHMARK, board, model, thinking_level)
    return await remove(row, services, actor)


async def leaderboard(services: ApiServices, family: str, board: str | None) -> HarnessLeaderboard:
    found = await code_boards(services.stores.runs, family=family)
    boards = {one.key: HarnessBoard.model_validate(board_document(one)) for one in found}
    chosen = _chosen(found, board)
    return HarnessLeaderboard(
        models=boards[chosen.key].models if chosen else (),
        board=chosen.key if chosen else None,
        boards=tuple(boards.values()),
    )


@dataclass(frozen=True, slots=True)
class RemovedRow:
    family: str
    board: str | None
    model: str
    level: str


async def remove(row: RemovedRow, services: ApiServices, actor: Actor) -> HarnessRemoved:
    required_model(row.model)
    runs = services.stores.runs
    chosen = _chosen(await code_boards(runs, family=row.family), row.board)
    behind = (
        await runs_behind(runs, chosen.key, model=row.model, level=row.level, family=row.family)
        if chosen
        else ()
    )
    for run_id in behind:
        require_control(await runs.get(run_id), actor, services)
    for run_id in behind:
        await runs.delete(run_id)
    if behind:
        await runs.delete_unused_texts()
        await services.stores.offload.delete_unused_files()
    return HarnessRemoved(
        model_id=row.model,
        thinking_level=row.level,
        removed_runs=len(behind),
        status="removed" if behind else "already_missing",
    )


def _chosen(found: tuple[Board, ...], key: str | None) -> Board | None:
    """Without a key the board of all tasks; without that the first, so that runs of some tasks are shown."""
    if key is None:
        return default_board(found) or next(iter(found), None)
    for one in found:
        if one.key == key:
            return one
    raise UnknownNameError("board", key)
