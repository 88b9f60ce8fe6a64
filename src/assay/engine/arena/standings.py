"""The ranking of models by votes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.domain.arena import ELO_SCALE, FIRST_ELO, Tally, Vote, elo_ratings, tallies
from assay.domain.stats import Duel, bradley_terry

_PER_LOG = ELO_SCALE / math.log(10)


@dataclass(frozen=True, slots=True)
class Rating:
    """On the scale of Elo: 1500 is the mean of the rated models, 400 more are odds of ten to one."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """`rating` is by Bradley and Terry; None for a model that the votes do not tie to the others."""

    model: str
    elo: float
    tally: Tally
    rating: Rating | None


def standings(votes: Sequence[Vote]) -> tuple[Standing, ...]:
    """By Elo, the highest first."""
    strengths = bradley_terry(
        [Duel(vote.model_a, vote.model_b, vote.score_a) for vote in votes if vote.score_a is not None]
    )
    ratings = {
        model: Rating(_points(one.log), _points(one.low), _points(one.high))
        for model, one in strengths.items()
    }
    counted = tallies(votes)
    found = [
        Standing(model, elo, counted[model], ratings.get(model)) for model, elo in elo_ratings(votes).items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.elo, one.model)))


def _points(log: float) -> float:
    return FIRST_ELO + _PER_LOG * log
