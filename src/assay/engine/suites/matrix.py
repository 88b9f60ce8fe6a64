"""The cells of a suite, one for each model on each benchmark, and the runs that ask them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.domain.json_value import digest
from assay.domain.run import Budget, Evaluation, Run, RunSpec, State
from assay.engine.execution.engine import Engine
from assay.engine.ports import open_model
from assay.engine.stores import Stores
from assay.engine.stores.attempts import Spent
from assay.engine.stores.runs import RunFilter
from assay.engine.suites.suite import Scope, Suite, SuiteBenchmark, SuiteModel

_PAGE = 200
# A canceled run was given up by somebody: it is not taken up again.
_UNFINISHED = frozenset({State.QUEUED, State.RUNNING, State.PAUSED, State.FAILED})

Place = tuple[str, str]
"""A model's label, and the name of a benchmark."""
Key = tuple[str, str, str, str]
"""Model, benchmark, fingerprint and endpoint: an evaluation with the same is an answer to the same."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`attempts` counts what is asked, samples included."""

    model: SuiteModel
    benchmark: SuiteBenchmark
    key: Key
    attempts: int

    @property
    def place(self) -> Place:
        return self.model.label, self.benchmark.name


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store has: `taken` holds results by place, `unfinished` the runs to go on with."""

    taken: dict[Place, Evaluation]
    unfinished: tuple[Run, ...]

    @property
    def run_ids(self) -> frozenset[str]:
        return frozenset(one.run_id for one in self.taken.values())


def specs(suite: Suite, places: Collection[Place], *, budget: Budget) -> list[tuple[RunSpec, list[Place]]]:
    """As few runs as ask these places: models with equal settings and the same benchmarks share one."""
    groups: dict[str, list[list[SuiteModel]]] = {}
    asked: dict[str, tuple[Scope, list[str]]] = {}
    for model in suite.models:
        for scope in dict.fromkeys(one.scope for one in suite.benchmarks):
            names = [
                one.name
                for one in suite.benchmarks
                if one.scope == scope and (model.label, one.name) in places
            ]
            if not names:
                continue
            key = digest([repr(scope), model.generation.to_json(), dict(model.headers), names])
            asked[key] = scope, names
            _put(groups.setdefault(key, []), model)
    return [
        (
            _spec(suite, models, *asked[key], budget=budget),
            [(model.label, name) for model in models for name in asked[key][1]],
        )
        for key, runs in groups.items()
        for models in runs
    ]


def _put(runs: list[list[SuiteModel]], model: SuiteModel) -> None:
    """A run has each model once."""
    for models in runs:
        if all(one.model != model.model for one in models):
            models.append(model)
            return
    runs.append([model])


def _spec(
    suite: Suite, models: Sequence[SuiteModel], scope: Scope, benchmarks: Sequence[str], *, budget: Budget
) -> RunSpec:
    first = models[0]
    return RunSpec(
        models=tuple(one.model for one in models),
        benchmarks=tuple(benchmarks),
        subset=scope.subset,
        items=scope.items,
        samples=scope.samples,
        few_shot=scope.few_shot,
        data=scope.data,
        generation=first.generation,
        headers=first.headers,
        endpoints={one.model: one.endpoint for one in models},
        max_connections=suite.max_connections,
        budget=budget,
        judge=suite.judge,
        user_model=suite.user_model,
        agent=suite.agent,
        composite=suite.composite,
        warmup=suite.warmup,
        stop=suite.stop,
        reuse=suite.reuse,
        files={
            one.name: one.file for one in suite.benchmarks if one.file is not None and one.name in benchmarks
        },
    )


async def cells(engine: Engine, suite: Suite) -> list[Cell]:
    """Every cell, in the order of the suite; raises UsageError if one cannot be run as specified."""
    every = {(model.label, one.name) for model in suite.models for one in suite.benchmarks}
    models = {one.label: one for one in suite.models}
    benchmarks = {one.name: one for one in suite.benchmarks}
    found: dict[Place, Cell] = {}
    for spec, places in specs(suite, every, budget=Budget()):
        planned = await engine.planner.plan(await engine.planner.resolved(spec))
        by_name = dict(zip(spec.benchmarks, planned, strict=True))
        for label, name in places:
            model, one = models[label], by_name[name]
            client = open_model(engine.models, spec, model.model)
            await client.close()
            key = model.model, one.benchmark.card.name, one.fingerprint.value, client.endpoint
            attempts = len(one.item_ids) * spec.samples
            found[label, name] = Cell(model, benchmarks[name], key, attempts)
    return [found[model.label, one.name] for model in suite.models for one in suite.benchmarks]


async def stored(stores: Stores, wanted: Sequence[Cell], *, tag: str) -> Stored:
    """The newest result of each cell that has one, and unfinished runs of the suite that ask no other."""
    found = _Search(tag, {})
    for one in wanted:
        found.places.setdefault(one.key, []).append(one.place)
    for model in dict.fromkeys(one.model.model for one in wanted):
        await found.look(stores, model)
    missing = {one.key for one in wanted if one.place not in found.taken}
    going_on: list[Run] = []
    for run in found.unfinished.values():
        asked = {key_of(one) for one in await stores.runs.evaluations(run.id)}
        if asked & missing:
            going_on.append(run)
            missing -= asked
    return Stored(found.taken, tuple(going_on))


@dataclass(slots=True)
class _Search:
    tag: str
    places: dict[Key, list[Place]]
    taken: dict[Place, Evaluation] = field(default_factory=dict[Place, Evaluation])
    unfinished: dict[str, Run] = field(default_factory=dict[str, Run])

    async def look(self, stores: Stores, model: str) -> None:
        """Through the runs of a model, newest first, until each of its cells has a result."""
        offset, total = 0, 1
        while offset < total and any(key[0] == model for key in self._open_keys()):
            page = await stores.runs.page(RunFilter(exact_model=model, limit=_PAGE, offset=offset))
            evaluations = await stores.runs.evaluations_of([run.id for run in page.runs])
            for run in page.runs:
                self._take(run, {key_of(one): one for one in evaluations[run.id]})
            offset, total = offset + _PAGE, page.total

    def _take(self, run: Run, evaluations: Mapping[Key, Evaluation]) -> None:
        for key in self._open_keys() & evaluations.keys():
            if evaluations[key].state is State.SUCCEEDED:
                self.taken |= dict.fromkeys(self.places[key], evaluations[key])
        if _is_to_go_on(run, evaluations, self.places, tag=self.tag):
            self.unfinished[run.id] = run

    def _open_keys(self) -> set[Key]:
        return {key for key, places in self.places.items() if places[0] not in self.taken}


def _is_to_go_on(run: Run, mine: Mapping[Key, Evaluation], places: Collection[Key], *, tag: str) -> bool:
    open_keys = {key for key, one in mine.items() if one.state is not State.SUCCEEDED}
    is_of_suite = tag in run.description.tags and run.state in _UNFINISHED
    return is_of_suite and bool(open_keys) and open_keys <= set(places)


def key_of(evaluation: Evaluation) -> Key:
    return (
        evaluation.model,
        evaluation.benchmark,
        evaluation.fingerprint.value,
        evaluation.endpoint or "",
    )


def remaining(budget: Budget, spent: Iterable[Spent]) -> Budget | None:
    """What is left of a budget; None if nothing is."""
    usd, tokens = budget.usd, budget.tokens
    for one in spent:
        usd = None if usd is None else usd - one.usd
        tokens = None if tokens is None else tokens - one.tokens
    is_used_up = (usd is not None and usd <= 0) or (tokens is not None and tokens <= 0)
    return None if is_used_up else Budget(usd, tokens)
