"""`assay data`: a benchmark's data on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import options

app = typer.Typer(
    help="Fetch, list and check the benchmarks' data.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def fetch(
    benchmark: options.Benchmark,
    *,
    json: options.Json = False,
) -> None:
    """Fetch a benchmark's data from the hub, at its pinned revision."""
    from assay.bootstrap import data_library
    from assay.cli.output.progress import download_progress
    from assay.cli.output.write import write_json
    from assay.domain.errors import InvalidValueError
    from assay.engine.planning.catalogue import Catalogue
    from assay.installation import prepare_home
    from assay.settings import load_settings

    settings = load_settings()
    prepare_home(settings)
    card = Catalogue.installed().get(benchmark).card
    if card.source.is_included:
        raise InvalidValueError(f"the data of {card.name!r} comes with Assay: there is nothing to fetch")
    with download_progress(quiet=json) as progress:
        data = data_library(settings).fetch(card, progress=progress)
    if json:
        write_json({"benchmark": card.name, "revision": data.revision, "checksum": data.checksum})
    else:
        typer.echo(f"{card.name}: {data.revision}, sha256 {data.checksum}")


@app.command("list")
def list_data(*, json: options.Json = False) -> None:
    """List which benchmarks have their data here."""
    from assay.bootstrap import data_library
    from assay.cli.output.cards import data_state
    from assay.cli.output.write import write_json, write_table
    from assay.domain.benchmark import HasDemoItems
    from assay.engine.planning.catalogue import Catalogue
    from assay.settings import load_settings

    catalogue, library = Catalogue.installed(), data_library(load_settings())
    rows: list[dict[str, object]] = []
    for name in catalogue.names:
        if ":" in name:
            continue
        benchmark = catalogue.get(name)
        source = benchmark.card.source
        rows.append(
            {
                "benchmark": name,
                "official": data_state(benchmark.card, is_fetched=library.is_fetched(benchmark.card)),
                "demo": isinstance(benchmark, HasDemoItems),
                "gated": source.gated,
                "source": "Assay" if source.is_included else f"{source.repository}@{source.revision[:12]}",
            }
        )
    if json:
        write_json({"data": rows})
    else:
        yes_no = {True: "yes", False: "no"}
        write_table(
            ("BENCHMARK", "OFFICIAL", "DEMO", "GATED", "SOURCE"),
            [tuple(yes_no[v] if isinstance(v, bool) else str(v) for v in row.values()) for row in rows],
            folded=("SOURCE",),
        )


@app.command()
def check(
    benchmark: options.Benchmark,
    *,
    data: options.Data = "official",
    json: options.Json = False,
) -> None:
    """Read a benchmark's data to the end: checksums, every row, every prompt."""
    from assay.bootstrap import data_library
    from assay.cli.output.write import write_json
    from assay.domain.stats import plural
    from assay.engine.planning.catalogue import Catalogue
    from assay.settings import load_settings

    chosen = Catalogue.installed().get(benchmark)
    found = data_library(load_settings()).open(chosen, data)
    item_set = chosen.load(found.tables)
    characters = sum(len(item_set.prompt(item).text) for item in item_set.items)
    if json:
        write_json(
            {
                "benchmark": benchmark,
                "revision": found.revision,
                "checksum": found.checksum,
                "items": len(item_set.items),
                "prompt_characters": characters,
            }
        )
    else:
        typer.echo(
            f"{benchmark}: {plural(len(item_set.items), 'item')}, {characters:,} characters of prompts"
        )
        typer.echo(f"{found.revision}, sha256 {found.checksum}")


@app.command()
def prepare(
    benchmark: options.Benchmark,
    *,
    file: Annotated[
        list[Path] | None, typer.Option(help="A file that cannot be fetched, such as SciCode's test_data.h5.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Install the packages that a benchmark runs programs with, apart from Assay's own."""
    from assay.bootstrap import prepared_environments
    from assay.cli.output.write import write_json
    from assay.domain.benchmark import HasEnvironment
    from assay.domain.errors import InvalidValueError
    from assay.engine.planning.catalogue import Catalogue
    from assay.installation import prepare_home
    from assay.settings import load_settings

    chosen = Catalogue.installed().get(benchmark)
    if not isinstance(chosen, HasEnvironment):
        raise InvalidValueError(f"{benchmark!r} needs nothing to be prepared")
    settings = load_settings()
    prepare_home(settings)
    prepared = prepared_environments(settings)
    kept: dict[str, str] = {}
    for path in file or []:
        if path.name not in chosen.user_files:
            known = ", ".join(f"{name} ({what})" for name, what in chosen.user_files.items())
            raise InvalidValueError(f"{benchmark!r} has no use for {path.name!r}; it takes {known}")
        kept[path.name] = prepared.keep(benchmark, path.name, path)
    python = prepared.prepare(benchmark, chosen.environment, say=lambda text: typer.echo(text, err=True))
    if json:
        write_json({"benchmark": benchmark, "python": python, "files": kept})
        return
    typer.echo(f"{benchmark}: {python}")
    for name, sha256 in kept.items():
        typer.echo(f"{name}: sha256 {sha256}")
