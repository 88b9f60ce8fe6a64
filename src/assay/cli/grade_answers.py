"""Reads answers, grades them, writes a verdict per line and the summary."""

import contextlib
import sys
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import orjson
import typer

from assay.adapters.datasets.formats import rows_of
from assay.adapters.models.reasoning import split_tags
from assay.bootstrap import data_library
from assay.cli.documents import summary_document
from assay.cli.session import run_async
from assay.cli.write import percent, score_text, write_json
from assay.domain.attempt import Attempt
from assay.domain.benchmark import Benchmark, Item, ItemId, ItemSet
from assay.domain.errors import BadRowError, DataMissingError, InvalidValueError
from assay.domain.messages import Completion
from assay.domain.summary import Summary
from assay.engine.answers import Answer, graded, most_samples
from assay.engine.catalogue import Catalogue
from assay.engine.clock import SystemClock
from assay.engine.summarise import summarise
from assay.settings import load_settings


def grade_file(name: str, answers: Path, *, where: str, out: Path | None, as_json: bool) -> None:
    """Verdicts go to `out`, or to standard output with the summary as their last line."""
    benchmark = Catalogue.installed().get(name)
    item_set = benchmark.load(data_library(load_settings()).open(benchmark, where).tables)
    read = list(_answers(answers, {item.id: item for item in item_set.items}))
    if not read:
        raise InvalidValueError(f"{str(answers)!r} holds no answers")
    with _opened(out) as target:
        summary = run_async(_grade(benchmark, item_set, read, target))
        if out is None:
            _write_line(target, {"summary": _document(name, summary)})
    if as_json and out is not None:
        write_json(_document(name, summary))
    else:
        _print(name, summary, to_stderr=out is None)


async def _grade(benchmark: Benchmark, item_set: ItemSet, read: list[Answer], target: BinaryIO) -> Summary:
    async def written() -> AsyncIterator[Attempt]:
        async for attempt in graded(benchmark, read, clock=SystemClock()):
            _write_line(target, _verdict(attempt))
            yield attempt

    return await summarise(written(), benchmark=benchmark, items=item_set.items, samples=most_samples(read))


def _answers(path: Path, items: Mapping[ItemId, Item]) -> Iterator[Answer]:
    if not path.is_file():
        raise DataMissingError(f"no file {str(path)!r} with answers")
    for number, row in enumerate(rows_of(path), start=1):
        item_id, response = row.get("item"), row.get("response")
        if not isinstance(item_id, str | int) or isinstance(item_id, bool):
            raise BadRowError(path.name, number, 'field "item" must be an item\'s id')
        if not isinstance(response, str):
            raise BadRowError(path.name, number, 'field "response" must be a text')
        item = items.get(ItemId(str(item_id)))
        if item is None:
            raise BadRowError(path.name, number, f"the data has no item {str(item_id)!r}")
        yield Answer(item, _completion(response))


def _completion(response: str) -> Completion:
    split = split_tags(response)
    if split is None:
        return Completion(response)
    return Completion(split.answer, reasoning=split.reasoning, reasoning_unclosed=split.is_unclosed)


@contextlib.contextmanager
def _opened(out: Path | None) -> Generator[BinaryIO]:
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    # Verdicts appear under their name only when all are there.
    partial = out.with_name(out.name + ".partial")
    try:
        with partial.open("wb") as target:
            yield target
        partial.replace(out)
    except OSError as error:
        raise InvalidValueError(f"cannot write {str(out)!r}: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def _verdict(attempt: Attempt) -> dict[str, object]:
    verdict: dict[str, object] = {
        "item": attempt.item_id,
        "outcome": attempt.outcome.value,
        "score": attempt.score,
        "extracted": attempt.extracted,
        "details": attempt.details,
    }
    return verdict | ({"error": attempt.error_message} if attempt.error_message else {})


def _write_line(target: BinaryIO, line: Mapping[str, object]) -> None:
    target.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


def _document(name: str, summary: Summary) -> dict[str, object]:
    return {"benchmark": name} | summary_document(summary, total=summary.total)


def _print(name: str, summary: Summary, *, to_stderr: bool) -> None:
    lines = [f"{name}: {score_text(summary.score)}, scored {summary.scored:,} of {summary.total:,}"]
    lines += [f"  {metric}: {score_text(one)}" for metric, one in summary.metrics.items()]
    if summary.scored:
        lines.append(f"  unparsed: {percent(summary.unparsed / summary.scored)}")
    counts = ", ".join(f"{count:,} {outcome.value}" for outcome, count in summary.outcomes.items())
    lines.append(f"  outcomes: {counts}")
    for line in lines:
        typer.echo(line, err=to_stderr)
