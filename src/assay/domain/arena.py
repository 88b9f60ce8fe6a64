"""Votes between two answers to the same question, and the Elo ratings that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from assay.domain.errors import InvalidValueError

Winner = Literal["A", "B", "tie", "both_bad"]

FIRST_ELO = 1_500.0
ELO_K = 32.0
ELO_SCALE = 400.0
_SCORES: dict[Winner, float] = {"A": 1.0, "B": 0.0, "tie": 0.5}


@dataclass(frozen=True, slots=True)
class Vote:
    """What somebody said of an answer of `model_a` and one of `model_b`; a prompt is voted on once."""

    prompt_id: str
    winner: Winner
    model_a: str
    model_b: str
    created_at: datetime
    user_id: str | None = None
    prompt_hash: str | None = None
    benchmark: str | None = None
    owner: str | None = None

    def __post_init__(self) -> None:
        if self.model_a == self.model_b:
            raise InvalidValueError(f"a vote is between two models, not {self.model_a!r} and itself")

    @property
    def score_a(self) -> float | None:
        """1 if A won, one half for a tie, 0 if B won; None if both are bad, which says nothing of either."""
        return _SCORES.get(self.winner)


@dataclass(frozen=True, slots=True)
class Tally:
    """How the votes on one model went."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    both_bad: int = 0

    @property
    def votes(self) -> int:
        return self.wins + self.losses + self.ties + self.both_bad


def elo_ratings(votes: Sequence[Vote]) -> dict[str, float]:
    """Of every model that was voted on, over all votes in their order."""
    ratings: dict[str, float] = {}
    for vote in votes:
        ours, theirs = (ratings.setdefault(name, FIRST_ELO) for name in (vote.model_a, vote.model_b))
        score = vote.score_a
        if score is None:
            continue
        expected = 1 / (1 + 10 ** ((theirs - ours) / ELO_SCALE))
        change = ELO_K * (score - expected)
        ratings[vote.model_a] = ours + change
        ratings[vote.model_b] = theirs - change
    return ratings


def tallies(votes: Sequence[Vote]) -> dict[str, Tally]:
    counts: dict[str, list[int]] = {}
    for vote in votes:
        places = {"A": (0, 1), "B": (1, 0), "tie": (2, 2), "both_bad": (3, 3)}[vote.winner]
        for model, place in zip((vote.model_a, vote.model_b), places, strict=True):
            counts.setdefault(model, [0, 0, 0, 0])[place] += 1
    return {model: Tally(*found) for model, found in counts.items()}
