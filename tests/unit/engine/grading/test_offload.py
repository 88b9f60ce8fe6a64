"""What is graded elsewhere: it ends with a verdict, at a limit, or with the process that wanted it."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.domain.benchmark import HasDemoItems
from assay.domain.calls.messages import Completion
from assay.domain.dataset_report import Grading
from assay.domain.errors import GraderError, InvalidValueError
from assay.domain.outcome import Outcome
from assay.engine.graders.patterns import pattern
from assay.engine.graders.rules.expected import grade_expected
from assay.engine.grading.offload import GradingPool
from assay.engine.grading.resources import GradingResources
from assay.engine.limited_process import LimitedProcess, LimitExceededError
from assay.engine.planning.catalogue import Catalogue
from tests.builders import doubling_schema

_PATIENCE_S = 60.0


@pytest.fixture
def pool() -> Iterator[GradingPool]:
    pool = GradingPool()
    yield pool
    pool.close()


async def test_a_rule_that_never_ends_is_an_error_and_holds_up_neither_the_loop_nor_others(
    pool: GradingPool,
) -> None:
    hostile, ordinary = pool.one_at_a_time(timeout_s=5), pool.one_at_a_time()
    # Both processes are started, so that the calls below take no longer than their work.
    await asyncio.gather(*(one(grade_expected, Grading.EXACT, "a", "a") for one in (hostile, ordinary)))
    endless = asyncio.create_task(hostile(grade_expected, Grading.JSON_SCHEMA, doubling_schema(), "{}"))
    waiting = asyncio.create_task(hostile(grade_expected, Grading.EXACT, "a", "a"))
    for _ in range(20):
        grade = await ordinary(grade_expected, Grading.REGEX, "a+", "baab")
        assert (grade.outcome, grade.extracted) == (Outcome.CORRECT, "aa")
    assert not endless.done()
    with pytest.raises(GraderError, match="2 times: it took more than 5 s"):
        await endless
    assert (await waiting).outcome is Outcome.CORRECT


async def test_what_ends_the_process_is_tried_again_and_then_an_error(
    pool: GradingPool, tmp_path: Path
) -> None:
    isolated = pool.one_at_a_time()
    with pytest.raises(GraderError, match="ended unexpectedly"):
        await isolated(os.abort)
    tried = tmp_path / "tried"
    abort_once = f"import os; os.path.exists({str(tried)!r}) or (os.mkdir({str(tried)!r}), os.abort())"
    await isolated(exec, abort_once)
    assert tried.exists()
    with pytest.raises(GraderError, match="ended unexpectedly"):
        pool.call(os.abort)


async def test_a_long_answer_is_graded_elsewhere_and_a_short_one_here(pool: GradingPool) -> None:
    benchmark = Catalogue.installed().get("mmlu_pro:zero_shot")
    assert isinstance(benchmark, HasDemoItems)
    [item, *_] = benchmark.load(benchmark.demo_tables()).items
    grader = GradingResources(pool).grader(benchmark)
    short = Completion(f"The answer is ({item.expected}).")
    long = Completion("word " * 300_000 + short.answer)
    assert (await grader.grade(item, long)).outcome is Outcome.CORRECT
    pool.close()
    assert (await grader.grade(item, short)).outcome is Outcome.CORRECT
    with pytest.raises(RuntimeError, match="shutdown"):
        await grader.grade(item, long)


def test_memory_has_a_limit_and_errors_come_back_as_they_were() -> None:
    process = LimitedProcess(memory_bytes=200 << 20)
    try:
        with pytest.raises(LimitExceededError, match="more than 200 MiB of memory"):
            process.call(bytes, 1 << 30, timeout_s=_PATIENCE_S)
        with pytest.raises(InvalidValueError, match="is not a pattern"):
            process.call(pattern, "(", timeout_s=_PATIENCE_S)
        assert process.call(abs, -1, timeout_s=_PATIENCE_S) == 1
    finally:
        process.close()
    with pytest.raises(LimitExceededError):
        process.call(abs, -1, timeout_s=_PATIENCE_S)


_PARENT = """
import os, sys, threading, time
from assay.engine.limited_process import LimitedProcess
process = LimitedProcess()
print(process.call(os.getpid, timeout_s=60), flush=True)
process.call(time.sleep, int(sys.argv[1]), timeout_s=600)
time.sleep(600)
"""


@pytest.mark.parametrize("call_s", [0, 600], ids=["idle", "in a call"])
def test_the_process_ends_with_its_parent_however_that_ends(call_s: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(call_s)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert _is_alive(child)
        parent.kill()
    deadline = time.monotonic() + _PATIENCE_S
    while _is_alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
