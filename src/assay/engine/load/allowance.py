"""What a load test may still use, and what it has used."""

from dataclasses import dataclass
from decimal import Decimal

from assay.domain.calls.messages import Completion, Usage
from assay.domain.calls.pricing import Price, usage_cost_usd
from assay.domain.load import Ending, LoadLimits
from assay.engine.ports import Clock, Request

_CHARS_PER_TOKEN = 4


@dataclass(slots=True)
class Allowance:
    """Counts requests as they are sent and their usage as it is known.

    Each request under way counts as an average one, so that a budget is not exceeded by what many of them
    will use. Tokens that the endpoint does not report are estimated from the length of the texts, for the
    budget only.
    """

    limits: LoadLimits
    clock: Clock
    price: Price | None
    ends_s: float
    requests: int = 0
    in_flight: int = 0
    _replies: int = 0
    _tokens: int = 0
    _usd: Decimal = Decimal(0)
    _has_unknown_tokens: bool = False
    _has_unknown_cost: bool = False

    @property
    def ending(self) -> Ending | None:
        """Why nothing more may be sent; None while something may."""
        if self.requests >= self.limits.requests:
            return "max-requests"
        if self.clock.monotonic() >= self.ends_s:
            return "max-duration"
        return "budget" if self._is_budget_used else None

    @property
    def _is_budget_used(self) -> bool:
        budget, replies = self.limits.budget, self._replies
        expected = replies + self.in_flight
        return replies > 0 and (
            (budget.tokens is not None and self._tokens * expected >= budget.tokens * replies)
            or (budget.usd is not None and self._usd * expected >= budget.usd * replies)
        )

    def begin(self) -> None:
        self.requests += 1
        self.in_flight += 1

    def end(self, request: Request, completion: Completion | None) -> None:
        """A request that failed is taken to have used nothing."""
        self.in_flight -= 1
        if completion is None:
            return
        self._replies += 1
        usage = completion.usage
        cost_usd = usage_cost_usd(usage, self.price)
        self._has_unknown_cost |= cost_usd is None
        if usage.input_tokens is None or usage.output_tokens is None:
            self._has_unknown_tokens = True
            usage = _estimated(request, completion)
        self._tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self._usd += cost_usd or usage_cost_usd(usage, self.price) or 0

    @property
    def tokens(self) -> int | None:
        """None if the endpoint did not report all of them."""
        return None if self._has_unknown_tokens else self._tokens

    @property
    def cost_usd(self) -> Decimal | None:
        return None if self._has_unknown_cost or not self._replies else self._usd


def _estimated(request: Request, completion: Completion) -> Usage:
    received = len(completion.answer) + len(completion.reasoning)
    return Usage(
        input_tokens=len(request.prompt.text) // _CHARS_PER_TOKEN,
        output_tokens=received // _CHARS_PER_TOKEN,
    )
