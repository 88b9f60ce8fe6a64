"""`assay benchmarks` and `assay models`."""

from dataclasses import asdict
from typing import Annotated

import typer

from assay.cli import options


def benchmarks(
    name: Annotated[str | None, typer.Argument(help="Show one benchmark's card in full.")] = None,
    *,
    json: options.Json = False,
) -> None:
    """List the installed benchmarks, or show one's card."""
    from assay.bootstrap import data_library
    from assay.cli.cards import card_document, print_card
    from assay.cli.write import write_json, write_table
    from assay.engine.catalogue import Catalogue
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
                "fetched" if library.is_fetched(card) else "not fetched",
                card.title,
            )
            for card in cards
        ],
    )
    for broken, reason in catalogue.broken.items():
        typer.echo(f"{broken}: does not load: {reason}", err=True)


def models(
    prefix: Annotated[
        str | None, typer.Argument(help="A provider, to ask its endpoint for the models it serves.")
    ] = None,
    *,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint.")] = None,
    json: options.Json = False,
) -> None:
    """List the providers and built-in models, or the models an endpoint serves."""
    from assay.bootstrap import model_directory
    from assay.cli.session import run_async
    from assay.cli.write import write_json, write_table
    from assay.settings import load_settings

    directory = model_directory(load_settings())
    if prefix is not None:
        names = run_async(directory.served(prefix, base_url=base_url))
        if json:
            write_json({"models": [f"{prefix.rstrip('/')}/{name}" for name in names]})
        else:
            typer.echo(
                "\n".join(f"{prefix.rstrip('/')}/{name}" for name in names) or "the endpoint lists no models"
            )
        return
    providers = directory.providers()
    if json:
        write_json({"providers": [asdict(one) for one in providers]})
        return
    write_table(
        ("PREFIX", "READY", "ENDPOINT", "KEY FROM"),
        [
            (one.prefix, "yes" if one.is_ready else "no key", one.base_url, one.key_variable)
            for one in providers
        ],
    )
    typer.echo("openai-api/NAME/  any other endpoint: set NAME_BASE_URL, and NAME_API_KEY where it wants one")
