"""From what was asked to what will be done, with everything checked before anything is spent."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from uuid import uuid4

from assay.domain.benchmark import Benchmark, Item, ItemId, ItemSet, Need
from assay.domain.canonical import canonical_json, digest
from assay.domain.errors import DataChangedError, InvalidValueError
from assay.domain.fingerprint import Fingerprint, differences
from assay.domain.messages import Generation
from assay.domain.pricing import Price
from assay.domain.run import Evaluation, EvaluationId, RunId, RunSpec, Subset
from assay.domain.subset import sample
from assay.engine.catalogue import Catalogue
from assay.engine.ports import BenchmarkData, DataLibrary

_LIMITS = "one prompt, one completion"


@dataclass(frozen=True, slots=True)
class PlannedBenchmark:
    """A benchmark with its data loaded and its items chosen."""

    benchmark: Benchmark
    data: BenchmarkData
    item_set: ItemSet
    items: tuple[Item, ...]
    generation: Generation
    fingerprint: Fingerprint
    by_id: Mapping[ItemId, Item]


def plan_benchmarks(
    spec: RunSpec, *, catalogue: Catalogue, library: DataLibrary
) -> tuple[PlannedBenchmark, ...]:
    """Load every benchmark of the run; raises UsageError where one cannot be run as asked."""
    return tuple(_plan_benchmark(catalogue.get(name), spec, library) for name in spec.benchmarks)


def _plan_benchmark(benchmark: Benchmark, spec: RunSpec, library: DataLibrary) -> PlannedBenchmark:
    card = benchmark.card
    if Need.JUDGE in card.needs and spec.judge is None:
        raise InvalidValueError(f"{card.name!r} is graded by a judge, and the run names none")
    data = library.open(benchmark, spec.data)
    item_set = benchmark.load(data.tables)
    items = _chosen(item_set.items, spec.subset, card.name)
    generation = _merged(card.generation, spec.generation)
    return PlannedBenchmark(
        benchmark=benchmark,
        data=data,
        item_set=item_set,
        items=items,
        generation=generation,
        fingerprint=_fingerprint(benchmark, data, item_set, items, _Settings(generation, spec)),
        by_id={item.id: item for item in items},
    )


def _chosen(items: Sequence[Item], subset: Subset, benchmark: str) -> tuple[Item, ...]:
    by_id = {item.id: item for item in items}
    if len(by_id) != len(items):
        repeated = next(item.id for item in items if sum(other.id == item.id for other in items) > 1)
        raise InvalidValueError(f"the data of {benchmark!r} has item {repeated!r} more than once")
    if not items:
        raise InvalidValueError(f"the data of {benchmark!r} holds no items")
    # The family's name, so that a variant meets the same items as the benchmark it varies.
    family = benchmark.partition(":")[0]
    size = {"count": subset.count} if subset.count is not None else {"percent": subset.percent}
    chosen = sample(list(by_id), seed=subset.seed, benchmark=family, **size)
    return tuple(by_id[ItemId(item_id)] for item_id in chosen)


def _merged(default: Generation, wanted: Generation) -> Generation:
    given = {f.name: value for f in fields(wanted) if (value := getattr(wanted, f.name)) not in (None, ())}
    return replace(default, **given)


@dataclass(frozen=True, slots=True)
class _Settings:
    generation: Generation
    spec: RunSpec


def _fingerprint(
    benchmark: Benchmark, data: BenchmarkData, item_set: ItemSet, items: Sequence[Item], settings: _Settings
) -> Fingerprint:
    card = benchmark.card
    prompts = sha256()
    for item in items:
        prompt = item_set.prompt(item)
        prompts.update(prompt.to_json().encode("utf-8", "surrogatepass") + canonical_json(prompt.extra))
    return Fingerprint(
        benchmark=card.name,
        benchmark_version=card.version,
        mode=card.mode,
        data_revision=data.revision,
        data_checksum=data.checksum,
        items_checksum=digest([item.content_hash for item in items]),
        prompts_checksum=prompts.hexdigest(),
        grader=card.grader,
        generation=digest(asdict(settings.generation)),
        limits=_LIMITS,
        samples=settings.spec.samples,
        judge=settings.spec.judge if Need.JUDGE in card.needs else None,
    )


def new_evaluations(
    run_id: RunId, spec: RunSpec, planned: Sequence[PlannedBenchmark], prices: dict[str, Price | None]
) -> tuple[Evaluation, ...]:
    """One evaluation per model and benchmark, each with the price of its model as of now."""
    return tuple(
        Evaluation(
            id=EvaluationId(str(uuid4())),
            run_id=run_id,
            model=model,
            benchmark=one.benchmark.card.name,
            benchmark_version=one.benchmark.card.version,
            fingerprint=one.fingerprint,
            item_ids=tuple(item.id for item in one.items),
            benchmark_size=len(one.item_set.items),
            generation=one.generation,
            samples=spec.samples,
            price=prices[model],
        )
        for model in spec.models
        for one in planned
    )


def replan(
    evaluation: Evaluation, spec: RunSpec, *, catalogue: Catalogue, library: DataLibrary
) -> PlannedBenchmark:
    """Load what a stored evaluation was started on; refuses to go on with anything else."""
    planned = _plan_benchmark(catalogue.get(evaluation.benchmark), spec, library)
    changed = differences(evaluation.fingerprint, planned.fingerprint)
    if changed:
        names = ", ".join(changed)
        raise DataChangedError(
            f"{evaluation.benchmark!r} is no longer what this run was started on ({names} differ);"
            " start a new run"
        )
    return planned
