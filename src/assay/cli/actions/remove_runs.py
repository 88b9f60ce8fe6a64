"""Deletes runs: those that are named, or those of an age and a state."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import typer

from assay.cli.actions.audit import note
from assay.cli.output.run_report import run_reports
from assay.cli.output.show_rows import print_list, state_named
from assay.cli.output.write import write_json
from assay.domain.errors import InvalidValueError
from assay.domain.run import RunId, State
from assay.domain.stats import plural
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter, StoredRun
from assay.installation import opened_stores
from assay.settings import load_settings

_AGE = re.compile(r"(\d{1,5})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_DELETABLE = frozenset(state for state in State if state.is_settled)
_PAGE = 200


@dataclass(frozen=True, slots=True)
class WantedRuns:
    older_than: str | None
    states: tuple[str, ...]
    is_dry: bool
    is_confirmed: bool

    def filter(self) -> RunFilter:
        if self.older_than is None and not self.states:
            raise InvalidValueError("say which runs: give --older-than, --status or both")
        states = frozenset(state for name in self.states if (state := state_named(name)))
        if not states <= _DELETABLE:
            raise InvalidValueError("only runs that have ended or are paused can be deleted")
        return RunFilter(
            states=states or _DELETABLE,
            created_before=None if self.older_than is None else datetime.now(UTC) - age_of(self.older_than),
            limit=_PAGE,
        )


async def remove_named(names: Sequence[str], *, as_json: bool) -> None:
    async with opened_stores(load_settings()) as stores:
        # All are looked up first: a misspelt one deletes nothing.
        found = dict.fromkeys([(await stores.runs.get(name)).id for name in names])
        await _delete(stores, list(found), as_json=as_json)


async def prune_runs(wanted: WantedRuns, *, as_json: bool) -> None:
    async with opened_stores(load_settings()) as stores:
        found = await _matching(stores, wanted.filter())
        ids = [one.run.id for one in found]
        if not as_json and found:
            print_list(await run_reports(stores, found))
        if wanted.is_dry:
            _print_deleted(ids, as_json=as_json, is_dry=True)
            return
        if ids and not wanted.is_confirmed:
            _confirm(len(ids))
        await _delete(stores, ids, as_json=as_json)


async def _matching(stores: Stores, wanted: RunFilter) -> list[StoredRun]:
    found: list[StoredRun] = []
    while True:
        page = await stores.runs.page_with_outcomes(replace(wanted, offset=len(found)))
        found += page.runs
        if len(found) >= page.total or not page.runs:
            return found


def _confirm(count: int) -> None:
    if not sys.stdin.isatty():
        raise InvalidValueError(
            f"{plural(count, 'run')} would be deleted; add --yes to delete without asking"
        )
    typer.confirm(f"\nDelete {plural(count, 'run')} for good?", abort=True, err=True)


async def _delete(stores: Stores, ids: Sequence[RunId], *, as_json: bool) -> None:
    deleted: list[RunId] = []
    try:
        for run_id in ids:
            await stores.runs.delete(run_id)
            deleted.append(run_id)
    finally:
        if deleted:
            await note(stores, "delete_runs", " ".join(deleted))
            await stores.runs.delete_unused_texts()
            await stores.offload.delete_unused_files()
    _print_deleted(deleted, as_json=as_json, is_dry=False)


def _print_deleted(ids: Sequence[RunId], *, as_json: bool, is_dry: bool) -> None:
    if as_json:
        write_json({"deleted": not is_dry, "runs": list(ids)})
    elif is_dry:
        typer.echo(f"{plural(len(ids), 'run')} would be deleted")
    else:
        typer.echo(f"deleted {plural(len(ids), 'run')}")


def age_of(text: str) -> timedelta:
    found = _AGE.fullmatch(text)
    if found is None:
        raise InvalidValueError(
            f"age must be a number of hours, days or weeks such as 12h, 30d or 8w, not {text!r}"
        )
    return int(found[1]) * _UNITS[found[2]]
