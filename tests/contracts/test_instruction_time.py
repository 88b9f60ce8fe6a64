"""Every kind of instruction is checked in linear time, strictly and loosely, whatever the answer is."""

import time
from collections.abc import Iterator

import pytest

from assay.benchmarks.ifbench.task import benchmark as ifbench
from assay.benchmarks.ifeval.task import benchmark as ifeval
from assay.engine.graders.instructions.benchmark import InstructionBenchmark
from assay.engine.graders.instructions.following import Instruction
from assay.engine.graders.instructions.items import instructions_of

# Forty times what most take here: a check that reads each character once for every other would take minutes.
MOST_S = 1.0
CHARACTERS = 100_000
PIECES = [
    "a",
    "\n",
    ",",
    '"',
    "*",
    "*a ",
    "a. ",
    "é",
    "🙂 ",
    "1 ",
    "[",
    "<<a",
    "a b ",
    "* a\n",
    "? ",
    "()",
    "'",
]


def one_of_each(benchmark: InstructionBenchmark) -> Iterator[Instruction]:
    """An instruction of each kind, with the arguments of a sample."""
    seen: set[str] = set()
    for item in benchmark.load(benchmark.samples()).items:
        for instruction in instructions_of(item.fields, benchmark.rulebook):
            if instruction.id not in seen:
                seen.add(instruction.id)
                yield instruction


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("benchmark", [ifeval, ifbench], ids=["ifeval", "ifbench"])
def test_long_answers_take_little_time(benchmark: InstructionBenchmark, piece: str) -> None:
    # All loose variants differ.
    answer = f"Sure*é\n{piece * (CHARACTERS // len(piece))}\nx\nBye, bye. *x* Bye"
    instructions = list(one_of_each(benchmark))
    assert {instruction.id for instruction in instructions} == benchmark.rulebook.ids
    benchmark.rulebook.verdicts(instructions, "A word.")  # reads what is read once
    slow: dict[str, float] = {}
    for instruction in instructions:
        started_s = time.thread_time()
        benchmark.rulebook.verdicts([instruction], answer)
        took_s = time.thread_time() - started_s
        if took_s > MOST_S:
            slow[instruction.id] = took_s
    assert not slow
