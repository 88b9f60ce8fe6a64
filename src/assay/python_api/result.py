"""A stored run as a program or a notebook sees it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from assay.bootstrap import exporter
from assay.cli.actions.export_run import ExportRequest, exported_run
from assay.domain.attempt import LOGPROBS, Attempt
from assay.domain.errors import InvalidValueError, UnknownNameError, nearest_names
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, Run
from assay.engine.exports.content import run_content
from assay.engine.exports.documents import error_text, latency_ms
from assay.engine.exports.external.prompts import prompt_text
from assay.engine.exports.formats import ExportFormat
from assay.engine.exports.html.markup import STYLE, paragraph
from assay.engine.exports.html.run_page import scores_html
from assay.engine.exports.wording import answered_by, evaluation_notes, score_row
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import is_masked, masked_attempt
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter
from assay.installation import opened_stores
from assay.python_api.engine_thread import wait_for
from assay.settings import Settings, load_settings

if TYPE_CHECKING:
    import pandas
    import polars

_PAGE = 200


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """One model on one benchmark. `score` is None where no attempt has a verdict.

    The score is the mean over the `scored` of `total` attempts; the others are missing data, counted in
    `outcomes`. `interval` is its 95 % interval.
    """

    model: str
    benchmark: str
    benchmark_version: str
    state: str
    score: float | None
    interval: tuple[float, float] | None
    scored: int
    total: int
    outcomes: Mapping[str, int]
    metrics: Mapping[str, float]
    cost_usd: Decimal | None
    duration_s: float | None
    endpoint: str | None
    is_local_code: bool
    fingerprint: str
    error: str | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One attempt at one item: how it ended, and its texts, masked where the benchmark is gated."""

    model: str
    benchmark: str
    item_id: str
    sample: int
    outcome: str
    score: float | None
    prompt: str
    answer: str
    reasoning: str
    expected: str | None
    extracted: str | None
    explanation: str
    error: str | None
    latency_ms: float
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    logprob_mean: float | None
    logprob_lowest: float | None


_COLUMNS = {
    name: next(one for one in (*get_args(kind), kind) if isinstance(one, type))
    for name, kind in get_type_hints(ItemResult).items()
}


