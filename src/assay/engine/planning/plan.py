"""Turns a specification into items, prompts and fingerprints, before anything is spent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from uuid import uuid4

from assay.domain.agent import LoadedAgent
from assay.domain.benchmark import (
    Benchmark,
    Card,
    HasLimits,
    HostsAgents,
    Item,
    ItemId,
    ItemSet,
    Need,
    ShowsExamples,
)
from assay.domain.calls.headers import headers_digest
from assay.domain.calls.messages import Generation, Prompt, merged_generation, with_system
from assay.domain.calls.pricing import Price
from assay.domain.errors import DataChangedError, InvalidValueError
from assay.domain.fingerprint import Fingerprint, differences
from assay.domain.json_value import canonical_json, digest
from assay.domain.judging import Judging
from assay.domain.run import Evaluation, EvaluationId, ItemFacts, RunId, RunSpec
from assay.domain.subset import draw_subset
from assay.engine.agents.folder import load_agent
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.lazy_items import LazyItems
from assay.engine.planning.named_items import named_ids, require_known
from assay.engine.ports import BenchmarkData, DataLibrary

_LIMITS = "one prompt, one completion"
# The items of larger data sets are identified by the checksum of the whole: hashing each would take minutes.
_MOST_FACTS = 20_000


@dataclass(frozen=True, slots=True)
class PlannedBenchmark:
    """A benchmark with its data loaded and its items chosen."""

    benchmark: Benchmark
    data: BenchmarkData
    item_set: ItemSet
    items: Sequence[Item]
    generation: Generation
    fingerprint: Fingerprint
    by_id: Mapping[ItemId, Item]
    item_ids: Sequence[ItemId]
    facts: tuple[ItemFacts, ...] = ()
    # Empty if hashing every item would take too long.
    item_hashes: Mapping[ItemId, str] = field(default_factory=dict[ItemId, str])
    # The files stay those of the fingerprint, also if the folder is changed while the run lasts.
    agent: LoadedAgent | None = None

    def prompt(self, item: Item) -> Prompt:
        """As it is sent."""
        return with_system(self.item_set.prompt(item), self.generation.system)


def plan_benchmarks(
    spec: RunSpec, *, catalogue: Catalogue, library: DataLibrary
) -> tuple[PlannedBenchmark, ...]:
    """Load every benchmark of the run; raises UsageError if one cannot be run as specified."""
    planned = tuple(_plan_benchmark(catalogue.get(name), spec, library) for name in spec.benchmarks)
    if spec.items:
        chosen = [one.item_ids for one in planned]
        require_known(spec.items, chosen=chosen, known=[_ids(one.item_set.items) for one in planned])
    return planned


def _plan_benchmark(benchmark: Benchmark, spec: RunSpec, library: DataLibrary) -> PlannedBenchmark:
    benchmark = with_examples(benchmark, spec.few_shot)
    card = benchmark.card
    if Need.JUDGE in card.needs and spec.judge is None:
        raise judge_missing(card)
    if Need.USER_MODEL in card.needs and spec.user_model is None:
        raise user_model_missing(card)
    agent = _agent(benchmark, spec)
    data = library.open(benchmark, spec.data)
    item_set = benchmark.load(data.tables)
    items = _chosen(item_set.items, spec, card.name)
    generation = merged_generation(card.generation, spec.generation)
    facts, prompts_checksum = _facts(item_set, items, generation.system)
    settings = _Settings(generation, spec, facts, prompts_checksum, _ids(items), agent)
    return PlannedBenchmark(
        benchmark=benchmark,
        data=data,
        item_set=item_set,
        items=items,
        generation=generation,
        fingerprint=_fingerprint(benchmark, data, settings),
        by_id=items.by_id if isinstance(items, LazyItems) else {item.id: item for item in items},
        item_ids=_ids(items),
        facts=facts,
        item_hashes={item_id: one.item_hash for item_id, one in zip(_ids(items), facts, strict=False)},
        agent=agent,
    )


def with_examples(benchmark: Benchmark, few_shot: int | None) -> Benchmark:
    """The benchmark with so many examples before a question; raises InvalidValueError if it has not."""
    if few_shot is None:
        return benchmark
    if not isinstance(benchmark, ShowsExamples):
        raise InvalidValueError(
            f"{benchmark.card.name!r} shows no examples before its questions: leave --few-shot out"
        )
    return benchmark.with_examples(few_shot)


def judge_missing(card: Card) -> InvalidValueError:
    official = f" (its authors use {card.judge.model})" if card.judge else ""
    return InvalidValueError(
        f"{card.name!r} is graded by a judge, and none is named: give one with --judge MODEL{official};"
        " --judge sim/judge tries it out without a model"
    )


def user_model_missing(card: Card) -> InvalidValueError:
    official = f" (its authors use {card.judge.model})" if card.judge else ""
    return InvalidValueError(
        f"in {card.name!r} a model plays the user, and none is named: give one with"
        f" --user-model MODEL{official}"
    )


def _agent(benchmark: Benchmark, spec: RunSpec) -> LoadedAgent | None:
    if spec.agent is None:
        return None
    if not isinstance(benchmark, HostsAgents):
        raise InvalidValueError(
            f"{benchmark.card.name!r} has no containers that an agent could work in:"
            " leave --agent-command out, or run a benchmark with containers, such as terminal_bench_hard"
        )
    return load_agent(spec.agent)


def _chosen(items: Sequence[Item], spec: RunSpec, benchmark: str) -> Sequence[Item]:
    if not items:
        raise InvalidValueError(f"the data of {benchmark!r} holds no items")
    chosen = _chosen_ids(_ids(items), spec, benchmark)
    if isinstance(items, LazyItems):
        return items.chosen(chosen)
    by_id = {item.id: item for item in items}
    if len(by_id) != len(items):
        repeated = next(item.id for item in items if sum(other.id == item.id for other in items) > 1)
        raise InvalidValueError(f"the data of {benchmark!r} has item {repeated!r} more than once")
    return tuple(by_id[item_id] for item_id in chosen)


def _chosen_ids(ids: Sequence[ItemId], spec: RunSpec, benchmark: str) -> list[ItemId]:
    if spec.items:
        return named_ids(ids, spec.items, benchmark=benchmark)
    subset = spec.subset
    size = {"count": subset.count} if subset.count is not None else {"percent": subset.percent}
    return [ItemId(item_id) for item_id in draw_subset(ids, seed=subset.seed, benchmark=benchmark, **size)]


def _ids(items: Sequence[Item]) -> Sequence[ItemId]:
    return items.ids if isinstance(items, LazyItems) else [item.id for item in items]


@dataclass(frozen=True, slots=True)
class _Settings:
    generation: Generation
    spec: RunSpec
    facts: tuple[ItemFacts, ...]
    prompts_checksum: str
    item_ids: Sequence[ItemId]
    agent: LoadedAgent | None


def _facts(item_set: ItemSet, items: Sequence[Item], system: str | None) -> tuple[tuple[ItemFacts, ...], str]:
    """The hashes of each item and its prompt, and a checksum of all prompts."""
    if item_set.checksum is not None and len(items) > _MOST_FACTS:
        return (), item_set.checksum
    prompts = sha256()
    facts: list[ItemFacts] = []
    for item in items:
        prompt = with_system(item_set.prompt(item), system)
        text = prompt.to_json().encode("utf-8", "surrogatepass")
        prompts.update(text + canonical_json(prompt.extra))
        facts.append(ItemFacts(item.content_hash, sha256(text).hexdigest(), item.category, item.cluster))
    return tuple(facts), prompts.hexdigest()


def _fingerprint(benchmark: Benchmark, data: BenchmarkData, settings: _Settings) -> Fingerprint:
    card = benchmark.card
    return Fingerprint(
        benchmark=card.name,
        benchmark_version=card.version,
        mode=card.mode,
        data_revision=data.revision,
        data_checksum=data.checksum,
        items_checksum=digest([one.item_hash for one in settings.facts] or list(settings.item_ids)),
        prompts_checksum=settings.prompts_checksum,
        grader=card.grader,
        generation=digest(settings.generation.to_json()),
        limits=_limits(benchmark, settings.agent),
        samples=settings.spec.samples,
        judge=_label(settings.spec.judge, card, Need.JUDGE),
        user=_label(settings.spec.user_model, card, Need.USER_MODEL),
        agent=None if settings.agent is None else settings.agent.label,
        headers=headers_digest(settings.spec.headers),
        stop=None if settings.spec.stop is None else settings.spec.stop.label,
    )


def _limits(benchmark: Benchmark, agent: LoadedAgent | None) -> str:
    if agent is not None and isinstance(benchmark, HostsAgents):
        return benchmark.agent_limits
    return benchmark.limits if isinstance(benchmark, HasLimits) else _LIMITS


def _label(other: Judging | None, card: Card, need: Need) -> str | None:
    return other.label if other and need in card.needs else None


def new_evaluations(
    run_id: RunId, spec: RunSpec, planned: Sequence[PlannedBenchmark], prices: dict[str, Price | None]
) -> tuple[Evaluation, ...]:
    """One evaluation per model and benchmark, each with the current price of its model."""
    return tuple(
        Evaluation(
            id=EvaluationId(str(uuid4())),
            run_id=run_id,
            model=model,
            benchmark=one.benchmark.card.name,
            benchmark_version=one.benchmark.card.version,
            fingerprint=one.fingerprint,
            item_ids=tuple(one.item_ids),
            benchmark_size=len(one.item_set.items),
            generation=one.generation,
            samples=spec.samples,
            price=prices[model],
            facts=one.facts,
        )
        for model in spec.models
        for one in planned
    )


def replan(
    evaluation: Evaluation, spec: RunSpec, *, catalogue: Catalogue, library: DataLibrary
) -> PlannedBenchmark:
    """Load the data of a stored evaluation; raises DataChangedError if it has changed since."""
    planned = _plan_benchmark(catalogue.get(evaluation.benchmark), spec, library)
    changed = differences(evaluation.fingerprint, planned.fingerprint)
    if changed:
        names = ", ".join(changed)
        raise DataChangedError(
            f"{evaluation.benchmark!r} is no longer what this run was started on ({names} differ);"
            " start a new run"
        )
    return planned
