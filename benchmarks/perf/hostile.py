"""Runs every kind of hostile reply through the real engine, beside a run of ordinary items.

    python -m benchmarks.perf.hostile [KIND ...] [--json FILE] [--folder FOLDER]

Prints a table of the kinds: how attempts ended, how long the run took, how much memory the process took on
top of what it had, the longest time for which the event loop was blocked, and how many times as long ordinary
calls took meanwhile, for kinds that last long enough. The endpoints are processes of their own. Fails if a
kind does not end as documented.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import orjson
import uvloop

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.session import ClientLimits
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.simserver.hostile import Kind
from assay.adapters.simserver.hostile_kinds import KINDS
from assay.adapters.store.stores import open_stores
from assay.domain.attempt import Attempt
from assay.domain.errors import AssayError, StoreError
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, RunSpec, Subset
from assay.engine.clock import SystemClock
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.execution.shards import Observer
from assay.engine.grading.offload import GradingPool
from assay.engine.grading.resources import GradingResources
from assay.engine.identity.credentials import Credentials
from assay.engine.loop_watchdog import LoopWatchdog
from assay.engine.models.limits import CallLimits
from assay.engine.models.retry import RetryPolicy
from assay.engine.planner import Planner
from assay.engine.planning.catalogue import Catalogue
from benchmarks.perf.endpoint import endpoint, hostile_endpoint
from benchmarks.perf.memory import resident_mb

BENCHMARK = "mmlu_pro:zero_shot"
KEY = "sk-canary-0123456789abcdef"
ORDINARY_MS = 200
# More than a busy machine needs; sizes are what users have.
LIMITS = ClientLimits(connect_s=5.0, silence_s=10.0, total_s=12.0, check_s=10.0)
RETRIES = RetryPolicy(first_delay_s=0.05, max_delay_s=0.1, deadline_s=0.2, doubtful_tries=1)
_SCORED = (Outcome.CORRECT, Outcome.INCORRECT, Outcome.PARTIAL, Outcome.UNPARSED)
_ALONE_S = 2.0
_PATIENCE_S = 60.0
# With fewer calls, a median says little.
_LEAST_CALLS = 20


@dataclass(frozen=True, slots=True)
class KindResult:
    """What a run against one kind of reply did to this process."""

    kind: str
    ends: tuple[str, ...]
    expected: tuple[str, ...]
    message: str
    seconds: float
    peak_mb: float
    blocked_ms: float
    # Relative to ordinary calls before; None if too few ended meanwhile.
    slowdown: float | None

    @property
    def is_documented(self) -> bool:
        return set(self.ends) <= set(self.expected)


@dataclass(slots=True)
class OrdinaryRun(Observer):
    """Durations of the calls of ordinary attempts, by whether a hostile run was under way."""

    is_alone: bool = True
    alone_ms: list[float] = field(default_factory=list[float])
    beside_ms: list[float] = field(default_factory=list[float])

    def attempt_ended(self, evaluation: Evaluation, attempt: Attempt) -> None:
        _ = evaluation
        (self.alone_ms if self.is_alone else self.beside_ms).append(attempt.calls[-1].duration_ms)

    def slowdown(self, *, since: int = 0) -> float | None:
        """The median beside hostile runs, relative to the median alone; None if it is of few calls.

        `since` leaves out so many of the first calls.
        """
        ended = self.beside_ms[since:]
        if len(ended) < _LEAST_CALLS:
            return None
        return statistics.median(ended) / statistics.median(self.alone_ms)


class PeakMemory:
    """The largest resident size since `reset`; where the system cannot reset it, since the start."""

    def __init__(self) -> None:
        self.first_mb = resident_mb()

    def reset(self) -> None:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")

    def growth_mb(self) -> float:
        """What the peak is above the size at the start."""
        status = Path("/proc/self/status").read_text(encoding="ascii")
        peak_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
        return peak_kb / 1024 - self.first_mb


def limits_of(kind: Kind) -> ClientLimits:
    """Short where only a time limit ends the reply or the check of the model list."""
    if {"model_error", "timeout"} <= {*kind.ends}:
        return replace(LIMITS, silence_s=3.0, total_s=3.0)
    if "timeout" in kind.ends:
        return replace(LIMITS, silence_s=0.4, total_s=1.0)
    return replace(LIMITS, check_s=1.0) if kind.ends == ("failed",) else LIMITS


@cache
def models_within(limits: ClientLimits) -> HttpModelDirectory:
    return HttpModelDirectory({"VLLM_API_KEY": KEY}, options=ClientOptions(limits=limits))


@asynccontextmanager
async def opened_engine(database: Path) -> AsyncGenerator[Engine]:
    """An engine over SQLite and the real client."""
    stores = await open_stores(f"sqlite:///{database}")
    pool = GradingPool()
    library = FileDataLibrary(database.parent / "data")
    try:
        yield Engine(
            stores=stores,
            queue=MemoryQueue(),
            models=models_within(LIMITS),
            clock=SystemClock(),
            planner=Planner(Catalogue.installed(), library, stores.datasets),
            grading=GradingResources(pool),
            credentials=Credentials(stores.secrets),
            limits=CallLimits(retries=RETRIES),
        )
    finally:
        pool.close()
        await stores.close()


def spec_of(base_url: str, *, count: int | None = None, samples: int = 1, connections: int = 4) -> RunSpec:
    return RunSpec(
        ("vllm/test/letter",),
        (BENCHMARK,),
        Subset(count=count) if count else Subset(),
        samples=samples,
        data="demo",
        max_connections=connections,
        base_url=base_url,
    )


async def run_kind(engine: Engine, address: str, name: str) -> tuple[tuple[str, ...], str]:
    """How the attempts of a run against this kind ended, and the message of a run that failed."""
    kind = KINDS[name]
    engine = replace(engine, models=models_within(limits_of(kind)))
    # One more than the calls at once, which meets what the first replies have done to the limiter; where
    # each waits for a limit of time, that would take twice as long.
    count = 2 if "timeout" in kind.ends else max(3, len(kind.replies))
    spec = spec_of(f"{address}/{name}/v1", count=count, connections=2)
    try:
        async with asyncio.timeout(_PATIENCE_S):
            run_id = (await create_run(engine, spec)).id
            await execute_run(engine, run_id)
    except TimeoutError:
        return ("no end",), f"not ended after {_PATIENCE_S:g} s"
    except StoreError as error:
        return ("not stored",), error.message
    except AssayError as error:
        return ("failed",), error.message
    except Exception as error:  # noqa: BLE001 # a bug is a result here
        return ("internal error",), f"{type(error).__name__}: {error}"
    (evaluation,) = await engine.stores.runs.evaluations(run_id)
    counts = (await engine.stores.attempts.outcome_counts([run_id])).get(evaluation.id, {})
    ends = {"scored" if outcome in _SCORED else outcome.value for outcome in counts}
    if evaluation.error and "internal error" in evaluation.error:
        ends.add("internal error")
    return tuple(sorted(ends or {"failed"})), evaluation.error or ""


async def measured(
    engine: Engine, address: str, names: Sequence[str], beside: OrdinaryRun
) -> AsyncGenerator[KindResult]:
    memory = PeakMemory()
    for name in names:
        watchdog, ended = LoopWatchdog(), len(beside.beside_ms)
        memory.reset()
        began = time.monotonic()
        async with watchdog.watching():
            ends, message = await run_kind(engine, address, name)
        yield KindResult(
            kind=name,
            ends=ends,
            expected=KINDS[name].ends,
            message=message,
            seconds=time.monotonic() - began,
            peak_mb=memory.growth_mb(),
            blocked_ms=watchdog.longest_s * 1000,
            slowdown=beside.slowdown(since=ended),
        )


@asynccontextmanager
async def ordinary_items(engine: Engine, base_url: str, beside: OrdinaryRun) -> AsyncGenerator[None]:
    """Runs of ordinary items are under way, one after the other, for as long as the block lasts."""
    own = replace(engine, queue=MemoryQueue())

    async def run_on() -> None:
        while True:
            run = await create_run(own, spec_of(base_url, samples=50))
            await execute_run(own, run.id, observer=beside)

    under_way = asyncio.create_task(run_on())
    await asyncio.sleep(_ALONE_S)
    try:
        yield
    finally:
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)


async def beside_ordinary_items(
    folder: Path, names: Sequence[str], *, hostile: str, ordinary: str
) -> tuple[list[KindResult], OrdinaryRun]:
    results: list[KindResult] = []
    beside = OrdinaryRun()
    async with opened_engine(folder / "hostile.db") as engine, ordinary_items(engine, ordinary, beside):
        beside.alone_ms.clear()  # what the first attempts took had to be loaded
        await asyncio.sleep(_ALONE_S)
        beside.is_alone = False
        async for result in measured(engine, hostile, names, beside):
            results.append(result)
            print(row(result), flush=True)
    return results, beside


def row(result: KindResult) -> str:
    ends = ", ".join(f"`{end}`" for end in result.ends)
    note = "" if result.is_documented else f" **not documented** {result.message}"
    return (
        f"| `{result.kind}` | {ends}{note} | {result.seconds:.1f} s | {result.peak_mb:.0f} MB |"
        f" {result.blocked_ms:.0f} ms | {'' if result.slowdown is None else f'{result.slowdown:.2f}'} |"
    )


@contextmanager
def data_folder(folder: Path | None) -> Generator[Path]:
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--folder", type=Path, help="keep the database in this folder")
    arguments = parser.parse_args()
    names: list[str] = arguments.kinds or list(KINDS)
    print("| kind | ends as | time | memory | loop blocked | ordinary calls |\n|---|---|---|---|---|---|")
    with (
        data_folder(arguments.folder) as folder,
        hostile_endpoint() as hostile,
        endpoint(f"ttft_ms={ORDINARY_MS}") as ordinary,
    ):
        results, beside = uvloop.run(beside_ordinary_items(folder, names, hostile=hostile, ordinary=ordinary))
    print(
        f"\nordinary calls: {len(beside.alone_ms)} alone, {len(beside.beside_ms)} beside hostile runs;"
        f" the median duration is {beside.slowdown() or 0:.2f} times as long"
    )
    if arguments.json:
        arguments.json.write_bytes(orjson.dumps({"kinds": results, "slowdown": beside.slowdown()}))
    if not all(result.is_documented for result in results):
        sys.exit("some kinds did not end as documented")


if __name__ == "__main__":
    main()
