"""Moves the attempts of ended runs into files, and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import typer

from assay.cli.actions.remove_runs import age_of
from assay.cli.output.write import write_json
from assay.domain.errors import InvalidValueError
from assay.domain.run import RunId
from assay.domain.stats import plural
from assay.engine.clock import SystemClock
from assay.engine.fleet.retention import offload_runs
from assay.engine.stores import Stores
from assay.engine.stores.offload import OffloadedRun
from assay.installation import opened_stores
from assay.settings import load_settings


@dataclass(frozen=True, slots=True)
class WantedMove:
    names: tuple[str, ...]
    older_than: str | None
    is_back: bool
    is_dry: bool

    def __post_init__(self) -> None:
        if not self.names and self.older_than is None:
            raise InvalidValueError("say which runs: name them, or give --older-than")
        if self.names and self.older_than is not None:
            raise InvalidValueError("name runs or give --older-than, not both")
        if self.is_back and (self.is_dry or self.older_than is not None):
            raise InvalidValueError("--restore takes the ids of runs alone")


async def move_runs(wanted: WantedMove, *, as_json: bool) -> None:
    async with opened_stores(load_settings()) as stores:
        run_ids = await _chosen(stores, wanted)
        if wanted.is_dry:
            await _print_dry(stores, run_ids, as_json=as_json)
            return
        if wanted.is_back:
            done = [await stores.offload.restore(run_id) for run_id in run_ids]
        else:
            done = [one async for one in offload_runs(stores, run_ids, SystemClock())]
        _print_done(done, is_back=wanted.is_back, as_json=as_json)


async def _chosen(stores: Stores, wanted: WantedMove) -> list[RunId]:
    if wanted.older_than is not None:
        return list(await stores.offload.ended_before(datetime.now(UTC) - age_of(wanted.older_than)))
    # All are looked up first: a misspelt one moves nothing.
    return list(dict.fromkeys([(await stores.runs.get(name)).id for name in wanted.names]))


async def _print_dry(stores: Stores, run_ids: Sequence[RunId], *, as_json: bool) -> None:
    found = await stores.offload.measure(run_ids)
    if as_json:
        runs = [{"run_id": run_id, "attempts": count} for run_id, count in found.attempts.items()]
        write_json({"offloaded": False, "runs": runs, "freed_bytes": found.freed_bytes})
        return
    for run_id, count in found.attempts.items():
        typer.echo(f"{run_id}  {plural(count, 'attempt')}")
    typer.echo(
        f"{plural(len(found.attempts), 'run')} with {plural(sum(found.attempts.values()), 'attempt')}"
        f" would be offloaded, which frees about {found.freed_bytes:,} bytes of the database"
    )


def _print_done(done: Sequence[OffloadedRun], *, is_back: bool, as_json: bool) -> None:
    if as_json:
        runs = [
            {"run_id": one.run_id, "attempts": one.attempts, "file_bytes": one.file_bytes} for one in done
        ]
        write_json({"offloaded": not is_back, "runs": runs})
        return
    attempts, size = sum(one.attempts for one in done), sum(one.file_bytes for one in done)
    what = f"{plural(len(done), 'run')} with {plural(attempts, 'attempt')}"
    typer.echo(f"brought back {what}" if is_back else f"offloaded {what} into files of {size:,} bytes")
