"""Limits that a reply must keep to count as good."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.domain.errors import InvalidValueError

_FORM = re.compile(r"(?P<name>\w+)\s*(?P<sign>[<>])\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s|)")
_UNITS = {"ms": 1.0, "s": 1_000.0}
_TIMES = {
    "ttft": "ttft_ms",
    "ttfat": "ttfat_ms",
    "itl": "mean_itl_ms",
    "gap": "max_gap_ms",
    "e2e": "e2e_ms",
}
_RATE = "tokens_per_s"


@dataclass(frozen=True, slots=True)
class GoodputLimit:
    """A measure of one reply, and the bound that it must stay under or above."""

    measure: str
    bound: float
    is_above: bool

    def is_kept(self, measures: Mapping[str, float]) -> bool:
        """What was not measured is not shown to keep a limit."""
        value = measures.get(self.measure)
        compare: Callable[[float, float], bool] = operator.gt if self.is_above else operator.lt
        return value is not None and compare(value, self.bound)


def read_goodput(text: str | None) -> tuple[GoodputLimit, ...]:
    """From `ttft<500ms,e2e<5s,tokens_per_s>20`."""
    return tuple(_limit(entry.strip()) for entry in text.split(",")) if text else ()


def _limit(entry: str) -> GoodputLimit:
    found = _FORM.fullmatch(entry)
    if found and found["name"] in _TIMES and found["sign"] == "<" and found["unit"]:
        return GoodputLimit(
            _TIMES[found["name"]], float(found["number"]) * _UNITS[found["unit"]], is_above=False
        )
    if found and found["name"] == _RATE and found["sign"] == ">" and not found["unit"]:
        return GoodputLimit(_RATE, float(found["number"]), is_above=True)
    times = ", ".join(_TIMES)
    raise InvalidValueError(
        f"a goodput limit is a time such as ttft<500ms ({times}; in ms or s), or tokens_per_s>20,"
        f" not {entry!r}"
    )
