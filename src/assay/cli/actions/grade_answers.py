"""Reads answers, grades them, writes a verdict per line and the summary."""

import contextlib
import os
import sys
from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import orjson
import typer

from assay.adapters.datasets.formats import JSON_LINES, format_of, rows_of
from assay.adapters.models.reasoning import split_tags
from assay.bootstrap import data_library
from assay.cli.actions.answer_graders import opened_graders
from assay.cli.event_loop import run_async
from assay.cli.output.documents import summary_document
from assay.cli.output.sandbox_notes import Confinements
from assay.cli.output.write import percent, score_text, write_json
from assay.domain.access.secret import printable_json
from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import (
    Benchmark,
    HasAnswerLayout,
    HasParts,
    Item,
    ItemId,
    ItemSet,
    Need,
    ReadsWholeReplies,
    Row,
)
from assay.domain.calls.messages import Completion
from assay.domain.errors import BadRowError, DataMissingError, InvalidValueError
from assay.domain.judging import Judging
from assay.domain.summary import Summary
from assay.engine.clock import SystemClock
from assay.engine.grading.answers import Answer, GraderOf, PartedAnswers, graded, most_samples
from assay.engine.judging.judges import judge_tokens
from assay.engine.models.limits import DEFAULT_CONNECTIONS
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.summarise import summarise
from assay.settings import load_settings


def grade_file(
    name: str, answers: Path, *, where: str, judging: Judging | None, out: Path | None, as_json: bool
) -> None:
    """Verdicts go to `out`, or to standard output with the summary as their last line."""
    benchmark = Catalogue.installed().get(name)
    item_set = benchmark.load(data_library(load_settings()).open(benchmark, where).tables)
    read = list(_answers(answers, item_set.items, benchmark))
    if not read:
        raise InvalidValueError(f"{str(answers)!r} holds no answers")
    with _opened(out) as target:
        summary = run_async(_grade(benchmark, item_set, read, judging, target))
        if out is None:
            _write_line(target, {"summary": _document(name, summary)})
    if as_json and out is not None:
        write_json(_document(name, summary))
    else:
        _print(name, summary, to_stderr=out is None)


async def _grade(
    benchmark: Benchmark, item_set: ItemSet, read: list[Answer], judging: Judging | None, target: BinaryIO
) -> Summary:
    calls: list[Call] = []
    confinements = Confinements()

    async def written(grader_of: GraderOf) -> AsyncIterator[Attempt]:
        at_once = DEFAULT_CONNECTIONS if judging else _programs_at_once(benchmark)
        async for attempt in graded(grader_of, read, clock=SystemClock(), at_once=at_once):
            _write_line(target, _verdict(attempt))
            calls.extend(attempt.calls)
            confinements.add(attempt.details)
            yield attempt

    async with opened_graders(benchmark, judging, read) as grader_of:
        samples = most_samples(read)
        summary = await summarise(
            written(grader_of), benchmark=benchmark, items=item_set.items, samples=samples
        )
    confinements.print(to_stderr=True)
    return replace(summary, judge_tokens=judge_tokens(calls)) if calls else summary


def _programs_at_once(benchmark: Benchmark) -> int:
    """As many as the sandbox has places for; answers that run nothing gain nothing by it."""
    if Need.SANDBOX not in benchmark.card.needs:
        return 1
    return load_settings().assay_sandbox_slots or os.cpu_count() or 1


def _answers(path: Path, items: Sequence[Item], benchmark: Benchmark) -> Iterator[Answer]:
    """Answers to whole items in the file's order, then those that came in parts."""
    by_id = {item.id: item for item in items}
    is_whole = isinstance(benchmark, ReadsWholeReplies) and benchmark.reads_whole_replies
    read = Completion if is_whole else _without_reasoning
    parts = PartedAnswers(benchmark, items) if isinstance(benchmark, HasParts) else None
    for number, row in _rows(path, benchmark):
        item_id, response = ItemId(str(row["item"])), str(row["response"])
        if parts is not None and parts.takes(item_id):
            parts.add(item_id, read(response).answer)
        elif item_id in by_id:
            yield Answer(by_id[item_id], read(response), _judge_reply(path.name, number, row))
        else:
            raise BadRowError(path.name, number, f"the data has no item {item_id!r}")
    if parts is not None:
        yield from parts.answers()


def _rows(path: Path, benchmark: Benchmark) -> Iterator[tuple[int, Row]]:
    if not path.is_file():
        raise DataMissingError(f"no file {str(path)!r} with answers")
    if format_of(path) not in (None, *JSON_LINES):
        # A kilobyte of Parquet may unpack to any size.
        raise InvalidValueError(f"{str(path)!r} cannot hold answers: give them as JSON lines")
    for number, row in enumerate(rows_of(path), start=1):
        official = benchmark.replies(row) if isinstance(benchmark, HasAnswerLayout) else None
        if official is not None:
            yield from ((number, {"item": official[0], "response": reply}) for reply in official[1])
            continue
        item_id, response = row.get("item"), row.get("response")
        if not isinstance(item_id, str | int) or isinstance(item_id, bool):
            raise BadRowError(path.name, number, 'field "item" must be an item\'s id')
        if not isinstance(response, str):
            raise BadRowError(path.name, number, 'field "response" must be a text')
        yield number, row


def _judge_reply(file: str, number: int, row: Row) -> str | None:
    reply = row.get("judge")
    if reply is None or isinstance(reply, str):
        return reply
    if isinstance(reply, Mapping):
        return orjson.dumps(reply).decode()
    raise BadRowError(file, number, 'field "judge" must be the text or the object that a judge replied')


def _without_reasoning(response: str) -> Completion:
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
    target.write(printable_json(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE).decode()).encode())


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
