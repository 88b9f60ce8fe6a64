"""Evaluates models in this program: in a script, in a notebook, or from async code."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Protocol, Self, Unpack

from assay.adapters.models.local_code import (
    CoroutineRunner,
    Function,
    LocalCodeDirectory,
)
from assay.bootstrap import opened_engine
from assay.cli import options as cli_options
from assay.cli.actions.run_once import Reopen, ShowProgress, execute_here, require_not_running
from assay.cli.output.sandbox_notes import check_sandbox
from assay.domain.errors import ConflictError, InvalidValueError
from assay.domain.run import Budget, Run, RunId, State
from assay.engine.execution import control
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.models.functions import is_function
from assay.python_api.coroutines import CallersLoop, OwnLoop
from assay.python_api.engine_thread import nothing, wait_for, wait_for_async
from assay.python_api.garbage import callers_collection
from assay.python_api.notebook import NotebookProgress, is_notebook
from assay.python_api.options import (
    BenchmarkChoice,
    Model,
    Options,
    Wanted,
    check_types,
    chosen_benchmarks,
    named_models,
    own_benchmarks,
    wanted,
)
from assay.python_api.own_benchmarks import (
    OwnBenchmark,
    files_of,
    require_own_process,
    require_same_benchmarks,
    runnable,
    with_benchmarks,
)
from assay.python_api.result import Result, loaded
from assay.settings import Settings, load_settings


class _Coroutines(CoroutineRunner, Protocol):
    def close(self) -> None: ...


def evaluate(
    model: Model | Sequence[Model],
    benchmarks: BenchmarkChoice | Sequence[BenchmarkChoice],
    **options: Unpack[Options],
) -> Result:
    """Evaluate models on benchmarks, store every attempt, and return the scores.

    A model is a name such as `"openrouter/google/gemini-2.5-flash"`, or a function, async or not, that gets
    the messages of an item as OpenAI's chat API has them and returns a text or an `assay.Completion`.
    `{"name": function}` names it; a list evaluates several models. Benchmarks are named as `assay benchmarks`
    lists them, `dataset:NAME`, or a file such as `./capitals.py`; what `assay.benchmark` declared in this
    program is given itself.

    Ctrl-C pauses the run, and `assay.resume` goes on with it. A run that fails is returned too: see its
    `state` and `error`. Raises `assay.AssayError` for what cannot be run as asked for.

    Options, all by name, mean what those of `assay run` mean:

    - which items: `subset` (percent), `count`, `seed`, `items` (ids), `samples` (attempts per item)
    - `data`: `"official"`, `"demo"`, or a file or folder in the official layout
    - `temperature`, `top_p`, `max_tokens`, `reasoning_effort`; a function decides on these itself
    - `base_url`, `max_connections` (calls at once, 16), `timeout_s` (of one call)
    - `budget_usd`, `budget_tokens`; `price_in`, `price_out` (USD per million tokens)
    - `judge`, `judge_votes`, `judge_base_url`, `user_model`, for benchmarks that need them
    - `name`, `tags`, `note`, to find the run again; `progress=False` shows none
    """
    require_own_process()
    asked = wanted(model, benchmarks, options)
    view = _View(is_shown=asked.has_progress)
    coroutines = OwnLoop()
    try:
        return wait_for(partial(_evaluated, asked, view, coroutines), tick=view.refresh)
    finally:
        coroutines.close()


async def evaluate_async(
    model: Model | Sequence[Model],
    benchmarks: BenchmarkChoice | Sequence[BenchmarkChoice],
    **options: Unpack[Options],
) -> Result:
    """As `evaluate`, and the caller's event loop goes on; async functions run on that loop."""
    require_own_process()
    asked = wanted(model, benchmarks, options)
    view = _View(is_shown=asked.has_progress)
    return await wait_for_async(partial(_evaluated, asked, view, CallersLoop()), tick=view.refresh)


def resume(  # noqa: PLR0913  # all but the first three by name
    run: str | Result,
    model: Model | Sequence[Model] | None = None,
    benchmarks: BenchmarkChoice | Sequence[BenchmarkChoice] = (),
    *,
    budget_usd: str | float | Decimal | None = None,
    budget_tokens: int | None = None,
    retry_errors: bool = False,
    timeout_s: float | None = None,
    progress: bool = True,
) -> Result:
    """Go on with a run that was paused, interrupted or has failed; stored attempts are not repeated.

    `model` gives the functions that the run evaluates, if it has any, and `benchmarks` those of this program;
    they must be those it was started with.
    A budget takes the place of the one that was reached. `retry_errors` also repeats the attempts that ended
    without a verdict, and those alone in a run that has succeeded.
    """
    require_own_process()
    check_types({"timeout_s": timeout_s, "progress": progress})
    budget = _budget(budget_usd, budget_tokens)
    own = own_benchmarks(chosen_benchmarks(benchmarks))
    asked = _Resumption.of(run, model, own, budget, retry_errors=retry_errors, timeout_s=timeout_s)
    view, coroutines = _View(is_shown=progress), OwnLoop()
    try:
        return wait_for(partial(_resumed, asked, view, coroutines), tick=view.refresh)
    finally:
        coroutines.close()


