"""A comparison of runs for people: as one HTML file, and as Markdown."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError
from assay.domain.run import Evaluation
from assay.engine.exports.external.prompts import prompt_text
from assay.engine.exports.html.charts import Mark, difference_chart
from assay.engine.exports.html.items import shown_per_part, side_html
from assay.engine.exports.html.markup import block, foot, head, paragraph, table, text
from assay.engine.exports.html.run_page import encoded, scores_html
from assay.engine.exports.markdown import markdown_table, plain
from assay.engine.exports.wording import (
    COMPARISON_COLUMNS,
    NUMBERS,
    SCORE_COLUMNS,
    comparison_row,
    score_row,
)
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.compare import Comparison, ItemScores, compare, model_pairs
from assay.engine.results.masking import is_masked, masked_attempt
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter

MAX_PAIRS = 45
MAX_SHOWN = 50
_MAX_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class ComparisonContent:
    """`masked` holds the benchmarks whose texts may not be shown."""

    evaluations: tuple[Evaluation, ...]
    comparisons: tuple[Comparison, ...]
    stores: Stores
    masked: frozenset[str]


async def comparison_content(
    stores: Stores, catalogue: Catalogue, run_ids: Sequence[str], *, reveal: bool
) -> ComparisonContent:
    """Every two evaluations of one benchmark; raises InvalidValueError if there are none, or too many."""
    whole_ids = dict.fromkeys([(await stores.runs.get(run_id)).id for run_id in run_ids])
    evaluations = tuple([one for run_id in whole_ids for one in await stores.runs.evaluations(run_id)])
    pairs = model_pairs(evaluations)
    if not pairs:
        raise InvalidValueError("nothing to compare: name runs that hold two evaluations of one benchmark")
    if len(pairs) > MAX_PAIRS:
        raise InvalidValueError(
            f"{len(pairs):,} pairs are too many for one comparison; the limit is {MAX_PAIRS}: name fewer runs"
        )
    hidden = {one.benchmark for one in evaluations if not reveal and is_masked(one, catalogue)}
    return ComparisonContent(evaluations, await compare(stores.attempts, pairs), stores, frozenset(hidden))


async def comparison_html(content: ComparisonContent) -> AsyncIterator[bytes]:
    """Piece by piece, with a limited number of the items on which two models differ."""
    yield encoded(head("Comparison"))
    yield encoded("".join(paragraph(one.sentence) for one in content.comparisons))
    yield encoded(differences_html(content.comparisons))
    yield encoded("<h2>Scores</h2>\n" + scores_html([(one, one.summary) for one in content.evaluations]))
    scores = ItemScores(content.stores.attempts)
    most = shown_per_part(len(content.comparisons), most=MAX_SHOWN)
    for one in content.comparisons:
        yield encoded(await _pair(content, one, scores, most=most))
    yield encoded(foot())


def differences_html(comparisons: Sequence[Comparison]) -> str:
    """A picture of the differences in points, and a table of them."""
    rows = [comparison_row(one) for one in comparisons]
    marks = [
        Mark(f"{row[0]} · {row[1]}", one.result.difference, one.result.interval.low, one.result.interval.high)
        for one, row in zip(comparisons, rows, strict=True)
        if one.result
    ]
    picture = difference_chart(marks, title="Differences in points, with their 95 % intervals")
    return picture + table(COMPARISON_COLUMNS, rows, numbers=NUMBERS)


async def _pair(content: ComparisonContent, one: Comparison, scores: ItemScores, *, most: int) -> str:
    ours, theirs = await scores.of(one.ours), await scores.of(one.theirs)
    gaps = {item: ours[item] - theirs[item] for item in ours.keys() & theirs.keys()}
    differing = sorted((item for item, gap in gaps.items() if gap), key=lambda item: (-abs(gaps[item]), item))
    names = comparison_row(one)[0]
    parts = [f"<h2>{text(names)} on {text(one.ours.benchmark)}</h2>\n", paragraph(one.sentence)]
    left_out = len(differing) - most
    said = f"{len(differing):,} of {len(gaps):,} shared items were scored differently"
    if left_out > 0:
        said += (
            f"; {left_out:,} of them are left out here. All attempts:"
            f" `assay export {one.ours.run_id[:8]} --format jsonl`, and the same for {one.theirs.run_id[:8]}"
        )
    masked = (
        " Texts are masked, as the authors of the benchmark ask."
        if one.ours.benchmark in content.masked
        else ""
    )
    parts.append(paragraph(f"{said}.{masked}", "soft"))
    parts += [await _item(content, one, item, gaps[item]) for item in differing[:most]]
    return "".join(parts)


async def _item(content: ComparisonContent, one: Comparison, item: ItemId, gap: float) -> str:
    ours, theirs = [await _attempts(content, side, item) for side in (one.ours, one.theirs)]
    both = (*ours, *theirs)
    prompt, expected = (prompt_text(both[0].prompt), both[0].expected or "") if both else ("", "")
    better = one.ours if gap > 0 else one.theirs
    return (
        f"<details><summary><code>{text(item)}</code> {text(better.model)}"
        f" by {100 * abs(gap):.0f} points</summary>\n{block('Prompt', prompt)}{block('Expected', expected)}"
        f"{side_html(one.ours.model, ours)}{side_html(one.theirs.model, theirs)}</details>\n"
    )


async def _attempts(content: ComparisonContent, side: Evaluation, item: ItemId) -> Sequence[Attempt]:
    wanted = AttemptFilter(items=(item,), limit=_MAX_SAMPLES)
    found = await content.stores.attempts.page(side.id, wanted)
    return [masked_attempt(one) for one in found] if side.benchmark in content.masked else found


def comparison_markdown(content: ComparisonContent) -> str:
    """For a pull request: sentences, differences and scores, without any text of an item."""
    return "\n".join(
        (
            "## Comparison\n",
            *(f"- {plain(one.sentence)}" for one in content.comparisons),
            "",
            markdown_table(COMPARISON_COLUMNS, map(comparison_row, content.comparisons), numbers=NUMBERS),
            markdown_table(
                SCORE_COLUMNS, (score_row(one, one.summary) for one in content.evaluations), numbers=NUMBERS
            ),
            "",
        )
    )
