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
    """List the benchmarks, or show one's card."""
    from assay.bootstrap import data_library
    from assay.cli.output.cards import card_document, data_state, print_card, print_setup_card, setup_document
    from assay.cli.output.write import write_json, write_table
    from assay.domain.benchmark_names import own_name
    from assay.engine.planning.catalogue import Catalogue
    from assay.settings import load_settings

    catalogue = Catalogue.installed()
    library = data_library(load_settings())
    if name is not None and own_name(name) in catalogue.needs_setup:
        listed = catalogue.needs_setup[own_name(name)]
        if json:
            write_json(setup_document(listed))
        else:
            print_setup_card(listed)
        return
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
                "needs_setup": [setup_document(card) for card in catalogue.needs_setup.values()],
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
        ]
        + [
            (card.name, "", "", f"{card.size:,}", "", "needs setup", card.title)
            for card in catalogue.needs_setup.values()
        ],
        folded=("TITLE",),
        optional=("TITLE", "MODE", "CHANCE", "VERSION"),
    )
    for broken, reason in catalogue.broken.items():
        typer.echo(f"{broken}: does not load: {reason}", err=True)
