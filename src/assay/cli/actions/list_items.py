"""Lists the attempts of a run: which items failed, and how."""

from collections.abc import Sequence
from dataclasses import dataclass

import typer

from assay.cli.output.show_item import attempt_document
from assay.cli.output.write import write_json, write_note, write_table
from assay.domain.attempt import Attempt
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import is_masked, masked_attempt
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter
from assay.installation import opened_stores
from assay.settings import load_settings

_COLUMNS = ("ITEM", "SAMPLE", "MODEL", "BENCHMARK", "OUTCOME", "SCORE", "ANSWER OR ERROR")
_FOLDED = frozenset({"ITEM", "MODEL", "BENCHMARK", "ANSWER OR ERROR"})
_SHOWN_CHARACTERS = 100

_Found = tuple[Evaluation, Attempt]


@dataclass(frozen=True, slots=True)
class WantedItems:
    run_id: str
    outcomes: tuple[str, ...] = ()
    search: str | None = None
    limit: int = 50
    reveal: bool = False

    @property
    def filter(self) -> AttemptFilter:
        return AttemptFilter(outcomes=_outcomes_named(self.outcomes), search=self.search, limit=self.limit)


async def list_items(wanted: WantedItems, *, as_json: bool) -> None:
    async with opened_stores(load_settings()) as stores:
        run = await stores.runs.get(wanted.run_id)
        evaluations = (await stores.runs.evaluations_of([run.id]))[run.id]
        found = await _found(stores, evaluations, wanted)
        total = sum([await stores.attempts.count(one.id, wanted.filter) for one in evaluations])
    if as_json:
        write_json({"items": [attempt_document(*one) for one in found], "total": total})
    elif not found:
        typer.echo(f"no attempt of run {run.id[:8]} matches")
    else:
        _print_table(evaluations, found)
        if total > len(found):
            typer.echo(f"… {total - len(found):,} more; list them with --limit")
        write_note(f"see one in full with: assay show {run.id[:8]} --item ITEM")


async def _found(stores: Stores, evaluations: Sequence[Evaluation], wanted: WantedItems) -> list[_Found]:
    catalogue = Catalogue.installed()
    found: list[_Found] = []
    for one in evaluations:
        masks = not wanted.reveal and is_masked(one, catalogue)
        if masks and wanted.search is not None:
            raise InvalidValueError(
                f"the texts of {one.benchmark!r} are masked and cannot be searched; add --reveal"
            )
        page = await stores.attempts.page(one.id, wanted.filter)
        found += [(one, masked_attempt(attempt) if masks else attempt) for attempt in page]
    return found[: wanted.limit]


def _print_table(evaluations: Sequence[Evaluation], found: Sequence[_Found]) -> None:
    """What all attempts of the run share is said once above the table, which leaves room for the messages."""
    names = {
        "MODEL": {one.model for one in evaluations},
        "BENCHMARK": {one.benchmark for one in evaluations},
    }
    left_out = {name: values.pop() for name, values in names.items() if len(values) == 1}
    if left_out:
        write_note(" on ".join(left_out.values()))
    if all(one.samples == 1 for one in evaluations):
        left_out["SAMPLE"] = "0"
    kept = [number for number, name in enumerate(_COLUMNS) if name not in left_out]
    rows = [_row(*one) for one in found]
    columns = [_COLUMNS[number] for number in kept]
    cells = [[row[number] for number in kept] for row in rows]
    write_table(columns, cells, folded=_FOLDED.intersection(columns), optional=("SCORE",))


def _row(evaluation: Evaluation, attempt: Attempt) -> tuple[str, ...]:
    text = attempt.error_message or attempt.extracted or attempt.answer
    line = " ".join(text.split())
    return (
        attempt.item_id,
        str(attempt.sample),
        evaluation.model,
        evaluation.benchmark,
        attempt.outcome.value,
        "-" if attempt.score is None else f"{attempt.score:g}",
        line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…",
    )


def _outcomes_named(names: Sequence[str]) -> frozenset[Outcome]:
    unknown = next((name for name in names if name not in set(Outcome)), None)
    if unknown is not None:
        raise UnknownNameError("outcome", unknown, remedy=f"there are {', '.join(Outcome)}")
    return frozenset(map(Outcome, names))
