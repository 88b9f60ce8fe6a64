"""One row per attempt, for spreadsheets: full texts, escaped so that none is executed as a formula."""

from collections.abc import Iterable, Sequence
from typing import IO

from assay.domain.attempt import Attempt
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import CONTRACT_STATUS, EvaluationIdentity, attempt_document, iso_seconds
from assay.engine.exports.figures import Object
from assay.engine.exports.writing import ExportTools, write_run
from assay.engine.results.csv_table import CsvTable

_RUN = (
    "run_id",
    "model_slug",
    "subset_pct",
    "subset_count",
    "subset_seed",
    "run_status",
    "run_started_at",
    "run_completed_at",
    "overall_score",
)
_EVALUATION = (
    "benchmark_name",
    "benchmark_status",
    "benchmark_score",
    "sampled_items",
    "completed_items",
)
_CONTRACT = ("item_id", "prompt", "response", "expected", "is_correct", "score", "latency_ms", "error")
_ATTEMPT = (
    "sample",
    "outcome",
    "extracted",
    "reasoning",
    "finish_reason",
    "is_cut",
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cost_usd",
    "tries",
    "error_code",
    "item_hash",
    "started_at",
    "finished_at",
)
_TIMING = ("ttft_ms", "ttfat_ms", "max_gap_ms", "tokens_per_s", "continuity")
COLUMNS = (*_RUN, *_EVALUATION, *_CONTRACT, *_ATTEMPT, *_TIMING)
_TABLE = CsvTable(COLUMNS)


async def export_csv(content: RunContent, target: IO[bytes], _tools: ExportTools) -> None:
    await write_run(content, CsvWriter(content, target))


class CsvWriter:
    def __init__(self, content: RunContent, target: IO[bytes]) -> None:
        self._content = content
        self._target = target
        self._common: tuple[object, ...] = ()
        self._one: EvaluationContent | None = None
        self._identity = EvaluationIdentity("", "", "")
        self._write([_TABLE.header])

    def begin(self, one: EvaluationContent) -> None:
        run, evaluation, score = self._content.run, one.evaluation, one.summary.score
        self._one, self._identity = one, EvaluationIdentity.of(evaluation)
        self._common = (
            run.id,
            evaluation.model,
            run.spec.subset.percent,
            run.spec.subset.count,
            run.spec.subset.seed,
            run.state.value,
            iso_seconds(run.started_at),
            iso_seconds(run.finished_at),
            self._content.overall_score.value,
            evaluation.benchmark,
            CONTRACT_STATUS[evaluation.state],
            score.value if score else None,
            evaluation.total_attempts,
            one.completed,
        )

    def add(self, attempts: Sequence[Attempt]) -> None:
        self._write(_TABLE.row(self._row(attempt)) for attempt in attempts)

    def _row(self, attempt: Attempt) -> tuple[object, ...]:
        facts = self._one.facts.get(attempt.item_id) if self._one else None
        item_hash = facts.item_hash if facts else None
        document: Object = attempt_document(attempt, self._identity, item_hash=item_hash)
        own = (document[name] for name in (*_CONTRACT, *_ATTEMPT))
        timing = (getattr(attempt.timing, name) if attempt.timing else None for name in _TIMING)
        return (*self._common, *own, *timing)

    def end(self) -> None:
        """Do nothing: no text follows the attempts."""

    def close(self) -> None:
        """Do nothing: no text follows the evaluations."""

    def _write(self, lines: Iterable[str]) -> None:
        self._target.write("".join(lines).encode("utf-8", "replace"))
