"""The leaderboard of the code catalogue."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query

from assay.api.access.actor import CurrentActor, require_control
from assay.api.dependencies import Services
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
from assay.engine.code_harness.names import BASE_LEVEL

router = APIRouter(prefix="/leaderboard", tags=["code harness"])

WhichBoard = Annotated[
    str | None,
    Query(max_length=200, description="Key of a board; by default that of all tasks with the most runs"),
]
_PROBLEMS: Final = problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)


@router.get("", responses=_PROBLEMS)
async def show_harness_leaderboard(services: Services, board: WhichBoard = None) -> HarnessLeaderboard:
    """The best run of each model and thinking level, among runs that are equal in everything else."""
    found = await code_boards(services.stores.runs)
    boards = {one.key: HarnessBoard.model_validate(board_document(one)) for one in found}
    chosen = _chosen(found, board)
    return HarnessLeaderboard(
        models=boards[chosen.key].models if chosen else (),
        board=chosen.key if chosen else None,
        boards=tuple(boards.values()),
    )


# A path, because names of models contain slashes.
@router.delete(
    "/{model:path}",
    responses=_PROBLEMS | problems(HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT),
    dependencies=[BENCHMARK_TOKEN],
)
async def remove_from_harness_leaderboard(
    model: str,
    services: Services,
    actor: CurrentActor,
    thinking_level: Annotated[Level, Query(description="`base` for none")] = BASE_LEVEL,
    board: WhichBoard = None,
) -> HarnessRemoved:
    """Delete the runs behind a row; 403 if one belongs to somebody else, 409 if one has other results."""
    required_model(model)
    stores = services.stores
    chosen = _chosen(await code_boards(stores.runs), board)
    behind = await runs_behind(stores.runs, chosen.key, model=model, level=thinking_level) if chosen else ()
    for run_id in behind:
        require_control(await stores.runs.get(run_id), actor, services)
    for run_id in behind:
        await stores.runs.delete(run_id)
    if behind:
        await stores.runs.delete_unused_texts()
    return HarnessRemoved(
        model_id=model,
        thinking_level=thinking_level,
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
