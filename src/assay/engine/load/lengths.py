"""How long prompts and replies are to be: a number of tokens, or a distribution of it."""

import math
import re
from dataclasses import dataclass
from random import Random
from typing import Literal, cast

from assay.domain.errors import InvalidValueError

_FORM = re.compile(r"(?:(?P<kind>uniform|normal|lognormal):)?(?P<first>\d+)(?:[-,](?P<second>\d+))?")
MOST_TOKENS = 1_000_000
Kind = Literal["fixed", "uniform", "normal", "lognormal"]


@dataclass(frozen=True, slots=True)
class Lengths:
    """`first` and `second` are the bounds of a uniform distribution, or mean and standard deviation."""

    kind: Kind
    first: int
    second: int = 0

    @classmethod
    def read(cls, text: str) -> "Lengths":
        """From `128`, `uniform:64-256`, `normal:128,32` or `lognormal:128,64`."""
        found = _FORM.fullmatch(text.strip())
        if not found or (found["kind"] is None) != (found["second"] is None):
            raise InvalidValueError(
                "a length is a number of tokens, uniform:LOW-HIGH, normal:MEAN,SD or lognormal:MEAN,SD,"
                f" not {text!r}"
            )
        # The expression allows no other.
        kind = cast("Kind", found["kind"] or "fixed")
        lengths = cls(kind, int(found["first"]), int(found["second"] or 0))
        is_ordered = lengths.kind != "uniform" or lengths.first <= lengths.second
        if not is_ordered or not 1 <= lengths.first <= MOST_TOKENS or lengths.second > MOST_TOKENS:
            raise InvalidValueError(f"lengths must be 1 to {MOST_TOKENS:,} tokens, not {text!r}")
        return lengths

    def draw(self, random: Random) -> int:
        if self.kind == "fixed":
            return self.first
        if self.kind == "uniform":
            return random.randint(self.first, self.second)
        if self.kind == "normal":
            drawn = random.gauss(self.first, self.second)
        else:
            # Parameters of the logarithm that give the mean and the deviation of the lengths themselves.
            variance = math.log1p((self.second / self.first) ** 2)
            drawn = random.lognormvariate(math.log(self.first) - variance / 2, math.sqrt(variance))
        return min(MOST_TOKENS, max(1, round(drawn)))
