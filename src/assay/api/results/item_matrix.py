"""The score of each evaluation on each item."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from assay.api.schemas.results.comparisons import ItemCell, ItemChoice, ItemMatrix, ItemRow
from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.engine.results.masking import masked_attempt
from assay.engine.stores.attempts import AttemptStore


@dataclass(slots=True)
class _Cell:
    scores: list[float] = field(default_factory=list[float])
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    extracted: str | None = None
    expected: str | None = None

    def add(self, attempt: Attempt) -> None:
        self.outcomes.append(attempt.outcome)
        if attempt.score is not None:
            self.scores.append(attempt.score)
        self.extracted = self.extracted or attempt.extracted
        self.expected = self.expected or attempt.expected

    @property
    def score(self) -> float | None:
        return sum(self.scores) / len(self.scores) if self.scores else None


_Row = tuple[_Cell | None, ...]


@dataclass(frozen=True, slots=True)
class ItemPageQuery:
    choice: ItemChoice
    limit: int
    cursor: str | None = None
    is_masked: bool = False


async def item_matrix(
    attempts: AttemptStore, evaluations: Sequence[Evaluation], wanted: ItemPageQuery
) -> ItemMatrix:
    columns = [await _column(attempts.results(one.id), is_masked=wanted.is_masked) for one in evaluations]
    item_ids = sorted({item_id for column in columns for item_id in column})
    rows = [(item_id, tuple(column.get(item_id) for column in columns)) for item_id in item_ids]
    chosen = [(item_id, row) for item_id, row in rows if _is_wanted(row, wanted.choice)]
    ids = [item_id for item_id, _row in chosen]
    start = 0 if wanted.cursor is None else bisect_right(ids, wanted.cursor)
    page = chosen[start : start + wanted.limit]
    has_more = start + wanted.limit < len(chosen)
    return ItemMatrix(
        items=tuple(_shown(item_id, row) for item_id, row in page),
        total=len(chosen),
        next_cursor=page[-1][0] if has_more else None,
        is_masked=wanted.is_masked,
    )


async def _column(attempts: AsyncIterator[Attempt], *, is_masked: bool) -> dict[ItemId, _Cell]:
    cells: dict[ItemId, _Cell] = defaultdict(_Cell)
    async for attempt in attempts:
        cells[attempt.item_id].add(masked_attempt(attempt) if is_masked else attempt)
    return cells


def _is_wanted(row: _Row, choice: ItemChoice) -> bool:
    scores = [cell.score if cell else None for cell in row]
    known = [score for score in scores if score is not None]
    match choice:
        case "all":
            return True
        case "disagree":
            return len(set(known)) > 1
        case "only_first":
            first, others = scores[0], [score for score in scores[1:] if score is not None]
            return first is not None and bool(others) and first > max(others)
        case "all_wrong":
            return bool(known) and max(known) == 0


def _shown(item_id: ItemId, row: _Row) -> ItemRow:
    cells = tuple(
        cell and ItemCell(score=cell.score, outcomes=tuple(cell.outcomes), extracted=cell.extracted)
        for cell in row
    )
    expected = next((cell.expected for cell in row if cell and cell.expected is not None), None)
    return ItemRow(item_id=item_id, expected=expected, cells=cells)
