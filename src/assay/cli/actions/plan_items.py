"""Prints how many items a comparison takes, from the spread in stored runs."""

from dataclasses import asdict

import typer

from assay.cli.event_loop import run_async
from assay.cli.output.write import write_json, write_note, write_table
from assay.domain.stats import plural, points
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.sample_size import (
    ComparedBenchmark,
    SampleSizeRequest,
    SampleSizes,
    StoredSpread,
    compared_benchmark,
    sample_sizes,
    stored_spread,
)
from assay.installation import opened_stores
from assay.settings import load_settings


def plan_items(wanted: SampleSizeRequest, benchmark: str, *, data: str, as_json: bool) -> None:
    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            asked = await compared_benchmark(stores, Catalogue.installed(), benchmark)
            spread = await stored_spread(stores, asked.name, version=asked.version, data=data)
        sizes = sample_sizes(wanted, spread)
        if as_json:
            write_json(_document(asked, wanted, spread, sizes))
        else:
            _print(asked, wanted, spread, sizes)

    run_async(work())


def _document(
    asked: ComparedBenchmark, wanted: SampleSizeRequest, spread: StoredSpread, sizes: SampleSizes
) -> dict[str, object]:
    return {
        "benchmark": asked.name,
        "benchmark_size": asked.size,
        **asdict(wanted),
        "items": asdict(sizes),
        "spread": asdict(spread),
    }


def _print(
    asked: ComparedBenchmark, wanted: SampleSizeRequest, spread: StoredSpread, sizes: SampleSizes
) -> None:
    found = f"{points(wanted.difference)} points from a score of {100 * wanted.score:g} %"
    write_note(
        f"To find a difference of {found} on {asked.name} in {100 * wanted.power:g} % of cases, at alpha"
        f" {wanted.alpha:g}:"
    )
    rows = [
        ("paired: both models are asked the same items", sizes.paired),
        ("unpaired: each model is asked other items", sizes.unpaired),
        ("equivalent within the difference, if they score the same", sizes.equivalent),
    ]
    write_table(
        ("COMPARISON", "ITEMS", f"OF {asked.size:,}"),
        [(name, f"{items:,}", _share(items, asked.size)) for name, items in rows],
    )
    typer.echo("")
    write_note(_note(spread))


def _share(items: int, size: int) -> str:
    return f"{100 * items / size:.1f} %" if items <= size else "more than there are"


def _note(spread: StoredSpread) -> str:
    if spread.single is None:
        return (
            "Nothing is stored that tells how scores spread on this benchmark: the sizes are upper bounds,"
            " for models that answer independently of each other. Models that find the same items hard take"
            " fewer when they are paired."
        )
    stored = f"Spread of scores from stored runs of {', '.join(spread.models)}"
    if spread.paired is None:
        return f"{stored}; of differences, from models that answer independently: an upper bound."
    return (
        f"{stored}; of differences, from {plural(spread.pairs, 'pair')} of them: {100 * spread.paired:.0f} %"
        " of the variance that independent answers would have."
    )
