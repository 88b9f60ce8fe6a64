"""Runs of scripted endpoints, judged from what is stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from assay.domain.access.secret import Secret
from assay.domain.benchmark import Cue, Item, ItemId, ItemSet, Tables
from assay.domain.calls.messages import Completion, Generation, Prompt, Usage
from assay.domain.errors import AssayError, InvalidValueError, ServerError, UnknownNameError
from assay.domain.run import Run, RunSpec
from assay.domain.stats import EquivalenceRule, EquivalenceVerdict
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.fidelity.facts import OTHER
from assay.engine.fidelity.report import FidelityReport, fidelity_report
from assay.engine.fidelity.wording import candidate_sentence, headline, markdown, notes, rows
from assay.engine.ports import Request
from tests.builders import LetterBenchmark, ListTables, ScriptedModel, World, rewired

Says = Callable[[int, Request], Completion | AssayError]
WIDE = EquivalenceRule(margin=0.1)


class Numbered(LetterBenchmark):
    """Letters with a number before them, so that no two prompts are equal."""

    def load(self, tables: Tables) -> ItemSet:
        items = tuple(
            Item(ItemId(str(row["id"])), row, expected=str(row["letter"])) for row in tables.rows("test")
        )
        return ItemSet(items, _numbered, lambda item: Cue(right=item.expected, wrong="z"))

    def demo_tables(self) -> Tables:
        return ListTables({"test": [{"id": number, "letter": "a"} for number in range(self.size)]})


def _numbered(item: Item) -> Prompt:
    return Prompt.of_user(f"{item.id}. Say a.")


def number_of(request: Request) -> int:
    return int(request.prompt.text.partition(".")[0])


@dataclass
class Endpoints:
    """Models by name, each with what it says to an item."""

    models: Mapping[str, Says]
    size: int = 160
    world: World = field(default_factory=World)

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ScriptedModel:
        _ = base_url, api_key
        says = self.models[model]
        return ScriptedModel(lambda request, _number: says(number_of(request), request))

    async def run(self, **changes: Any) -> Run:
        self.world.benchmark = Numbered(size=self.size)
        engine = rewired(self.world.engine, models=self)
        spec = RunSpec(
            tuple(self.models), ("letters",), samples=2, generation=Generation(temperature=0.0), data="demo"
        )
        spec = replace(spec, **changes)
        return await execute_run(engine, (await create_run(engine, spec)).id)

    async def report(self, rule: EquivalenceRule = WIDE, **changes: Any) -> FidelityReport:
        return await fidelity_report(self.world.store, await self.run(**changes), rule=rule)


def reply(answer: str, **changes: Any) -> Completion:
    said = Completion(answer, finish_reason="stop", usage=Usage(input_tokens=7, output_tokens=1))
    return replace(said, **changes)


def faithful(_number: int, _request: Request) -> Completion:
    return reply("a")


def without(every: int) -> Says:
    return lambda number, _request: reply("z" if number % every == 0 else "a")


async def test_a_faithful_and_a_degraded_endpoint_are_told_apart() -> None:
    endpoints = Endpoints({"good/m": faithful, "same/m": faithful, "worse/m": without(5)})
    report = await endpoints.report()
    same, worse = report.candidates
    assert (same.result.verdict, worse.result.verdict) == ("equivalent", "worse")
    assert report.verdict is EquivalenceVerdict.WORSE
    assert (report.items, report.samples, report.temperature) == (160, 2, 0.0)
    assert worse.result.paired is not None
    assert worse.result.paired.difference == pytest.approx(-0.2)
    assert worse.result.level == pytest.approx(0.975)
    [scores] = worse.benchmarks
    assert (scores.benchmark, scores.candidate, scores.reference, scores.n) == ("letters", 0.8, 1.0, 160)
    assert worse.facts.score == (0.8, 160)
    assert headline(report) == "1 of 2 candidates is worse than good/m"
    assert candidate_sentence(report, worse).startswith("worse/m is worse than good/m by 20.0 points (97.5 %")
    assert candidate_sentence(report, same) == (
        "same/m is equivalent to good/m within 10 points: both scored the same (97.5 % interval -3.0 to 3.0,"
        " p = 1, 160 items), and at most 3.1 points lie between them."
    )


async def test_a_better_endpoint_is_not_the_same_model() -> None:
    report = await Endpoints({"good/m": without(5), "other/m": faithful}).report()
    assert report.verdict is EquivalenceVerdict.BETTER
    assert headline(report) == "The candidate is better than good/m, and so not the same model"


async def test_an_endpoint_that_fails_is_not_equivalent_however_good_its_answers_are() -> None:
    def failing(number: int, _request: Request) -> Completion | AssayError:
        return ServerError("out of memory", status=500) if number % 8 == 0 else reply("a")

    report = await Endpoints({"good/m": faithful, "failing/m": failing}).report()
    [found] = report.candidates
    assert found.result.verdict is EquivalenceVerdict.INCONCLUSIVE
    assert (found.result.missing, found.facts.missing, found.facts.answered) == (40, 40, 280)
    assert found.result.paired is not None
    assert (found.result.paired.n, found.result.paired.difference) == (140, 0.0)
    said = candidate_sentence(report, found)
    assert "With 40 missing scores at the worst, the difference lies from -" in said


async def test_an_endpoint_without_any_answer_has_no_verdict() -> None:
    def down(_number: int, _request: Request) -> AssayError:
        return ServerError("down", status=500)

    report = await Endpoints({"good/m": faithful, "down/m": down}, size=8).report()
    [found] = report.candidates
    assert (found.result.paired, found.result.verdict) == (None, EquivalenceVerdict.INCONCLUSIVE)
    assert (
        candidate_sentence(report, found) == "Nothing tells down/m from good/m: no item has a score at both."
    )


async def test_what_is_put_side_by_side() -> None:
    def odd(number: int, _request: Request) -> Completion:
        if number % 4 == 0:
            return reply("a", refusal="no", finish_reason="content_filter")
        if number % 4 == 1:
            return reply("aa", finish_reason="length", usage=Usage(9, 2, 1), served_model="other-7b")
        return reply("a", system_fingerprint=f"fp_{number}", served_model="m" * 200)

    report = await Endpoints({"good/m": faithful, "odd/m": odd}, size=80).report()
    theirs, [found] = report.reference, report.candidates
    ours = found.facts
    assert (theirs.cut, theirs.refused, theirs.finish_reasons) == (0, 0, {"stop": 160})
    assert (ours.cut, ours.refused) == (40, 40)
    assert ours.finish_reasons == {"stop": 80, "content_filter": 40, "length": 40}
    assert (ours.input_tokens, ours.output_tokens, ours.reasoning_tokens) == (
        (7.5, 160),
        (1.25, 160),
        (1, 40),
    )
    assert (theirs.same_input, ours.same_input) == (None, (0.75, 160))
    assert theirs.divergence is not None
    assert (theirs.divergence.pairs, theirs.divergence.identical) == (80, 80)
    assert ours.divergence is not None
    assert (ours.divergence.pairs, ours.divergence.identical, ours.divergence.median_chars) == (160, 120, 1.0)
    assert (theirs.served_models, theirs.system_fingerprints) == ({}, {})
    assert ours.served_models == {"none": 40, "other-7b": 40, "m" * 60 + "…": 80}
    assert len(ours.system_fingerprints) == 9
    assert ours.system_fingerprints[OTHER] == 160 - 80 - 2 * 7
    shown = {name: [value(one) for one in (theirs, ours)] for name, value in rows(report)}
    assert shown["truncated"] == ["0.0 %", "25.0 %"]
    assert shown["finish reasons"] == ["stop", "stop 80, content_filter 40, other 40"]
    assert shown["others agree for"] == ["-", "1 chars"]
    assert "tool-call accuracy" not in shown


async def test_the_noise_floor_is_that_of_the_reference_itself() -> None:
    asked: dict[int, int] = {}

    def wavering(number: int, _request: Request) -> Completion:
        asked[number] = asked.get(number, 0) + 1
        return reply("z" if number % 10 == 0 and asked[number] == 2 else "a")

    report = await Endpoints({"good/m": wavering, "same/m": faithful}).report(max_connections=1)
    assert report.noise is not None
    assert (report.noise.flip_rate, report.noise.items) == (0.1, 160)
    assert report.own is not None
    assert report.own.paired is not None
    assert report.own.paired.losses == 16
    assert report.own.verdict is EquivalenceVerdict.WORSE
    assert report.items_needed == WIDE.items_needed(0.05 + 0.5 / 160)
    assert any("scores otherwise on 10.0 % of 160 items" in note for note in notes(report))


async def test_the_reference_alone_tells_how_many_items_it_takes() -> None:
    report = await Endpoints({"good/m": faithful}, size=40).report(EquivalenceRule())
    assert (report.candidates, report.verdict) == ((), None)
    assert report.items_needed == EquivalenceRule().items_needed(0.5 / 40)
    assert headline(report) == "Only good/m was asked"


async def test_one_sample_has_no_noise_floor_and_other_temperatures_no_divergence() -> None:
    endpoints = Endpoints({"good/m": faithful, "same/m": faithful})
    report = await endpoints.report(samples=1, generation=Generation(temperature=0.7))
    assert (report.noise, report.own, report.items_needed) == (None, None, None)
    assert report.verdict is EquivalenceVerdict.EQUIVALENT
    assert report.reference.divergence is report.candidates[0].facts.divergence is None
    assert [note[:24] for note in notes(report)] == ["The reference was asked ", "Divergence is not given:"]


async def test_any_model_of_a_stored_run_may_be_the_reference() -> None:
    endpoints = Endpoints({"a/m": faithful, "b/m": without(5)})
    run = await endpoints.run()
    report = await fidelity_report(endpoints.world.store, run, reference="b/m", rule=WIDE)
    assert (report.reference.model, report.candidates[0].facts.model) == ("b/m", "a/m")
    with pytest.raises(UnknownNameError, match="the run has a/m, b/m"):
        await fidelity_report(endpoints.world.store, run, reference="c/m")


async def test_models_that_were_not_asked_the_same_are_not_compared() -> None:
    endpoints = Endpoints({"a/m": faithful, "b/m": faithful}, size=4)
    run = await endpoints.run()
    stores = endpoints.world.store
    ours, theirs = await stores.runs.evaluations(run.id)

    class Changed:
        async def evaluations(self, _run_id: str) -> Any:
            return ours, replace(theirs, fingerprint=replace(theirs.fingerprint, grader="another"))

    changed: Any = Changed()
    with pytest.raises(InvalidValueError, match="grader differ"):
        await fidelity_report(replace(stores, runs=changed), run)


async def test_names_from_endpoints_cannot_break_the_markdown() -> None:
    def hostile(_number: int, _request: Request) -> Completion:
        return reply("a", finish_reason="<b>|\x1b[31m\n\ud800")

    report = await Endpoints({"good/m": faithful, "odd/m": hostile}, size=8).report()
    text = markdown(report)
    assert "&lt;b>\\|" in text
    assert "\x1b" not in text
    assert text.encode()
    assert len([line for line in text.splitlines() if line.startswith("| finish reasons |")]) == 1
