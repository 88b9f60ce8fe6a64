"""Decides again, from the attempts of an export, what a run with a stopping rule says it settled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError
from assay.domain.run import DEFAULT_SEED, EvaluationId, RunSpec, Subset
from assay.domain.stopping import StopRule, until_of
from assay.domain.subset import execution_order
from assay.engine.exports.differences import differences
from assay.engine.exports.figures import race_document, stopped_document
from assay.engine.exports.json_stream import MalformedError
from assay.engine.exports.reading import (
    Document,
    inner,
    integer,
    members,
    number,
    objects,
    optional_text,
    stopped_of,
    text,
)
from assay.engine.exports.verification.checks import Problems
from assay.engine.results.asked_first import AskedFirst
from assay.engine.results.contest import Entrant, Terms
from assay.engine.results.race import Race

_Scores = Mapping[ItemId, Sequence[float | None]]


def asked_first(head: Document) -> AskedFirst | None:
    """The items that the score of an evaluation covers, by its own account."""
    if "decision" not in head:
        return None
    stopped = stopped_of(inner(head, "decision"))
    return AskedFirst(_in_order(head)[: stopped.after], stopped)


def _in_order(head: Document) -> list[ItemId]:
    asked = objects(head, "asked_items")
    return [ItemId(text(one, "item_id")) for one in sorted(asked, key=lambda one: integer(one, "place"))]


@dataclass(frozen=True, slots=True)
class _Side:
    """One evaluation of the export."""

    model: str
    benchmark: str
    size: int
    samples: int
    # As in the evaluation, and as they were asked.
    listed: Sequence[ItemId]
    order: Sequence[ItemId]
    decision: Json
    scores: _Scores

    @property
    def id(self) -> EvaluationId:
        return EvaluationId(f"{self.model} on {self.benchmark}")

    @property
    def is_whole(self) -> bool:
        return all(len(self.scores.get(item, ())) >= self.samples for item in self.order)


@dataclass
class RaceAudit:
    _sides: list[_Side] = field(default_factory=list[_Side])

    def add(self, parts: Document, scores: _Scores) -> None:
        asked = objects(parts, "asked_items")
        if not asked or "place" not in asked[0]:
            return
        self._sides.append(
            _Side(
                model=text(parts, "model"),
                benchmark=text(parts, "benchmark_name"),
                size=integer(parts, "total_items"),
                samples=integer(parts, "samples"),
                listed=[ItemId(text(one, "item_id")) for one in asked],
                order=_in_order(parts),
                decision=parts.get("decision"),
                scores=scores,
            )
        )

    async def problems(self, run: Document, stated: Json) -> Problems | None:
        """None for a run without a stopping rule."""
        if "stop" not in run:
            return None
        problems = Problems()
        try:
            spec, rule = _spec(run)
            races = [
                await self._race(spec, rule, name, problems)
                for name in dict.fromkeys(one.benchmark for one in self._sides)
            ]
            computed = race_document([one.result() for race in races for one in race.contests])
        except InvalidValueError as error:
            problems.add(f"nothing can be decided: {error.message}")
            return problems
        for difference in differences(stated, computed, "race"):
            problems.add(difference)
        return problems

    async def _race(self, spec: RunSpec, rule: StopRule, benchmark: str, problems: Problems) -> Race:
        own = {one.id: one for one in self._sides if one.benchmark == benchmark}
        if [one.model for one in own.values()] != list(spec.models):
            raise InvalidValueError(f"the evaluations of {benchmark!r} are not those of the run's models")
        [first, *_] = own.values()
        asked = len(first.order)
        terms = Terms.of(spec, rule, benchmark, asked=asked, size=first.size)
        for one in own.values():
            if list(one.order) != _drawn(one, spec):
                problems.add(f"{one.id}: the items are not in the order of the run's seed")
        race = Race(terms, [Entrant(one.id, one.model) for one in own.values()], first.order)

        async def scores(evaluation_id: EvaluationId, item_ids: Sequence[ItemId]) -> _Scores:
            found = own[evaluation_id].scores
            return {item: found[item] for item in item_ids if item in found}

        await race.advance(scores)
        for one in own.values():
            stopped = None if one.is_whole else race.stopped(one.id)
            decided = None if stopped is None else stopped_document(stopped)
            for difference in differences(one.decision, decided, f"decision of {one.id}"):
                problems.add(difference)
        return race


def _spec(run: Document) -> tuple[RunSpec, StopRule]:
    stop = inner(run, "stop")
    margin, alpha = number(stop, "margin"), number(stop, "alpha")
    if margin is None or alpha is None:
        raise MalformedError("'stop' is no rule that is known here")
    rule = StopRule(margin, alpha, until_of(text(stop, "until")), number(stop, "bar"))
    names = {
        key: [str(one) for one in members(run, key)] for key in ("models", "selected_benchmarks", "items")
    }
    spec = RunSpec(
        models=tuple(names["models"]),
        benchmarks=tuple(names["selected_benchmarks"]),
        subset=Subset(seed=optional_text(run, "subset_seed") or DEFAULT_SEED),
        samples=integer(run, "samples"),
        items=tuple(map(ItemId, names["items"])),
        stop=rule,
    )
    return spec, rule


def _drawn(side: _Side, spec: RunSpec) -> list[ItemId]:
    """The items as they stand in the data, or in the draw of a subset, put into the order of the seed."""
    asked = len(side.order)
    size = asked if spec.items else side.size
    places = execution_order(asked, benchmark_size=size, seed=spec.subset.seed, benchmark=side.benchmark)
    return [side.listed[place] for place in places]
