"""What a run has used of its budget."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal

from assay.domain.attempt import Attempt
from assay.domain.errors import BudgetReachedError
from assay.domain.messages import Usage
from assay.domain.run import Budget


@dataclass(slots=True)
class Held:
    """What an attempt under way has used so far."""

    usd: Decimal = Decimal(0)
    tokens: int = 0

    def add(self, usd: Decimal | None, usage: Usage) -> None:
        self.usd += usd or 0
        self.tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)


@dataclass(slots=True)
class Purse:
    """What a run has used of its budget, over all its evaluations."""

    budget: Budget
    usd: Decimal = Decimal(0)
    tokens: int = 0
    under_way: list[Held] = field(default_factory=list[Held])

    @property
    def is_limited(self) -> bool:
        return self.budget.usd is not None or self.budget.tokens is not None

    def spend(self, attempt: Attempt) -> None:
        self.usd += (attempt.cost_usd or 0) + (attempt.judge_cost_usd or 0)
        self.tokens += (attempt.usage.input_tokens or 0) + (attempt.usage.output_tokens or 0)

    @contextmanager
    def holding(self) -> Generator[Held]:
        """Counts what an attempt uses from its first call on, until it ends and is spent as a whole."""
        held = Held()
        self.under_way.append(held)
        try:
            yield held
        finally:
            # By identity: two attempts may have used the same.
            self.under_way = [one for one in self.under_way if one is not held]

    def must_last(self) -> None:
        if not self.is_limited:
            return
        usd = self.usd + sum(held.usd for held in self.under_way)
        tokens = self.tokens + sum(held.tokens for held in self.under_way)
        if self.budget.usd is not None and usd >= self.budget.usd:
            raise BudgetReachedError(
                f"the budget of {self.budget.usd} USD is used up; give a larger one with `assay resume`"
            )
        if self.budget.tokens is not None and tokens >= self.budget.tokens:
            raise BudgetReachedError(
                f"the budget of {self.budget.tokens:,} tokens is used up;"
                " give a larger one with `assay resume`"
            )
