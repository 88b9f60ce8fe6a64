"""The content of an export: a run, its evaluations and their attempts, as they are stored."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Benchmark, Card, Item, ItemId
from assay.domain.datasets.dataset import is_dataset
from assay.domain.errors import ConflictError, UnknownNameError
from assay.domain.run import Evaluation, ItemFacts, OverallScore, Run, State, overall_score
from assay.domain.shard import execution_order_of
from assay.domain.summary import Summary
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.asked_first import asked_first
from assay.engine.results.masking import is_masked, masked_attempt
from assay.engine.results.race_report import RaceReport, race_report
from assay.engine.results.summarise import summarise
from assay.engine.stores import Stores


@dataclass(frozen=True, slots=True)
class EvaluationContent:
    """`benchmark` is None if the version that was run is not installed."""

    evaluation: Evaluation
    facts: Mapping[ItemId, ItemFacts]
    summary: Summary
    benchmark: Benchmark | None
    is_masked: bool
    # Stored attempts at items that a decision did not take, which the summary does not score.
    beyond: int = 0
    # Where each item stands in the order asked, in a run with a stopping rule.
    places: Mapping[ItemId, int] = field(default_factory=dict[ItemId, int])

    @property
    def card(self) -> Card | None:
        return self.benchmark.card if self.benchmark else None

    @property
    def completed(self) -> int:
        return sum(self.summary.outcomes.values()) + self.beyond


@dataclass(frozen=True, slots=True)
class RunContent:
    run: Run
    evaluations: tuple[EvaluationContent, ...]
    stores: Stores
    # What a run with a stopping rule settled.
    race: RaceReport | None = None

    async def attempts(self, one: EvaluationContent) -> AsyncIterator[Attempt]:
        """In order of item and sample; texts of gated benchmarks are masked unless revealed."""
        async for attempt in self.stores.attempts.whole(one.evaluation.id):
            yield masked_attempt(attempt) if one.is_masked else attempt

    @property
    def overall_score(self) -> OverallScore:
        scores = (one.summary.score and one.summary.score.value for one in self.evaluations)
        states = (one.evaluation.state for one in self.evaluations)
        return overall_score(
            self.run.state, len(self.run.spec.models), list(zip(states, scores, strict=True))
        )


async def run_content(stores: Stores, catalogue: Catalogue, run_id: str, *, reveal: bool) -> RunContent:
    """Raises ConflictError for a run that is still changing; `reveal` shows texts of gated benchmarks."""
    run = await stores.runs.get(run_id)
    if not run.state.is_settled:
        raise ConflictError(
            f"run {run.id[:8]!r} is {run.state.value}: export it when it has ended, or pause it first"
        )
    evaluations = [
        await _evaluation(stores, catalogue, run, one, reveal=reveal)
        for one in await stores.runs.evaluations(run.id)
    ]
    return RunContent(run, tuple(evaluations), stores, await race_report(stores, run))


async def _evaluation(
    stores: Stores, catalogue: Catalogue, run: Run, evaluation: Evaluation, *, reveal: bool
) -> EvaluationContent:
    facts = dict(zip(evaluation.item_ids, await stores.runs.item_facts(evaluation.id), strict=False))
    benchmark = installed_version(catalogue, evaluation.benchmark, evaluation.benchmark_version)
    summary = await _summary(stores, evaluation, facts, benchmark)
    stored, places = 0, dict[ItemId, int]()
    if run.spec.stop is not None:
        order = await asyncio.to_thread(execution_order_of, evaluation, run.spec)
        places = {evaluation.item_ids[index]: place for place, index in enumerate(order)}
    if summary.stopped is not None:
        stored = sum((await stores.attempts.outcome_counts([run.id]))[evaluation.id].values())
    return EvaluationContent(
        evaluation=evaluation,
        facts=facts,
        summary=summary,
        benchmark=benchmark,
        is_masked=not reveal and is_masked(evaluation, catalogue),
        beyond=max(0, stored - sum(summary.outcomes.values())),
        places=places,
    )


def installed_version(catalogue: Catalogue, name: str, version: str) -> Benchmark | None:
    try:
        found = catalogue.get(name)
    except UnknownNameError:
        return None
    return found if found.card.version == version else None


async def _summary(
    stores: Stores,
    evaluation: Evaluation,
    facts: Mapping[ItemId, ItemFacts],
    benchmark: Benchmark | None,
) -> Summary:
    """The stored summary if the evaluation succeeded and can be verified; otherwise a new one.

    Where it stopped early, a worker that died may have stored answers since.
    """
    found = evaluation.summary
    if found is not None and evaluation.state is State.SUCCEEDED and found.stopped is None:
        if facts:
            return found
        if is_dataset(evaluation.benchmark):
            # A large one: its lines have no facts, without which nobody could verify its categories.
            return replace(found, categories={})
    return await summarise(
        stores.attempts.results(evaluation.id),
        benchmark=benchmark,
        items=bare_items(evaluation.item_ids, facts),
        samples=evaluation.samples,
        first=await asked_first(stores.runs, stores.attempts, evaluation, evaluation.item_ids),
    )


def bare_items(item_ids: Sequence[ItemId], facts: Mapping[ItemId, ItemFacts]) -> list[Item]:
    """Items with the fields that a summary reads."""
    nothing = ItemFacts("", "")
    known = ((item_id, facts.get(item_id, nothing)) for item_id in item_ids)
    return [Item(item_id, {}, category=one.category, cluster=one.cluster) for item_id, one in known]
