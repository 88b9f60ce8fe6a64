"""Evidence about the mean of a finite population that stays valid whenever one looks at it."""

import math

from assay.domain.errors import InvalidValueError

# Shares of the wealth that are staked. The best one depends on a difference that nobody knows beforehand;
# with steps of two, one of these is close to it, at the price of a factor 7 in evidence.
BETS = tuple(0.9 / 2**step for step in range(7))

# What sums of thousands of scores may be off by. A sum that exceeds what the null allows by more is certain.
_DUST = 1e-6


class BettingTest:
    """Tests that the mean of `units` values in [0, 1] is at most `null`, drawn in random order, each once.

    If the mean of all values is `null`, that of the next one, given those drawn before, is
    m = (units * null - sum so far) / (units - drawn so far). Staking a share b of the wealth on the next
    value x multiplies it by 1 - b + b x/m. Under the null hypothesis the expectation of this factor is at
    most 1, and it is never negative. So the wealth, from 1, is a supermartingale: it ever exceeds 1/a with a
    probability of at most a (Ville). The same holds for the mean over several fixed bets. The test is that of
    Waudby-Smith and Ramdas (2020, 2023) for sampling without replacement.

    A value that is not known is given as the least it can be: the factor falls, and m rises for those after.
    A larger null makes every m larger and every factor smaller. So evidence against a null is at most that
    against any smaller one, and the nulls that are rejected are those below a limit.
    """

    __slots__ = ("_left", "_rest", "_wealth", "peak")

    def __init__(self, null: float, units: int) -> None:
        if units < 1 or not 0 <= null <= 1:
            raise InvalidValueError(f"a mean of {null!r} over {units!r} units: give 0 to 1, and 1 or more")
        self._rest = null * units
        self._left = units
        self._wealth = [1 / len(BETS)] * len(BETS)
        # The most evidence there ever was: the e-value to compare with 1/alpha; infinite where it is certain.
        self.peak = 1.0

    def add(self, value: float) -> None:
        """The next value of the order; nothing is skipped."""
        if self._left == 0:
            raise InvalidValueError("more values than the population has units")
        mean = self._rest / self._left
        self._rest -= value
        self._left -= 1
        if self._rest < -_DUST:
            self.peak = math.inf
        elif mean > _DUST:
            ratio = value / mean
            # What is too small for a float becomes 0, which is less evidence; too large is evidence enough.
            self._wealth = [
                wealth * (1 - bet + bet * ratio) for wealth, bet in zip(self._wealth, BETS, strict=True)
            ]
            self.peak = max(self.peak, sum(self._wealth))
