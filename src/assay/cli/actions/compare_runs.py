"""Compares the evaluations of stored runs."""

from collections.abc import Sequence
from pathlib import Path

from assay.cli.actions.export_run import fresh_file
from assay.cli.event_loop import run_async
from assay.cli.output.documents import comparison_document, sequential_document
from assay.cli.output.write import write_file, write_json, write_note
from assay.domain.errors import InvalidValueError
from assay.domain.stats import EquivalenceRule
from assay.engine.exports.comparison import (
    ComparisonContent,
    comparison_content,
    comparison_html,
    comparison_markdown,
)
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.compare import compare, model_pairs
from assay.engine.results.noise_floor import repeat_variances, with_noise_floors
from assay.engine.results.sequential import sequential_comparisons
from assay.installation import opened_stores
from assay.settings import load_settings


def compare_runs(runs: Sequence[str], *, as_json: bool) -> None:
    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            run_ids = dict.fromkeys([(await stores.runs.get(run_id)).id for run_id in runs])
            evaluations = [one for run_id in run_ids for one in await stores.runs.evaluations(run_id)]
            pairs = model_pairs(evaluations)
            if not pairs:
                raise _nothing()
            variances = await repeat_variances(stores.runs, evaluations)
            comparisons = with_noise_floors(await compare(stores.attempts, pairs), variances)
        if as_json:
            write_json({"comparisons": [comparison_document(one) for one in comparisons]})
        else:
            for one in comparisons:
                write_note(one.sentence)

    run_async(work())


def write_comparison(runs: Sequence[str], *, html: Path | None, markdown: Path | None, reveal: bool) -> None:
    """Write the comparison to files, and say where."""

    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            content = await comparison_content(stores, Catalogue.installed(), runs, reveal=reveal)
            await written_comparison(content, html=html, markdown=markdown)
        for one in content.comparisons:
            write_note(one.sentence)

    run_async(work())
    for path in filter(None, (html, markdown)):
        write_note(f"written to {path}", err=True)


async def written_comparison(
    content: ComparisonContent, *, html: Path | None = None, markdown: Path | None = None
) -> None:
    """Each file appears under its name only when it is whole."""
    if html is not None:
        with fresh_file(html.parent) as (file, path):
            async for piece in comparison_html(content):
                file.write(piece)
            file.flush()
            path.replace(html)
    if markdown is not None:
        write_file(markdown, comparison_markdown(content).encode("utf-8", "replace"))


def compare_sequentially(runs: Sequence[str], rule: EquivalenceRule, *, as_json: bool) -> None:
    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            comparisons = await sequential_comparisons(stores, runs, rule)
        if not comparisons:
            raise _nothing()
        if as_json:
            found = [sequential_document(one) for one in comparisons]
            write_json({"alpha": rule.alpha, "margin": rule.margin, "comparisons": found})
        else:
            for one in comparisons:
                write_note(one.sentence)

    run_async(work())


def _nothing() -> InvalidValueError:
    return InvalidValueError("nothing to compare: name runs that hold two evaluations of one benchmark")
