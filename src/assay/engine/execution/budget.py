"""What a run has used of its budget."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal

from assay.domain.attempt import Attempt
from assay.domain.errors import BudgetReachedError
from assay.domain.run import Budget
from assay.domain.stats import plural
from assay.engine.stores.attempts import Spent


@dataclass(slots=True, eq=False)
class AttemptSpending:
    """What an attempt under way has used so far; two are never equal."""

    usd: Decimal = Decimal(0)
    tokens: int = 0

    def add(self, usd: Decimal | None, tokens: int) -> None:
        self.usd += usd or 0
        self.tokens += tokens


@dataclass(slots=True)
class BudgetTracker:
    """What a run has used of its budget, over all its evaluations.

    An attempt whose tokens the endpoint does not report counts as an average one of those estimated here:
    the estimates themselves are not stored, and other workers have made attempts too.
    """

    budget: Budget
    usd: Decimal = Decimal(0)
    tokens: int = 0
    unknown: int = 0
    # The number and the sum of the estimates.
    _estimates: int = 0
    _estimated: int = 0
    under_way: set[AttemptSpending] = field(default_factory=set[AttemptSpending])

    def include(self, spent: Spent) -> None:
        """Count what all workers have stored, where that is more than is known here."""
        self.usd, self.tokens = max(self.usd, spent.usd), max(self.tokens, spent.tokens)
        self.unknown = max(self.unknown, spent.unknown)

    @property
    def is_limited(self) -> bool:
        return self.budget.usd is not None or self.budget.tokens is not None

    def add(self, attempt: Attempt, spending: AttemptSpending) -> None:
        """Count an attempt that has ended, with what it spent while it was under way."""
        self.usd += (attempt.cost_usd or 0) + (attempt.judge_cost_usd or 0)
        usage = attempt.usage
        reported = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self.tokens += reported
        if attempt.outcome.is_final and None in (usage.input_tokens, usage.output_tokens):
            self.unknown += 1
            self._estimates += 1
            self._estimated += max(0, spending.tokens - reported)

    @contextmanager
    def attempt_under_way(self) -> Generator[AttemptSpending]:
        """Count what an attempt uses from its first call on, until it ends and is counted as a whole.

        What an interrupted attempt has used stays counted: others must not spend it once more.
        """
        spending = AttemptSpending()
        self.under_way.add(spending)
        try:
            yield spending
        except BaseException:
            self.usd += spending.usd
            self.tokens += spending.tokens
            raise
        finally:
            self.under_way.remove(spending)

    def raise_if_exhausted(self) -> None:
        if not self.is_limited:
            return
        usd = self.usd + sum(one.usd for one in self.under_way)
        if self.budget.usd is not None and usd >= self.budget.usd:
            raise BudgetReachedError(
                f"the budget of {self.budget.usd} USD is used up; give a larger one with `assay resume`"
            )
        tokens = self.tokens + self._estimated_tokens() + sum(one.tokens for one in self.under_way)
        if self.budget.tokens is not None and tokens >= self.budget.tokens:
            raise BudgetReachedError(
                f"the budget of {self.budget.tokens:,} tokens is used up{self._estimate_note()};"
                " give a larger one with `assay resume`"
            )

    def _estimated_tokens(self) -> float:
        return self.unknown * self._estimated / self._estimates if self._estimates else 0.0

    def _estimate_note(self) -> str:
        if not self.unknown:
            return ""
        return (
            f", by an estimate: the endpoint did not report the tokens of {plural(self.unknown, 'attempt')},"
            " so they were estimated from the length of the texts"
        )
