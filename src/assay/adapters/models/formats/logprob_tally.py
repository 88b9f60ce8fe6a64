"""Adds up the log-probabilities in a reply as its pieces arrive."""

from assay.domain.calls.logprobs import Logprobs
from assay.domain.json_value import Json

# Servers write -9999 for a probability of 0.
_LEAST = -10_000


class LogprobTally:
    """Keeps figures only, whatever the number of tokens."""

    __slots__ = ("_lowest", "_sum", "_tokens")

    def __init__(self) -> None:
        self._tokens = 0
        self._sum = self._lowest = 0.0

    def add(self, tokens: Json, name: str) -> None:
        """Tokens are objects with a number under `name`; anything else is passed over."""
        for token in tokens if isinstance(tokens, list) else ():
            value = token.get(name) if isinstance(token, dict) else None
            # Not a number is in no range.
            if isinstance(value, int | float) and not isinstance(value, bool) and _LEAST <= value <= 0:
                self._tokens += 1
                self._sum += value
                self._lowest = min(self._lowest, float(value))

    def logprobs(self) -> Logprobs | None:
        """None where the reply has none."""
        return Logprobs(self._tokens, self._sum / self._tokens, self._lowest) if self._tokens else None
