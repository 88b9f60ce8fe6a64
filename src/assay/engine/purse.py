"""What a run has used of its budget."""

from dataclasses import dataclass
from decimal import Decimal

from assay.domain.attempt import Attempt
from assay.domain.errors import BudgetReachedError
from assay.domain.run import Budget


@dataclass(slots=True)
class Purse:
    """What a run has used of its budget, over all its evaluations."""

    budget: Budget
    usd: Decimal = Decimal(0)
    tokens: int = 0

    @property
    def is_limited(self) -> bool:
        return self.budget.usd is not None or self.budget.tokens is not None

    def spend(self, attempt: Attempt) -> None:
        self.usd += attempt.cost_usd or 0
        self.tokens += (attempt.usage.input_tokens or 0) + (attempt.usage.output_tokens or 0)

    def must_last(self) -> None:
        if self.budget.usd is not None and self.usd >= self.budget.usd:
            raise BudgetReachedError(
                f"the budget of {self.budget.usd} USD is used up; give a larger one with `assay resume`"
            )
        if self.budget.tokens is not None and self.tokens >= self.budget.tokens:
            raise BudgetReachedError(
                f"the budget of {self.budget.tokens:,} tokens is used up;"
                " give a larger one with `assay resume`"
            )
