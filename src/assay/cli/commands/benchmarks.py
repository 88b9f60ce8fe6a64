"""`assay benchmarks`."""

from typing import Annotated

import typer

from assay.cli import completion, options


def benchmarks(
    name: Annotated[
        str | None,
        typer.Argument(help="Show one benchmark's card in full.", autocompletion=completion.benchmarks),
    ] = None,
    *,
    json: options.Json = False,
) -> None:
    """List the installed benchmarks, or show one's card."""
    from assay.bootstrap import data_library
    from assay.cli.output.cards import card_document, data_state, print_card
    from assay.cli.output.write import write_json, write_table
    from assay.engine.planning.catalogue import Catalogue
    from assay.settings import load_settings

    catalogue = Catalogue.installed()
    library = data_library(load_settings())
    if name is not None:
        card = catalogue.get(name).card
        if json:
            write_json(card_document(card, is_fetched=library.is_fetched(card)))
        else:
            print_card(card, is_fetched=library.is_fetched(card))
        return
    cards = [catalogue.get(one).card for one in catalogue.names]
    if json:
        write_json(
            {
                "benchmarks": [card_document(card, is_fetched=library.is_fetched(card)) for card in cards],
                "broken": dict(catalogue.broken),
            }
        )
        return
    write_table(
        ("NAME", "VERSION", "MODE", "ITEMS", "CHANCE", "DATA", "TITLE"),
        [
            (
                card.name,
                card.version,
                card.mode,
                f"{card.size:,}",
                f"{100 * card.chance:.0f} %",
                data_state(card, is_fetched=library.is_fetched(card)),
                card.title,
            )
            for card in cards
        ],
        folded=("TITLE",),
        optional=("TITLE", "MODE", "CHANCE", "VERSION"),
    )
    for broken, reason in catalogue.broken.items():
        typer.echo(f"{broken}: does not load: {reason}", err=True)
