"""Runs compared item by item, as a program or a notebook sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.cli.actions.compare_runs import written_comparison
from assay.domain.errors import InvalidValueError
from assay.engine.exports import comparison as reports
from assay.engine.exports.html.markup import STYLE, paragraph
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.compare import Comparison as EngineComparison
from assay.installation import opened_stores
from assay.python_api.engine_thread import wait_for
from assay.python_api.result import Result
from assay.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two evaluations of one benchmark on the items both were scored on.

    `difference` is the mean of (ours - theirs), and None where they share no item. `verdict` is "better",
    "worse", "tied" or "inconclusive"; `p_value` is corrected for the number of pairs. `differing` names what
    was not equal; if it names anything, the two were not compared like for like.
    """

    ours: str
    theirs: str
    benchmark: str
    sentence: str
    difference: float | None
    interval: tuple[float, float] | None
    p_value: float | None
    items: int
    verdict: str
    differing: tuple[str, ...]


class Comparison:
    """Every two evaluations of the same benchmark in some runs."""

    def __init__(
        self, settings: Settings, run_ids: Sequence[str], compared: Sequence[EngineComparison]
    ) -> None:
        self._settings = settings
        self._run_ids = tuple(run_ids)
        self._compared = tuple(compared)
        self.pairs: tuple[ComparedPair, ...] = tuple(map(_pair, compared))

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(one.sentence for one in self.pairs)

    def to_html(self, path: str | Path, *, reveal: bool = False) -> Path:
        """Write one page with the items on which two models differ; returns where it is."""
        wait_for(partial(self._write, Path(path), reveal=reveal))
        return Path(path)

    def to_markdown(self) -> str:
        """The differences and the scores, for a pull request."""
        return wait_for(self._markdown)

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        said = "".join(map(paragraph, self.sentences))
        picture = reports.differences_html(self._compared)
        return f'<style>{STYLE}</style><div class="assay">{said}{picture}</div>'

    async def _write(self, path: Path, *, reveal: bool) -> None:
        async with opened_stores(self._settings) as stores:
            content = await reports.comparison_content(
                stores, Catalogue.installed(), self._run_ids, reveal=reveal
            )
            await written_comparison(content, html=path)

    async def _markdown(self) -> str:
        async with opened_stores(self._settings) as stores:
            content = await reports.comparison_content(
                stores, Catalogue.installed(), self._run_ids, reveal=False
            )
        return reports.comparison_markdown(content)


def compare(*runs: str | Result) -> Comparison:
    """Say which model is better, item by item, or that there are not enough items to tell.

    Give one run of several models, or several runs, as results or by their ids.
    """
    if not runs:
        raise InvalidValueError("nothing to compare: give a run of several models, or several runs")
    settings = load_settings()
    run_ids = [one if isinstance(one, str) else one.run_id for one in runs]

    async def work() -> Comparison:
        async with opened_stores(settings) as stores:
            content = await reports.comparison_content(stores, Catalogue.installed(), run_ids, reveal=False)
        return Comparison(settings, run_ids, content.comparisons)

    return wait_for(work)


def _pair(one: EngineComparison) -> ComparedPair:
    result = one.result
    p_value = None if result is None else result.p_value if result.adjusted_p is None else result.adjusted_p
    return ComparedPair(
        ours=one.ours.model,
        theirs=one.theirs.model,
        benchmark=one.ours.benchmark,
        sentence=one.sentence,
        difference=result.difference if result else None,
        interval=(result.interval.low, result.interval.high) if result else None,
        p_value=p_value,
        items=result.n if result else 0,
        verdict=result.verdict.value if result else "inconclusive",
        differing=one.differing,
    )
