"""Runs a suite for `janus-bench` in this process, and writes its report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, TypeVar

import typer
from pydantic import TypeAdapter

from assay.adapters.models.providers import shown_url
from assay.bootstrap import opened_engine
from assay.cli import options
from assay.cli.actions.run_once import executed
from assay.cli.event_loop import run_until_stopped
from assay.cli.exit_codes import EXIT_FAILED
from assay.cli.output.print_janus import print_report
from assay.cli.output.sandbox_notes import check_sandbox
from assay.cli.output.write import require_writable, write_file, write_note
from assay.domain.benchmark import ItemId, Need
from assay.domain.composite import CompositeRule, Weights
from assay.domain.errors import InvalidValueError
from assay.domain.judging import Judging
from assay.domain.run import Description, Run, RunSpec, State
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.janus.build import ReportFacts, benchmark_report
from assay.engine.janus.report import BenchmarkReport
from assay.engine.janus.suites import benchmarks_of, sampled, suite_named
from assay.engine.planning.catalogue import Catalogue
from assay.settings import Settings, load_settings

# An endpoint that is busy or away is asked again for this long, where one call may take longer.
_PATIENCE_S = 30.0
_LONGEST_TIMEOUT_S = 86_400
_SIMULATED = "sim/"
_WHOLE_PERCENT = 100
_REPORT = TypeAdapter(BenchmarkReport)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class JanusRequest:
    """What was given on the command line; None for what the settings say."""

    suite: str
    benchmark: str | None
    target: str | None
    model: str | None
    subset: int | None
    seed: int | None
    timeout_s: float | None
    weights: str | None
    minimum_quality: float
    warmup: int
    samples: int
    max_connections: int
    data: str


def run_suite(request: JanusRequest, *, output: Path | None) -> NoReturn:
    """Exit with 0 if every benchmark has a score."""
    settings = load_settings()
    benchmarks = benchmarks_of(suite_named(request.suite), request.benchmark)
    spec, facts = _spec(request, benchmarks, settings), _facts(request, settings)
    timeout_s = _timeout_s(request, settings)
    patience_s = min(timeout_s, _PATIENCE_S, settings.worker_item_timeout_seconds)
    settings = settings.model_copy(update={"worker_item_timeout_seconds": patience_s})

    _prepare_output(output, settings)

    async def work() -> int:
        async with opened_engine(settings, call_timeout_s=timeout_s) as engine:
            chosen = await _with_items(engine, spec, request, settings)
            await check_sandbox(engine, chosen)
            run = await create_run(engine, chosen, description=_description(request))
            run = await executed(engine, settings, run, as_json=False)
            report = await benchmark_report(
                engine.stores, run, facts=facts, catalogue=engine.planner.catalogue
            )
        print_report(report)
        _write(report, output, settings)
        return _exit_code(run)

    raise typer.Exit(run_until_stopped(work()))


def _timeout_s(request: JanusRequest, settings: Settings) -> float:
    timeout_s = _given(request.timeout_s, settings.janus_bench_request_timeout)
    if not 0 < timeout_s <= _LONGEST_TIMEOUT_S:
        raise InvalidValueError(f"--timeout must be more than 0 and at most {_LONGEST_TIMEOUT_S:g} seconds")
    return timeout_s


def _prepare_output(output: Path | None, settings: Settings) -> None:
    """Before anything is spent on a report that could not be written."""
    if output is not None:
        require_writable(output)
        return
    folder = settings.janus_bench_output_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidValueError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from error


def _spec(request: JanusRequest, benchmarks: Sequence[str], settings: Settings) -> RunSpec:
    model = _given(request.model, settings.janus_bench_model)
    is_simulated = _is_simulated(model)
    return RunSpec(
        models=(model if is_simulated else f"janus/{model}",),
        benchmarks=tuple(benchmarks),
        samples=request.samples,
        data=request.data,
        max_connections=request.max_connections,
        base_url=None if is_simulated else _given(request.target, settings.janus_bench_target_url),
        judge=_judging(benchmarks, settings),
        composite=_rule(request, settings),
        warmup=request.warmup,
    )


def _is_simulated(model: str) -> bool:
    """It has no endpoint."""
    return model.startswith(_SIMULATED)


def _rule(request: JanusRequest, settings: Settings) -> CompositeRule:
    own = Weights(
        quality=settings.janus_bench_weight_quality,
        speed=settings.janus_bench_weight_speed,
        cost=settings.janus_bench_weight_cost,
        streaming=settings.janus_bench_weight_streaming,
        multimodal=settings.janus_bench_weight_multimodal,
    )
    if request.weights is None:
        return CompositeRule(own, request.minimum_quality)
    return options.composite_rule(request.weights, request.minimum_quality)


def _judging(benchmarks: Sequence[str], settings: Settings) -> Judging | None:
    """The judge of the settings, where a benchmark of the suite has one."""
    catalogue = Catalogue.installed()
    if not any(Need.JUDGE in catalogue.get(name).card.needs for name in benchmarks):
        return None
    return Judging(
        # The key of this prefix is JANUS_BENCH_JUDGE_API_KEY.
        models=(f"openai-api/janus-bench-judge/{settings.janus_bench_judge_model}",),
        base_url=settings.janus_bench_judge_url,
        timeout_s=settings.janus_bench_judge_timeout,
    )


def _facts(request: JanusRequest, settings: Settings) -> ReportFacts:
    model = _given(request.model, settings.janus_bench_model)
    target = _given(request.target, settings.janus_bench_target_url)
    return ReportFacts(
        suite=request.suite,
        target_url="" if _is_simulated(model) else shown_url(target),
        model=model,
        ttft_limit_s=settings.janus_bench_ttft_timeout,
    )


async def _with_items(engine: Engine, spec: RunSpec, request: JanusRequest, settings: Settings) -> RunSpec:
    """With the items that the original draws; a whole suite names none, so that it ranks with others."""
    percent = _given(request.subset, settings.janus_bench_subset_percent)
    if percent == _WHOLE_PERCENT:
        return spec
    seed = str(_given(request.seed, settings.janus_bench_seed))
    planned = await engine.planner.plan(spec)
    chosen = [
        ItemId(item_id)
        for one in planned
        for item_id in sampled(one.item_ids, seed=seed, benchmark=one.benchmark.card.name, percent=percent)
    ]
    return replace(spec, items=tuple(chosen))


def _description(request: JanusRequest) -> Description:
    return Description.of("", "", ["janus-bench", request.suite])


def _write(report: BenchmarkReport, output: Path | None, settings: Settings) -> None:
    path = output or settings.janus_bench_output_dir / f"bench_results_{report.run_id}.json"
    write_file(path, _REPORT.dump_json(report, indent=2) + b"\n")
    write_note(f"report: {path}; the run: assay show {report.run_id}", err=True)


def _exit_code(run: Run) -> int:
    return 0 if run.state is State.SUCCEEDED else EXIT_FAILED


def _given(option: _T | None, setting: _T) -> _T:
    return setting if option is None else option
