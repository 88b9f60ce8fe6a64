"""How long each grader takes for the worst answers of a megabyte.

    python -m benchmarks.perf.graders [--benchmark ifbench] [--instruction words:] [--piece 'a. '] [--all]
                                      [--bytes 100000]

Every installed benchmark and variant grades texts made to be slow (`hostile_texts`): one piece over and over,
and texts that never repeat themselves, between other lines, so that all loose variants of an answer differ.
A judge says what the answer says. Benchmarks of instructions are measured once for each kind of instruction,
with a demo item that has it; benchmarks that run programs, by how the program is found. Graders of data
sets are measured too, and how reasoning is separated from the answer. It prints the slowest text for each,
against 2 s of processor time. All instructions take an hour with a megabyte; `--bytes 100000` takes a tenth
of that.
"""

import argparse
import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.models.reasoning import split_tags
from assay.benchmarks.livecodebench.extraction import program_in
from assay.benchmarks.scicode.extraction import MOST_CHARACTERS, code_in
from assay.domain.benchmark import Benchmark, Cue, Item, Need, Panel, Services
from assay.domain.calls.messages import Completion, Generation, Json, Prompt
from assay.domain.dataset_report import Grading
from assay.domain.errors import GraderError
from assay.engine.graders.judge import LONGEST_REPLY
from assay.engine.graders.robust import robust_text
from assay.engine.graders.rules.expected import grade_expected
from assay.engine.grading.grade import DirectGrader, verdict
from assay.engine.planning.catalogue import Catalogue
from benchmarks.perf.hostile_texts import (
    BYTES,
    PIECES,
    REPLY_PIECES,
    between_lines,
    repeated,
    varied,
    varied_replies,
)

LIMIT_MS = 2_000.0
Reader = Callable[[str], object]
"""What is measured; gets the answer."""

_EXPECTED: Mapping[Grading, Json] = {
    Grading.EXACT: "Acetone",
    Grading.CONTAINS: ["Acetone", "Zürich"],
    Grading.REGEX: r"(?i)\bacet(one|ate)\b",
    Grading.NUMBER: 42,
    Grading.CHOICE: "B",
    Grading.JSON_SCHEMA: {
        "type": "array",
        "items": {"type": ["number", "string", "array", "object", "null"]},
    },
}


class Parrot:
    """A judge whose reply is the answer that it judges, as much of it as a judge may say."""

    model = "parrot"

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        del prompt, generation, vote
        return Completion(cue.judged[0][:LONGEST_REPLY] if cue.judged else "")


def graders() -> Iterator[tuple[str, Reader]]:
    """Everything that reads an answer, by name, but for the instructions."""
    for benchmark in Catalogue.installed():
        if Need.SANDBOX not in benchmark.card.needs and not _is_of_instructions(benchmark):
            yield benchmark.card.name, reader(benchmark, _items(benchmark)[0])
    yield "livecodebench", program_in
    yield "scicode", lambda text: code_in(text[:MOST_CHARACTERS])
    for grading, expected in _EXPECTED.items():
        yield f"data set {grading}", partial(grade_expected, grading, expected)
    yield "robust text", robust_text
    yield "reasoning", split_tags


def instruction_graders() -> Iterator[tuple[str, Reader]]:
    """One for each kind of instruction, by the demo item that has it, which has it alone."""
    for benchmark in filter(_is_of_instructions, Catalogue.installed()):
        measured: set[str] = set()
        for item in _items(benchmark):
            for name, alone in _instructions(item):
                if name not in measured:
                    measured.add(name)
                    yield f"{benchmark.card.name} {name}", reader(benchmark, alone)


def _items(benchmark: Benchmark) -> list[Item]:
    return list(benchmark.load(FileDataLibrary(Path("unused")).open(benchmark, "demo").tables).items)


def _is_of_instructions(benchmark: Benchmark) -> bool:
    return benchmark.card.name in ("ifbench", "ifeval")


def _instructions(item: Item) -> Iterator[tuple[str, Item]]:
    names, arguments = item.fields.get("instruction_id_list"), item.fields.get("kwargs")
    if isinstance(names, list) and isinstance(arguments, list):
        for name, given in zip(names, arguments, strict=True):
            yield str(name), Item(item.id, {**item.fields, "instruction_id_list": [name], "kwargs": [given]})


def reader(benchmark: Benchmark, item: Item) -> Reader:
    grader = DirectGrader(benchmark, Services(panel=Panel((Parrot(),))))

    def read(text: str) -> None:
        with contextlib.suppress(GraderError):  # most of what the judge says is no verdict
            asyncio.run(verdict(grader, item, Completion(text)))

    return read


def took_ms(read: Reader, text: str) -> float:
    """Processor time of this thread; the better of two tries where the first is above the limit."""
    best = float("inf")
    for _ in range(2):
        started = time.thread_time()
        read(text)
        best = min(best, (time.thread_time() - started) * 1000)
        if best < LIMIT_MS:
            break
    return best


def slowest(read: Reader, texts: Mapping[str, str]) -> list[tuple[float, str]]:
    """What each text took, the slowest first."""
    read("A word, é.")  # loads what is loaded once
    return sorted(((took_ms(read, text), name) for name, text in texts.items()), reverse=True)


def hostile_texts(pieces: tuple[str, ...], size: int, *, of_replies: bool) -> Mapping[str, str]:
    """Texts of the given pieces only, or all if none is given."""
    drawn: dict[str, str] = {}
    if not pieces:
        drawn = {**varied(size), **varied_replies(size)} if of_replies else {**varied(size)}
        pieces = PIECES + REPLY_PIECES if of_replies else PIECES
    texts = {**{repr(piece)[:20]: repeated(piece, size) for piece in pieces}, **drawn}
    return {name: between_lines(text) for name, text in texts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--benchmark", default="", help="only those whose name starts so")
    parser.add_argument("--instruction", default="", help="only instructions whose id has this")
    parser.add_argument("--piece", action="append", default=[], help="only this text; may be given again")
    parser.add_argument(
        "--all", action="store_true", help="every text above the limit, not the slowest alone"
    )
    parser.add_argument("--bytes", type=int, default=BYTES, help="the length of each text")
    options = parser.parse_args()
    slow = 0
    for measured, of_replies in ((graders(), True), (instruction_graders(), False)):
        wanted = [
            one for one in measured if one[0].startswith(options.benchmark) and options.instruction in one[0]
        ]
        if not wanted:
            continue
        texts = hostile_texts(tuple(options.piece), options.bytes, of_replies=of_replies)
        for name, read in wanted:
            found = slowest(read, texts)
            above = [took for took in found if took[0] > LIMIT_MS]
            slow += bool(above)
            for ms, text in above if options.all and above else found[:1]:
                print(f"{name:<55} {ms:8.1f} ms  {text}", flush=True)
    print(f"{slow} above {LIMIT_MS:g} ms for {options.bytes:,} bytes")


if __name__ == "__main__":
    main()