class Result:
    """The scores of a run, and the way to its items and its exports.

    `state` is "succeeded", "failed", "paused" (as by a reached budget) or "canceled"; `error` says why.
    """

    def __init__(self, settings: Settings, run: Run, evaluations: Sequence[Evaluation]) -> None:
        self._settings = settings
        self._evaluations = tuple(evaluations)
        self.run_id: str = run.id
        self.state: str = run.state.value
        self.error = run.error
        self.name = run.description.name
        self.evaluations: tuple[EvaluationResult, ...] = tuple(map(_evaluation_result, evaluations))

    @property
    def score(self) -> float | None:
        """The score, for a run of one model on one benchmark."""
        return self._single().score

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the score, for a run of one model on one benchmark."""
        return self._single().interval

    def items(self, *, outcome: str | None = None, reveal: bool = False) -> Iterator[ItemResult]:
        """Every stored attempt, read page by page; `reveal` shows texts of gated benchmarks."""
        outcomes = frozenset[Outcome]() if outcome is None else frozenset({_outcome(outcome)})
        catalogue = Catalogue.installed()
        for one in self._evaluations:
            is_hidden = not reveal and is_masked(one, catalogue)
            after = None
            while page := wait_for(partial(self._page, one.id, AttemptFilter(outcomes, after, _PAGE))):
                for attempt in page:
                    yield _item_result(one, masked_attempt(attempt) if is_hidden else attempt)
                after = page[-1].key

    def to_pandas(self, *, reveal: bool = False) -> "pandas.DataFrame":
        """One row per attempt; needs pandas."""
        try:
            import pandas  # noqa: PLC0415 # an optional package
        except ImportError as error:
            raise _not_installed("pandas") from error
        return pandas.DataFrame(self._rows(reveal=reveal), columns=list(_COLUMNS))

    def to_polars(self, *, reveal: bool = False) -> "polars.DataFrame":
        """One row per attempt; needs Polars."""
        try:
            import polars  # noqa: PLC0415 # an optional package
        except ImportError as error:
            raise _not_installed("polars") from error
        return polars.DataFrame(self._rows(reveal=reveal), schema=_COLUMNS, orient="row")

    def to_html(self, path: str | Path, *, reveal: bool = False) -> Path:
        """Write one page for people that loads nothing from elsewhere; returns where it is."""
        return self.export(path, "html", reveal=reveal)

    def to_markdown(self) -> str:
        """The scores and what limits them, for a pull request."""
        return wait_for(self._markdown)

    def export(self, path: str | Path, format: str = "zip", *, reveal: bool = False) -> Path:  # noqa: A002
        """Write the run in a format of `assay export`: "zip" is signed, and `assay verify` checks it."""
        known = [one.value for one in ExportFormat]
        if format not in known:
            raise InvalidValueError(f"format must be one of {', '.join(known)}, not {format!r}")
        request = ExportRequest(out=Path(path), paper="a4", reveal=reveal, as_json=False)
        work = partial(exported_run, self._settings, self.run_id, ExportFormat(format), request)
        return wait_for(work)[1]

    def __repr__(self) -> str:
        lines = [f"run {self.run_id} {self.state}" + (f": {self.error}" if self.error else "")]
        for one in self._evaluations:
            model, benchmark, score, interval, scored, *_ = score_row(one, one.summary)
            spread = f" [{interval}]" if interval else ""
            lines.append(f"  {model} on {benchmark}: {score}{spread}, scored {scored}")
            lines += [f"    {note}" for note in (*answered_by(one), *evaluation_notes(one, one.summary))]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        notes = [paragraph(self.error, "bad")] if self.error else []
        for one in self._evaluations:
            notes += [paragraph(f"{one.model}: {note}", "soft") for note in answered_by(one)]
            notes += [
                paragraph(f"{one.model} on {one.benchmark}: {note}", "bad")
                for note in evaluation_notes(one, one.summary)
            ]
        scores = scores_html([(one, one.summary) for one in self._evaluations])
        said = paragraph(f"run {self.run_id} {self.state}", "soft")
        return f'<style>{STYLE}</style><div class="assay">{said}{scores}{"".join(notes)}</div>'

    def _single(self) -> EvaluationResult:
        if len(self.evaluations) != 1:
            raise InvalidValueError(
                f"the run has {len(self.evaluations)} evaluations, each with a score: see `evaluations`"
            )
        return self.evaluations[0]

    def _rows(self, *, reveal: bool) -> list[tuple[Any, ...]]:
        return [tuple(getattr(one, name) for name in _COLUMNS) for one in self.items(reveal=reveal)]

    async def _page(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> tuple[Attempt, ...]:
        async with opened_stores(self._settings) as stores:
            return await stores.attempts.page(evaluation_id, wanted)

    async def _markdown(self) -> str:
        file = BytesIO()
        async with opened_stores(self._settings) as stores:
            content = await run_content(stores, Catalogue.installed(), self.run_id, reveal=False)
            await exporter(self._settings).export(content, ExportFormat.MARKDOWN, file)
        return file.getvalue().decode()


def load(run: str) -> Result:
    """A stored run by its id, or the start of it, whoever started it: `assay run`, the web UI, or Python."""
    settings = load_settings()

    async def work() -> Result:
        async with opened_stores(settings) as stores:
            return await loaded(stores, settings, run)

    return wait_for(work)


async def loaded(stores: Stores, settings: Settings, run_id: str) -> Result:
    run = await stores.runs.get(run_id)
    return Result(settings, run, await stores.runs.evaluations(run.id))


def _evaluation_result(evaluation: Evaluation) -> EvaluationResult:
    summary = evaluation.summary
    score = summary.score if summary else None
    found = score.interval if score else None
    return EvaluationResult(
        model=evaluation.model,
        benchmark=evaluation.benchmark,
        benchmark_version=evaluation.benchmark_version,
        state=evaluation.state.value,
        score=score.value if score else None,
        interval=(found.low, found.high) if found else None,
        scored=summary.scored if summary else 0,
        total=evaluation.total_attempts,
        outcomes={one.value: count for one, count in summary.outcomes.items() if count} if summary else {},
        metrics={name: one.value for name, one in summary.metrics.items()} if summary else {},
        cost_usd=summary.cost_usd if summary else None,
        duration_s=summary.duration_s if summary else None,
        endpoint=evaluation.endpoint,
        is_local_code=evaluation.is_local_code,
        fingerprint=evaluation.fingerprint.value,
        error=evaluation.error,
        warnings=tuple(one.message for one in summary.warnings) if summary else (),
    )


def _item_result(evaluation: Evaluation, attempt: Attempt) -> ItemResult:
    cost_usd = attempt.cost_usd
    return ItemResult(
        model=evaluation.model,
        benchmark=evaluation.benchmark,
        item_id=attempt.item_id,
        sample=attempt.sample,
        outcome=attempt.outcome.value,
        score=attempt.score,
        prompt=prompt_text(attempt.prompt),
        answer=attempt.answer,
        reasoning=attempt.reasoning,
        expected=attempt.expected,
        extracted=attempt.extracted,
        explanation=attempt.explanation,
        error=error_text(attempt),
        latency_ms=latency_ms(attempt),
        input_tokens=attempt.usage.input_tokens,
        output_tokens=attempt.usage.output_tokens,
        cost_usd=None if cost_usd is None else float(cost_usd),
        logprob_mean=_logprob(attempt, "mean"),
        logprob_lowest=_logprob(attempt, "lowest"),
    )


def _logprob(attempt: Attempt, figure: str) -> float | None:
    figures = attempt.details.get(LOGPROBS)
    value = figures.get(figure) if isinstance(figures, Mapping) else None
    return value if isinstance(value, float) else None


def _outcome(name: str) -> Outcome:
    try:
        return Outcome(name)
    except ValueError as error:
        raise UnknownNameError(
            "outcome", name, nearest=nearest_names(name, [one.value for one in Outcome])
        ) from error


def _not_installed(package: str) -> InvalidValueError:
    return InvalidValueError(f"to_{package} needs {package}; install it with: pip install {package}")
