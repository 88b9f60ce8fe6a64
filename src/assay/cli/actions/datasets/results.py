"""What models answered to data sets: written out, compared, made into training data."""

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, TypeVar

import orjson
import typer

from assay.bootstrap import opened_engine
from assay.cli import options
from assay.cli.event_loop import run_async
from assay.cli.output.write import score_text, write_json, write_table
from assay.domain.access.secret import printable
from assay.domain.calls.messages import Json
from assay.domain.datasets.dataset import is_dataset
from assay.domain.errors import InvalidValueError
from assay.domain.judging import Judging
from assay.domain.run import Evaluation
from assay.engine.execution.engine import Engine
from assay.engine.results.agreement import (
    Agreements,
    Choice,
    JudgedAgreement,
    Likeness,
    agreements,
    judged_agreement,
)
from assay.engine.results.batch_output import Which, csv_rows, output_lines
from assay.engine.reviews.training import TrainingForm, training_lines
from assay.engine.stores import Stores
from assay.installation import opened_stores
from assay.settings import load_settings

_SHOWN = 20
_E = TypeVar("_E", bound=StrEnum)


def write_results(run_id: str, *, model: str | None, form: str, which: str, output: Path | None) -> None:
    wanted = _one_of(Which, which, "--which")
    if form not in ("jsonl", "csv"):
        raise InvalidValueError(f"--format is jsonl or csv, not {form!r}")

    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            evaluation = await _evaluation(stores, run_id, model)
            if form == "csv":
                content = _encoded(csv_rows(stores.attempts, evaluation))
            else:
                content = _lines(output_lines(stores.attempts, evaluation, wanted))
            await _written(content, output)

    run_async(work())


def write_training(run_id: str, *, form: str, output: Path | None) -> None:
    wanted = _one_of(TrainingForm, form, "--format")

    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            evaluations = await stores.runs.evaluations((await stores.runs.get(run_id)).id)
            lines = training_lines(evaluations, wanted, attempts=stores.attempts, reviews=stores.reviews)
            await _written(_lines(lines), output)

    run_async(work())


def compare_answers(run_ids: Sequence[str], *, by: str, judge: str | None, count: int, as_json: bool) -> None:
    likeness = _one_of(Likeness, by, "--by")

    async def work() -> tuple[Agreements, JudgedAgreement | None]:
        async with opened_engine(load_settings()) as engine:
            evaluations = await _comparable(engine.stores, run_ids)
            found = await agreements(engine.stores.attempts, evaluations, likeness)
            return found, await _judged(engine, found, judge, count) if judge else None

    found, judged = run_async(work())
    if as_json:
        write_json(_document(found, judged))
    else:
        _print(found, judged)


async def _evaluation(stores: Stores, run_id: str, model: str | None) -> Evaluation:
    run = await stores.runs.get(run_id)
    found = [one for one in await stores.runs.evaluations(run.id) if is_dataset(one.benchmark)]
    named = [one for one in found if model in (None, one.model)]
    if len(named) == 1:
        return named[0]
    if not found:
        raise InvalidValueError(f"run {run.id[:8]!r} is not on a data set; `assay export` writes any run")
    names = ", ".join(repr(one.model) for one in found)
    raise InvalidValueError(f"say which model with --model: one of {names}")


async def _comparable(stores: Stores, run_ids: Sequence[str]) -> list[Evaluation]:
    named = dict.fromkeys([(await stores.runs.get(run_id)).id for run_id in run_ids])
    found = [one for run_id in named for one in await stores.runs.evaluations(run_id)]
    if len(found) < 2 or len({one.benchmark for one in found}) > 1:  # noqa: PLR2004
        raise InvalidValueError("name runs with two or more evaluations, all of one data set")
    return found


async def _judged(engine: Engine, found: Agreements, judge: str, count: int) -> JudgedAgreement:
    if len(found.evaluations) != 2:  # noqa: PLR2004
        raise InvalidValueError("a judge compares two models; name runs with two evaluations in all")
    ours, theirs = found.evaluations
    item_ids = found.chosen(Choice.DIFFERENT)[:count]
    return await judged_agreement(
        (ours, theirs),
        item_ids,
        Judging(options.names(judge)),
        attempts=engine.stores.attempts,
        directory=engine.judges,
    )


def _print(found: Agreements, judged: JudgedAgreement | None) -> None:
    write_table(
        ("MODEL", "MODEL", "COMPARED", "SAME", "DIFFERENT", "AGREEMENT"),
        [
            (
                pair.ours.model,
                pair.theirs.model,
                f"{pair.compared:,}",
                f"{pair.identical:,}",
                f"{pair.compared - pair.identical:,}",
                score_text(pair.rate),
            )
            for pair in found.pairs
        ],
    )
    differing = found.chosen(Choice.DIFFERENT)
    if differing:
        more = f" and {len(differing) - _SHOWN:,} more" if len(differing) > _SHOWN else ""
        typer.echo(f"\nthey differ on: {', '.join(differing[:_SHOWN])}{more}")
    if judged is not None:
        undecided = len(judged.judged) - judged.same - judged.different
        typer.echo(
            f"judged {len(judged.judged):,} of the differing pairs: {judged.same:,} say the same,"
            f" {judged.different:,} do not, {undecided:,} undecided"
        )


def _document(found: Agreements, judged: JudgedAgreement | None) -> dict[str, object]:
    document: dict[str, object] = {
        "agreement": [
            {
                "model_a": pair.ours.model,
                "model_b": pair.theirs.model,
                "total_compared": pair.compared,
                "identical": pair.identical,
                "different": pair.compared - pair.identical,
                "agreement_rate": pair.rate.value if pair.rate else None,
            }
            for pair in found.pairs
        ],
        "different": found.chosen(Choice.DIFFERENT),
    }
    if judged is not None:
        document["judged"] = {
            "same": judged.same,
            "different": judged.different,
            "undecided": len(judged.judged) - judged.same - judged.different,
            "items": {one.item_id: one.is_same for one in judged.judged},
        }
    return document


async def _lines(documents: AsyncIterator[Mapping[str, Json]]) -> AsyncIterator[bytes]:
    async for document in documents:
        yield orjson.dumps(document, default=dict) + b"\n"


async def _encoded(texts: AsyncIterator[str]) -> AsyncIterator[bytes]:
    async for text in texts:
        yield text.encode("utf-8", "replace")


async def _written(content: AsyncIterator[bytes], output: Path | None) -> None:
    try:
        opened = nullcontext(sys.stdout.buffer) if output is None else output.open("wb")
    except OSError as error:
        raise InvalidValueError(f"{str(output)!r} cannot be written: {error.strerror}") from error
    is_shown = output is None and sys.stdout.isatty()
    with opened as file:
        await _copied(content, file, is_shown=is_shown)


async def _copied(content: AsyncIterator[bytes], file: BinaryIO, *, is_shown: bool) -> None:
    async for piece in content:
        file.write(printable(piece.decode()).encode() if is_shown else piece)
    file.flush()


def _one_of(words: type[_E], text: str, option: str) -> _E:
    try:
        return words(text)
    except ValueError as error:
        raise InvalidValueError(f"{option} is one of {', '.join(words)}, not {text!r}") from error
