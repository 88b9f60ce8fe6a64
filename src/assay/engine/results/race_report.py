"""What a run with a stopping rule has settled so far, and what it saved."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from assay.domain.run import Evaluation, Run
from assay.domain.stats import plural
from assay.domain.stopping import StopRule
from assay.domain.summary import Tokens
from assay.engine.results.contest import ContestResult
from assay.engine.results.race import Race
from assay.engine.stores import Stores


@dataclass(frozen=True, slots=True)
class Saving:
    """What was used, beside what all items would take; what is not known of the attempts made is None.

    An attempt that was not made counts as an average one of the same model at the same benchmark.
    """

    attempts: int
    all_attempts: int
    tokens: int | None
    all_tokens: float | None
    usd: Decimal | None
    all_usd: Decimal | None

    @property
    def share(self) -> float:
        return 1 - self.attempts / self.all_attempts if self.all_attempts else 0.0

    @property
    def sentence(self) -> str:
        made = f"{self.attempts:,} of {plural(self.all_attempts, 'attempt')} made"
        if self.attempts == self.all_attempts:
            return f"{made}: nothing was saved."
        left = [f"{100 * self.share:.1f} % of the attempts"]
        if self.tokens is not None and self.all_tokens is not None:
            left.append(f"about {plural(round(self.all_tokens - self.tokens), 'token')}")
        if self.usd is not None and self.all_usd is not None:
            left.append(f"${self.all_usd - self.usd:.2f}")
        return f"{made}: saved {', '.join(left)}."


@dataclass(frozen=True, slots=True)
class RaceReport:
    rule: StopRule
    contests: tuple[ContestResult, ...]
    saving: Saving


async def race_report(stores: Stores, run: Run) -> RaceReport | None:
    """None for a run without a stopping rule."""
    rule = run.spec.stop
    if rule is None:
        return None
    evaluations = await stores.runs.evaluations(run.id)
    by_benchmark: dict[str, list[Evaluation]] = defaultdict(list)
    for one in evaluations:
        by_benchmark[one.benchmark].append(one)
    contests: list[ContestResult] = []
    for members in by_benchmark.values():
        race = await asyncio.to_thread(Race.of, run.spec, rule, members, members[0].item_ids)
        await race.advance(stores.attempts.scores)
        contests += await asyncio.to_thread(_results, race)
    return RaceReport(rule, tuple(contests), await _saving(stores, run, evaluations))


def _results(race: Race) -> list[ContestResult]:
    return [one.result() for one in race.contests]


@dataclass(frozen=True, slots=True)
class _Used:
    """What the attempts of one evaluation used; None where it is not known, as where none was made."""

    attempts: int
    all_attempts: int
    tokens: int | None
    usd: Decimal | None

    @property
    def all_tokens(self) -> float | None:
        return None if self.tokens is None else self.tokens * self.all_attempts / self.attempts

    @property
    def all_usd(self) -> Decimal | None:
        return None if self.usd is None else self.usd * self.all_attempts / self.attempts


async def _saving(stores: Stores, run: Run, evaluations: Iterable[Evaluation]) -> Saving:
    counts = await stores.attempts.outcome_counts([run.id])
    tokens = await stores.attempts.tokens_used([run.id])
    used = [_used(one, sum(counts.get(one.id, {}).values()), tokens.get(one.id)) for one in evaluations]
    known_tokens = [(one.tokens, one.all_tokens) for one in used]
    known_usd = [(one.usd, one.all_usd) for one in used]
    return Saving(
        attempts=sum(one.attempts for one in used),
        all_attempts=sum(one.all_attempts for one in used),
        tokens=_sum([own for own, _ in known_tokens]),
        all_tokens=_sum([whole for _, whole in known_tokens]),
        usd=_sum([own for own, _ in known_usd]),
        all_usd=_sum([whole for _, whole in known_usd]),
    )


def _used(evaluation: Evaluation, attempts: int, tokens: Tokens | None) -> _Used:
    summary = evaluation.summary
    usd = summary.cost_usd if summary else None
    if usd is not None and summary and summary.judge_cost_usd is not None:
        usd += summary.judge_cost_usd
    # An endpoint that reports no tokens sums up to none.
    found = tokens and tokens.input + tokens.output
    return _Used(attempts, evaluation.total_attempts, found or None, usd if attempts else None)


_Number = TypeVar("_Number", int, float, Decimal)


def _sum(values: Sequence[_Number | None]) -> _Number | None:
    """None unless all are known."""
    known = [one for one in values if one is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(values) else None
