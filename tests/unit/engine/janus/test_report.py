from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from pydantic import TypeAdapter

from assay.domain.calls.messages import Completion, Usage
from assay.domain.calls.timing import Arrivals, StreamTiming
from assay.domain.errors import ServerError
from assay.domain.run import RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.janus.analysis import analysis, compared, differing
from assay.engine.janus.build import ReportFacts, benchmark_report
from assay.engine.janus.report import BenchmarkReport
from assay.engine.janus.stream_shape import stream_shape
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import Request
from tests.builders import CARD, LetterBenchmark, ScriptedModel, World, rewired

FACTS = ReportFacts("janus/intelligence", "http://localhost:8000", "a-model", ttft_limit_s=5.0)
NAMES = ("janus_research", "janus_cost")
TIMING = StreamTiming(2_000.0, ttft_ms=400.0, max_gap_ms=500.0, chunks=3, tokens_per_s=60.0)
ARRIVALS = Arrivals(started_s=0.0, ended_s=2.0, chunks_s=(0.4, 0.9, 1.4))


def answered(request: Request, _number: int) -> Completion:
    return Completion(request.cue().right or "", usage=Usage(10, 60), timing=TIMING, arrivals=ARRIVALS)


def half_failing(request: Request, number: int) -> Completion | ServerError:
    if request.prompt.text in ("Say a.", "Say b."):
        return ServerError("asked to fail", status=500)
    return answered(request, number)


@dataclass
class Reported:
    script: Callable[[Request, int], Completion | ServerError] = answered

    async def report(self) -> BenchmarkReport:
        world = World(model=ScriptedModel(self.script))
        catalogue = Catalogue({name: LetterBenchmark(replace(CARD, name=name)) for name in NAMES})
        engine = rewired(world.engine, catalogue=catalogue)
        spec = RunSpec(("test/scripted",), NAMES, data="demo")
        run = await execute_run(engine, (await create_run(engine, spec)).id)
        return await benchmark_report(world.store, run, facts=FACTS, catalogue=catalogue)


async def test_a_report_has_a_result_for_every_item() -> None:
    report = await Reported().report()
    assert (report.total_tasks, report.passed_tasks, report.failed_tasks) == (8, 8, 0)
    assert report.quality_score is None, "a benchmark of the suite was not run"
    assert report.benchmark_scores == {"janus_research": 1.0, "janus_cost": 1.0}
    assert (report.cost_score, report.total_tokens) == (100.0, 560)
    assert report.composite is not None
    assert report.composite_score is report.composite.value is None
    [first, *_] = report.results
    assert (first.task_id, first.benchmark, first.task_type) == ("0", "janus_research", "vowel")
    assert (first.success, first.quality_score, first.error) == (True, 1.0, None)
    assert (first.prompt_tokens, first.completion_tokens, first.total_tokens) == (10, 60, 70)
    assert first.cost_score == 1.0
    stream = first.streaming_metrics
    assert stream is not None
    assert (stream.ttft_seconds, stream.total_chunks, stream.avg_tps) == (0.4, 3, 60.0)
    assert (stream.peak_tps, stream.min_tps) == pytest.approx((2.0, 2.0))
    assert report.benchmark_metrics["janus_cost"]["ttft_ms"].p99 == 400.0


async def test_a_task_without_an_answer_has_failed_and_has_no_points() -> None:
    report = await Reported(half_failing).report()
    failed = [one for one in report.results if not one.success]
    assert len(failed) == 4
    assert (report.passed_tasks, report.failed_tasks) == (4, 4)
    for one in failed:
        assert "asked to fail" in (one.error or "")
        scores = (one.quality_score, one.speed_score, one.cost_score, one.streaming_score)
        assert scores == (None, None, None, None)


async def test_a_late_first_token_is_an_error_of_the_task_and_keeps_its_scores() -> None:
    def late(request: Request, number: int) -> Completion:
        return replace(answered(request, number), timing=replace(TIMING, ttft_ms=7_200.0))

    report = await Reported(late).report()
    [first, *_] = report.results
    assert not first.success
    assert first.error == "the first token came after 7.2 s; the limit is 5 s"
    assert (first.quality_score, report.passed_tasks) == (1.0, 8)


async def test_a_report_can_be_written_and_read_again() -> None:
    adapter = TypeAdapter(BenchmarkReport)
    report = await Reported(half_failing).report()
    assert adapter.validate_json(adapter.dump_json(report)) == report


async def test_an_analysis_is_over_the_tasks_that_were_answered() -> None:
    found = analysis(await Reported(half_failing).report())
    assert found.latency_seconds is not None
    assert (found.latency_seconds.p50, found.latency_seconds.p95, found.latency_seconds.n) == (2.0, 2.0, 4)
    assert found.tasks_by_benchmark == {"janus_research": 4, "janus_cost": 4}
    assert {one.task_id for one in found.failed_tasks} == {"0", "1"}
    assert found.slow_tasks == []


async def test_slow_tasks_took_more_than_twice_the_median() -> None:
    report = await Reported().report()
    [first, *others] = report.results
    slow = replace(report, results=[replace(first, latency_seconds=4.1), *others])
    assert [one.task_id for one in analysis(slow).slow_tasks] == [first.task_id]


async def test_a_comparison_names_a_winner_where_both_have_a_figure() -> None:
    first = await Reported().report()
    second = replace(first, cost_score=80.0, avg_ttft_seconds=0.3, composite_score=50.0)
    found = {one.name: one for one in compared(first, second)}
    assert (found["cost_score"].winner, found["cost_score"].delta) == ("first", -20.0)
    assert found["avg_ttft_seconds"].winner == "second"
    assert found["composite_score"].winner is None, "the first has none"
    assert found["total_tokens"].winner is None, "both are equal"
    assert differing(first, second) == ""
    assert differing(first, replace(second, suite="public/dev")).startswith("the suites differ")
    fewer = replace(second, results=second.results[1:])
    assert differing(first, fewer) == "the tasks differ: 7 of 8 are in both reports"


def test_the_shape_of_a_stream_with_one_long_gap() -> None:
    found = stream_shape([0, 0.1, 0.2, 0.3, 3.3])
    assert (found.long_gaps, found.variation) == (1, pytest.approx(1.5221, abs=1e-4))
    assert stream_shape([0, 0.5]).variation is None
