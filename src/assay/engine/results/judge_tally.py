"""What judging the attempts of an evaluation cost, and how far the judges agreed."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Json
from assay.domain.stats import krippendorff_alpha
from assay.domain.summary import VoteAgreement


class JudgeTally:
    """What judging the attempts cost, and how far the judges agreed."""

    def __init__(self) -> None:
        self._usd = Decimal(0)
        self._known = 0
        self._unknown = 0
        self._votes: list[list[bool | None]] = []

    def add(self, attempt: Attempt) -> None:
        self.add_cost(attempt)
        self.add_votes(attempt)

    def add_cost(self, attempt: Attempt) -> None:
        """An attempt of a judged evaluation has a cost, 0 if no judge was asked; None means unknown."""
        if attempt.judge_cost_usd is None:
            self._unknown += 1
        else:
            self._known += 1
            self._usd += attempt.judge_cost_usd

    def add_votes(self, attempt: Attempt) -> None:
        votes = attempt.details.get("votes")
        if isinstance(votes, Sequence) and not isinstance(votes, str):
            self._votes.append([_vote(vote) for vote in votes])

    @property
    def cost_usd(self) -> Decimal | None:
        return self._usd if self._known and not self._unknown else None

    def agreement(self) -> VoteAgreement | None:
        rated = [votes for votes in self._votes if sum(vote is not None for vote in votes) > 1]
        if not rated:
            return None
        unanimous = sum(len(set(votes) - {None}) == 1 for votes in rated)
        return VoteAgreement(
            alpha=krippendorff_alpha(rated),
            unanimous=unanimous / len(rated),
            answers=len(rated),
            votes=sum(vote is not None for votes in self._votes for vote in votes),
            failed=sum(vote is None for votes in self._votes for vote in votes),
        )


def _vote(vote: Json) -> bool | None:
    said = vote.get("correct") if isinstance(vote, Mapping) else None
    return said if isinstance(said, bool) else None