async def resume_async(  # noqa: PLR0913  # as `resume`
    run: str | Result,
    model: Model | Sequence[Model] | None = None,
    benchmarks: BenchmarkChoice | Sequence[BenchmarkChoice] = (),
    *,
    budget_usd: str | float | Decimal | None = None,
    budget_tokens: int | None = None,
    retry_errors: bool = False,
    timeout_s: float | None = None,
    progress: bool = True,
) -> Result:
    """As `resume`, and the caller's event loop goes on; async functions run on that loop."""
    require_own_process()
    check_types({"timeout_s": timeout_s, "progress": progress})
    budget = _budget(budget_usd, budget_tokens)
    own = own_benchmarks(chosen_benchmarks(benchmarks))
    asked = _Resumption.of(run, model, own, budget, retry_errors=retry_errors, timeout_s=timeout_s)
    view = _View(is_shown=progress)
    return await wait_for_async(partial(_resumed, asked, view, CallersLoop()), tick=view.refresh)


@dataclass(frozen=True, slots=True)
class _Resumption:
    run_id: str
    functions: Mapping[str, Function]
    benchmarks: tuple[OwnBenchmark, ...]
    budget: Budget | None
    retry_errors: bool
    timeout_s: float | None

    @classmethod
    def of(
        cls,
        run: str | Result,
        model: Model | Sequence[Model] | None,
        benchmarks: tuple[OwnBenchmark, ...],
        budget: Budget | None,
        *,
        retry_errors: bool,
        timeout_s: float | None,
    ) -> Self:
        functions = {} if model is None else named_models(model)[1]
        run_id = run if isinstance(run, str) else run.run_id
        return cls(run_id, functions, benchmarks, budget, retry_errors, timeout_s)

    def reopens(self, state: State) -> Reopen | None:
        """None where nothing is missing."""
        if self.retry_errors:
            return control.retry_missing
        if state is State.SUCCEEDED:
            return None
        return control.requeue if state.is_final else control.resume


def _budget(usd: str | float | Decimal | None, tokens: int | None) -> Budget | None:
    """None where the run keeps the one that it has."""
    if usd is None and tokens is None:
        return None
    check_types({"budget_usd": usd, "budget_tokens": tokens})
    return Budget(usd=cli_options.usd(None if usd is None else str(usd)), tokens=tokens)


class _View:
    """How progress is shown: in the notebook's cell, on the terminal, or not at all."""

    def __init__(self, *, is_shown: bool) -> None:
        notebook = NotebookProgress() if is_shown and is_notebook() else None
        self.show: ShowProgress | None = notebook.show if notebook else None
        self.refresh = notebook.refresh if notebook else nothing
        self.is_quiet = notebook is not None or not is_shown


async def _evaluated(asked: Wanted, view: _View, coroutines: _Coroutines) -> Result:
    settings = load_settings()
    async with _opened(settings, asked.timeout_s) as opened:
        models = _models(opened, settings, asked.functions, coroutines, timeout_s=asked.timeout_s)
        own = runnable(asked.benchmarks, settings)
        engine = replace(opened, models=models, functions=frozenset(asked.functions))
        engine = with_benchmarks(engine, own)
        spec = await engine.planner.resolved(replace(asked.spec, files=files_of(own)))
        await check_sandbox(engine, spec)
        run = await create_run(engine, spec, description=asked.description)
        await _executed(engine, settings, run, view)
        return await loaded(engine.stores, settings, run.id)


async def _resumed(asked: _Resumption, view: _View, coroutines: _Coroutines) -> Result:
    settings = load_settings()
    async with _opened(settings, asked.timeout_s) as opened:
        models = _models(opened, settings, asked.functions, coroutines, timeout_s=asked.timeout_s)
        engine = replace(opened, models=models, functions=frozenset(asked.functions))
        engine = with_benchmarks(engine, runnable(asked.benchmarks, settings))
        run = await engine.stores.runs.get(asked.run_id)
        reopen = asked.reopens(run.state)
        if reopen is not None:
            await require_not_running(engine, run)
            await _require_same_code(engine, run.id)
            await require_same_benchmarks(engine, run)
            if asked.budget is not None:
                await control.set_budget(engine.stores.runs, run.id, asked.budget)
            await _executed(engine, settings, run, view, reopen=reopen)
        return await loaded(engine.stores, settings, run.id)


@asynccontextmanager
async def _opened(settings: Settings, timeout_s: float | None) -> AsyncGenerator[Engine]:
    with callers_collection():
        async with opened_engine(settings, call_timeout_s=timeout_s) as engine:
            yield engine


def _models(
    engine: Engine,
    settings: Settings,
    functions: Mapping[str, Function],
    coroutines: _Coroutines,
    *,
    timeout_s: float | None,
) -> LocalCodeDirectory:
    return LocalCodeDirectory(
        functions,
        engine.models,
        coroutines=coroutines,
        timeout_s=timeout_s or settings.worker_item_timeout_seconds,
    )


async def _require_same_code(engine: Engine, run_id: RunId) -> None:
    """One score must not be of two functions; raises UsageError."""
    for one in await engine.stores.runs.evaluations(run_id):
        if not is_function(one.model):
            continue
        try:
            given = engine.models.open(one.model).endpoint
        except InvalidValueError as error:
            raise InvalidValueError(
                f"run {run_id[:8]!r} evaluates {one.model!r}: give the function, as in"
                f" assay.resume({run_id[:8]!r}, {{{one.model.partition('/')[2]!r}: function}})"
            ) from error
        if given != one.endpoint:
            raise ConflictError(
                f"run {run_id[:8]!r} was started with another {one.model!r}: it was {one.endpoint!r}, and now"
                f" it is {given!r}; start a new run"
            )


async def _executed(
    engine: Engine, settings: Settings, run: Run, view: _View, *, reopen: Reopen | None = None
) -> None:
    has_functions = any(map(is_function, run.spec.models))
    await execute_here(
        engine,
        settings,
        run,
        quiet=view.is_quiet,
        reopen=reopen,
        show=view.show,
        how_to_resume=f"assay.resume('{{run}}'{', model' if has_functions else ''})",
    )
