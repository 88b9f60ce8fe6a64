"""The log-probabilities of a reply's tokens, as the few figures that are stored."""

from collections.abc import Iterable

from assay.domain.json_value import Json
from assay.domain.record import record


@record
class Logprobs:
    """Natural logarithms, at most 0."""

    tokens: int
    mean: float
    lowest: float

    def to_json(self) -> dict[str, Json]:
        return {"tokens": self.tokens, "mean": round(self.mean, 6), "lowest": round(self.lowest, 6)}


def combined_logprobs(replies: Iterable[Logprobs | None]) -> Logprobs | None:
    """Those of all replies that have some."""
    known = [one for one in replies if one is not None]
    if not known:
        return None
    tokens = sum(one.tokens for one in known)
    mean = sum(one.mean * one.tokens for one in known) / tokens
    return Logprobs(tokens, mean, min(one.lowest for one in known))
