"""A benchmark's card for people and for programs."""

from dataclasses import asdict

import typer

from assay.domain.benchmark import Card, Need, Source
from assay.engine.planning.needs_setup import SetupCard


def card_document(card: Card, *, is_fetched: bool) -> dict[str, object]:
    document: dict[str, object] = asdict(card)
    document["needs"] = sorted(need.value for need in card.needs)
    return document | {"is_fetched": is_fetched}


def setup_document(card: SetupCard) -> dict[str, object]:
    return {**asdict(card), "remedy": card.remedy}


def print_setup_card(card: SetupCard) -> None:
    typer.echo(f"{card.title}\n\n{card.description}\n")
    lines = {"name": card.name, "items": f"{card.size:,}", "source": card.page, "needs setup": card.reason}
    for name, value in lines.items():
        typer.echo(f"{name + ':':15} {value}")
    typer.echo(f"{'':15} {card.remedy}")


def data_state(card: Card, *, is_fetched: bool) -> str:
    if card.source.is_included:
        return "included"
    return "fetched" if is_fetched else "not fetched"


def print_card(card: Card, *, is_fetched: bool) -> None:
    low, high = card.typical_output_tokens
    needs = ", ".join(sorted(need.value for need in card.needs)) or "nothing special"
    lines = {
        "name": f"{card.name}, version {card.version}",
        "mode": card.mode,
        "items": f"{card.size:,}",
        "metric": card.metric,
        "chance level": f"{100 * card.chance:g} %",
        "grader": card.grader,
        "needs": needs,
        _other_model(card): f"its authors use {card.judge.model}" if card.judge else "",
        "licence": card.licence,
        "source": _source(card.source),
        "data": _data(card, is_fetched=is_fetched),
        "typical reply": f"{low:,} to {high:,} tokens",
        "paper": card.paper,
    }
    typer.echo(f"{card.title}\n\n{card.description}\n")
    for name, value in lines.items():
        if value:
            typer.echo(f"{name + ':':15} {value}")
    if card.deviations:
        typer.echo("\ndeviations from the official harness:")
        for deviation in card.deviations:
            typer.echo(f"  - {deviation}")


def _other_model(card: Card) -> str:
    return "user's model" if Need.USER_MODEL in card.needs else "judge"


def _source(source: Source) -> str:
    if source.is_included:
        return ""
    return f"{source.page} at {source.revision}" + (" (gated)" if source.gated else "")


def _data(card: Card, *, is_fetched: bool) -> str:
    state = data_state(card, is_fetched=is_fetched)
    if is_fetched:
        return state
    return f"{state}; get it with: assay data fetch {card.name.partition(':')[0]}"
