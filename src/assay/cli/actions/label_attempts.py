"""People's annotations of attempts: add, list, remove."""

from dataclasses import asdict, dataclass

import typer

from assay.bootstrap import opened_engine
from assay.cli.actions.score_run import Chosen, agreement_text
from assay.cli.event_loop import run_async
from assay.cli.output.write import write_json, write_table
from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.review import Annotation, Label
from assay.domain.run import Evaluation
from assay.domain.stats import Agreement
from assay.settings import load_settings


@dataclass(frozen=True, slots=True)
class Given:
    """A label as it was typed."""

    item: str
    sample: int
    label: str
    note: str
    author: str


def add_label(chosen: Chosen, given: Given, *, as_json: bool) -> None:
    async def work() -> Annotation:
        async with opened_engine(load_settings()) as engine:
            _, evaluations = await chosen.evaluations(engine)
            if len(evaluations) > 1:
                names = "; ".join(f"{one.model} on {one.benchmark}" for one in evaluations)
                raise InvalidValueError(
                    f"the run has several evaluations ({names}): say which with --benchmark and --model"
                )
            annotation = Annotation(
                evaluations[0].id,
                ItemId(given.item),
                given.sample,
                _label(given.label),
                engine.clock.now(),
                note=given.note,
                author=given.author,
            )
            return await engine.stores.reviews.add_annotation(annotation)

    stored = run_async(work())
    if as_json:
        write_json(asdict(stored))
    else:
        typer.echo(f"label {stored.id}: item {stored.item_id!r} is {stored.label.value}")


def remove_label(chosen: Chosen, number: int) -> None:
    async def work() -> None:
        async with opened_engine(load_settings()) as engine:
            _, evaluations = await chosen.evaluations(engine)
            for one in evaluations:
                if number in {label.id for label in await engine.stores.reviews.annotations(one.id)}:
                    await engine.stores.reviews.remove_annotation(one.id, number)
                    return
            raise UnknownNameError("label in this run", str(number))

    run_async(work())


def list_labels(chosen: Chosen, *, as_json: bool) -> None:
    async def work() -> list[tuple[Evaluation, tuple[Annotation, ...], Agreement | None]]:
        async with opened_engine(load_settings()) as engine:
            _, evaluations = await chosen.evaluations(engine)
            return [
                (
                    one,
                    await engine.stores.reviews.annotations(one.id),
                    await engine.grading_comparison.human_agreement(one),
                )
                for one in evaluations
            ]

    found = run_async(work())
    if as_json:
        labels = [asdict(label) for _, labels, _ in found for label in labels]
        agreement = [
            {"evaluation_id": one.id, "model": one.model, "benchmark": one.benchmark, **asdict(agreed)}
            for one, _, agreed in found
            if agreed is not None
        ]
        write_json({"annotations": labels, "agreement": agreement})
        return
    if not any(labels for _, labels, _ in found):
        typer.echo("no annotations; add one with: assay annotate RUN ITEM LABEL")
        return
    rows = [
        (
            str(label.id),
            one.benchmark,
            label.item_id,
            str(label.sample),
            label.label.value,
            label.author,
            label.note,
        )
        for one, labels, _ in found
        for label in labels
    ]
    write_table(("LABEL", "BENCHMARK", "ITEM", "SAMPLE", "IS", "AUTHOR", "NOTE"), rows)
    for one, _, agreed in found:
        if agreed is not None:
            typer.echo(f"\n{one.model} on {one.benchmark} agrees with the labels: {agreement_text(agreed)}")


def _label(text: str) -> Label:
    try:
        return Label(text)
    except ValueError as error:
        known = ", ".join(Label)
        raise InvalidValueError(f"a label is one of {known}, not {text!r}") from error
