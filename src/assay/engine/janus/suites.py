"""The suites of `janus-bench`, and which items of them a run asks."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from assay.domain.errors import DataMissingError, UnknownNameError
from assay.engine.results.composite import JANUS_BENCHMARKS

INTELLIGENCE = "janus/intelligence"
_WHOLE_PERCENT = 100


@dataclass(frozen=True, slots=True)
class Suite:
    """`benchmarks` is empty for a suite that Assay has no items of."""

    name: str
    description: str
    benchmarks: tuple[str, ...] = ()


SUITES = (
    Suite("public/train", "the public items for development of the original: not part of Assay"),
    Suite("public/dev", "the public items for testing of the original: not part of Assay"),
    Suite("private/test", "the private items of the original: not part of Assay"),
    Suite(INTELLIGENCE, "the five Janus benchmarks", JANUS_BENCHMARKS),
)


def suite_named(name: str) -> Suite:
    for suite in SUITES:
        if suite.name == name:
            return suite
    raise UnknownNameError("suite", name, remedy=f"there are {', '.join(one.name for one in SUITES)}")


def benchmarks_of(suite: Suite, only: str | None) -> tuple[str, ...]:
    """The benchmarks to run; raises DataMissingError for a suite without items, never taking another."""
    if not suite.benchmarks:
        raise DataMissingError(
            f"Assay has no items of suite {suite.name!r}: run `--suite {INTELLIGENCE}`, or add items of your"
            " own with `assay datasets add FILE` and run them with `assay run MODEL dataset:NAME`"
        )
    if only is None:
        return suite.benchmarks
    if only not in suite.benchmarks:
        raise UnknownNameError(
            f"benchmark of {suite.name!r}", only, remedy=f"there are {', '.join(suite.benchmarks)}"
        )
    return (only,)


def sampled(item_ids: Sequence[str], *, seed: str, benchmark: str, percent: int) -> list[str]:
    """The draw of the original: a shuffle by `seed:benchmark`, rounded up, sorted by id."""
    if percent >= _WHOLE_PERCENT:
        return sorted(item_ids)
    drawn = list(item_ids)
    random.Random(f"{seed}:{benchmark}").shuffle(drawn)  # noqa: S311 # a reproducible draw, not a secret
    return sorted(drawn[: max(1, math.ceil(len(drawn) * percent / _WHOLE_PERCENT))])
