"""Every kind of instruction is checked in linear time, strictly and loosely, whatever the answer is."""

from functools import partial

import pytest

from assay.benchmarks.ifbench.task import benchmark as ifbench
from assay.benchmarks.ifeval.task import benchmark as ifeval
from assay.engine.graders.instructions.benchmark import InstructionBenchmark
from assay.engine.graders.instructions.following import Instruction
from assay.engine.graders.instructions.items import instructions_of
from benchmarks.perf.graders import took_ms
from benchmarks.perf.hostile_texts import between_lines, repeated, varied

# Ten times what the slowest takes here: a check that reads each character once for every other takes longer.
MOST_MS = 2_000.0
BYTES = 20_000
VARIED = {name: text for name, text in varied(BYTES).items() if name in ("marks", "sentence ends", "prose")}
PIECES = ["a", "\n", '"', "*a ", "a. ", "é", "1 ", "[", "<<a", "? ", "()", "\u0301\u0316"]


def one_of_each(benchmark: InstructionBenchmark) -> list[Instruction]:
    """An instruction of each kind, with the arguments of a demo item."""
    found: dict[str, Instruction] = {}
    for item in benchmark.load(benchmark.demo_tables()).items:
        for instruction in instructions_of(item.fields, benchmark.rulebook):
            found.setdefault(instruction.id, instruction)
    return list(found.values())


INSTRUCTIONS = {"ifeval": one_of_each(ifeval), "ifbench": one_of_each(ifbench)}


@pytest.mark.parametrize("benchmark", [ifeval, ifbench], ids=INSTRUCTIONS)
def test_instructions_of_every_kind_are_tried(benchmark: InstructionBenchmark) -> None:
    assert {one.id for one in INSTRUCTIONS[benchmark.card.name]} == benchmark.rulebook.ids


@pytest.mark.parametrize("text", [*PIECES, *VARIED])
@pytest.mark.parametrize("benchmark", [ifeval, ifbench], ids=INSTRUCTIONS)
def test_long_answers_take_little_time(benchmark: InstructionBenchmark, text: str) -> None:
    answer = between_lines(VARIED.get(text) or repeated(text, BYTES))
    instructions = INSTRUCTIONS[benchmark.card.name]
    benchmark.rulebook.verdicts(instructions, "A word.")  # reads what is read once
    took = {one.id: took_ms(partial(benchmark.rulebook.verdicts, [one]), answer) for one in instructions}
    assert not {name: ms for name, ms in took.items() if ms > MOST_MS}
