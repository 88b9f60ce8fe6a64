"""How long each grader takes for the worst answers of a megabyte.

    python -m benchmarks.perf.graders [--benchmark ifbench] [--instruction words:] [--piece 'a. '] [--all]

Every installed benchmark and variant that needs neither a sandbox nor a judge grades texts made to be slow:
one piece over and over, by itself and between other lines with stars, so that every loose variant differs.
Benchmarks of instructions are measured once for each kind of instruction, with a sample that has it. It
prints the slowest text for each, against 50 ms of processor time.
"""

import argparse
import asyncio
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.adapters.datasets.library import FileDataLibrary
from assay.domain.benchmark import Benchmark, Item, Services
from assay.domain.messages import Completion
from assay.engine.catalogue import Catalogue
from assay.engine.grade import DirectGrader, verdict

LIMIT_MS = 50.0
_BYTES = 1_000_000
# fmt: off
_PIECES = (
    "a", "A", " ", "\n", ",", '"', "'", "*", "*a ", "a. ", "A. ", "a.", "é", "éa ", "🙂", "🙂. ", "1",
    "1 ", "[", "[]", "<<", "<<a>>", "***", "*** a ", "{", '{"a":', "a b ", "aB", "a\n", "a\n\n",
    "* a\n", "- a\n", "*\n", "gull ", "p. ", "and ", "he ", "? ", "! ", "?!", "a? B. ", "Ab cd. ",
    "日本 ", "((", "()", "([{", "'\"", "<i>", "1,", "Question 1 ", "-", "--", "a@", "level ", "...",
    ". . ", "Mr. X. ", "can't ", "http://a ", "a.b@c.d ", "\t", "Zimbabwe\n", "Emma ", "1805-01-01,",
    "The tide, it *turns*. ", r"\boxed{", "Answer: ", "A is the correct ",
)
# fmt: on


def texts(piece: str) -> Mapping[str, str]:
    body = piece * (_BYTES // len(piece.encode()))
    return {f"{piece!r}": body, f"{piece!r} between lines": f"Sure*é\n{body}\nx\nBye, bye. *x* Bye"}


def graded_items(benchmark: Benchmark) -> Iterator[tuple[str, Item]]:
    """One item; for a benchmark of instructions, one for each kind, which has that instruction alone."""
    item_set = benchmark.load(FileDataLibrary(Path("unused")).open(benchmark, "samples").tables)
    measured: set[str] = set()
    for item in item_set.items:
        names, arguments = item.fields.get("instruction_id_list"), item.fields.get("kwargs")
        if not isinstance(names, list) or not isinstance(arguments, list):
            yield benchmark.card.name, item
            return
        for name, given in zip(names, arguments, strict=True):
            if str(name) not in measured:
                measured.add(str(name))
                fields = {**item.fields, "instruction_id_list": [name], "kwargs": [given]}
                yield f"{benchmark.card.name} {name}", Item(item.id, fields)


def took_ms(grader: DirectGrader, item: Item, answer: Completion) -> float:
    started = time.thread_time()
    asyncio.run(verdict(grader, item, answer))
    return (time.thread_time() - started) * 1000


def slowest(benchmark: Benchmark, item: Item, pieces: tuple[str, ...]) -> list[tuple[float, str]]:
    grader = DirectGrader(benchmark, Services())
    took_ms(grader, item, Completion("A word."))  # reads what is read once
    found = [
        (took_ms(grader, item, Completion(text)), name)
        for piece in pieces
        for name, text in texts(piece).items()
    ]
    return sorted(found, reverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--benchmark", default="", help="only those whose name starts so")
    parser.add_argument("--instruction", default="", help="only instructions whose id has this")
    parser.add_argument("--piece", action="append", help="only this text; may be given again")
    parser.add_argument(
        "--all", action="store_true", help="every text above the limit, not the slowest alone"
    )
    options = parser.parse_args()
    slow = 0
    for benchmark in Catalogue.installed():
        if benchmark.card.needs or not benchmark.card.name.startswith(options.benchmark):
            continue
        for name, item in graded_items(benchmark):
            if options.instruction not in name:
                continue
            found = slowest(benchmark, item, tuple(options.piece or _PIECES))
            above = [took for took in found if took[0] > LIMIT_MS]
            slow += bool(above)
            for ms, text in above if options.all and above else found[:1]:
                print(f"{name:<55} {ms:8.1f} ms  {text}")
    print(f"{slow} above {LIMIT_MS:g} ms")


if __name__ == "__main__":
    main()
