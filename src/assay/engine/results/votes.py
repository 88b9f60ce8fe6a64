"""What the answers to repeats of one item come to when they vote."""

from collections import defaultdict
from collections.abc import Mapping

from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.stats import Estimate, majority_vote, score_estimate
from assay.engine.graders.number import parse_number


class Votes:
    """Counts each attempt with a verdict as one vote for its extracted answer."""

    def __init__(self) -> None:
        self._cast: dict[ItemId, list[tuple[str | None, float]]] = defaultdict(list)

    def add(self, attempt: Attempt) -> None:
        if attempt.score is not None:
            self._cast[attempt.item_id].append((_ballot(attempt.extracted), attempt.score))

    def metrics(self, samples: int) -> Mapping[str, Estimate]:
        """The score of the most frequent answer, over the items all of whose samples have a verdict."""
        complete = [cast for cast in self._cast.values() if len(cast) == samples]
        if not any(ballot is not None for cast in complete for ballot, _score in cast):
            return {}
        estimate = score_estimate([_elected_score(cast) for cast in complete], None)
        return {} if estimate is None else {"majority": estimate}


def _elected_score(cast: list[tuple[str | None, float]]) -> float:
    elected = majority_vote(ballot for ballot, _score in cast)
    return next((score for ballot, score in cast if ballot == elected and ballot is not None), 0.0)


def _ballot(extracted: str | None) -> str | None:
    """Numbers vote by value: 024 and 24 are one answer."""
    if extracted is None:
        return None
    number = parse_number(extracted)
    return extracted.strip() if number is None else str(number.normalize())
