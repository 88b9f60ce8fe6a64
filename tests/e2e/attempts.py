"""Attempts with texts and times, such as models make them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import accumulate
from random import Random

from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import Item, ItemId
from assay.domain.calls.messages import Usage
from assay.domain.calls.pricing import Price
from assay.domain.calls.timing import Arrivals, stream_timing
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation

CATEGORIES = ("biology", "law", "math", "physics")
LETTERS = "ABCDEFGHIJ"
HOSTILE_ITEM = "00002"
# The last digit of items whose replies halt on the way.
HALTS = 7
HALT_S = 2.4
HOSTILE = (
    "<img src=x onerror=alert(1)> <script>alert(2)</script>\n\n"
    "![pixel](https://evil.example/p.png) [click me](javascript:alert(3))\n\n"
    "</div></main><iframe src='//evil.example'></iframe>\n\nThe answer is (C)."
)
_QUESTION = """A lighthouse keeper at Skerry Point must refill the lamp every {hours} hours.
How often is that in a week?

A. {a}
B. {b}
C. {c}
D. it cannot be known

Think step by step and finish with "The answer is (X)"."""
_ANSWER = """There are **168 hours** in a week.

1. Each refill lasts {hours} hours.
2. So there are `168 / {hours}` refills, which is about {c}.

The answer is ({letter})."""
_MISSING = {
    Outcome.TIMEOUT: ("timeout", "no byte for 120 s"),
    Outcome.RATE_LIMITED: ("rate-limited", "429 after 6 tries; the endpoint asked to wait 60 s"),
    Outcome.CANCELED: ("canceled", "the run was canceled"),
}


@dataclass(frozen=True)
class Speed:
    """Median times of a model."""

    ttft_ms: float = 420.0
    tokens_per_s: float = 70.0
    reasons: bool = False


def items(evaluation: Evaluation) -> list[Item]:
    return [
        Item(item_id, {}, category=CATEGORIES[place % len(CATEGORIES)])
        for place, item_id in enumerate(evaluation.item_ids)
    ]


def attempts(
    evaluation: Evaluation, outcomes: Mapping[Outcome, int], speed: Speed, *, ended_at: datetime
) -> list[Attempt]:
    """One per item, with so many of each outcome, always the same."""
    random = Random(evaluation.id)  # noqa: S311 # test data
    ends = [outcome for outcome, count in outcomes.items() for _ in range(count)]
    random.shuffle(ends)
    return [
        _attempt(evaluation, item_id, outcome, speed=speed, random=random, ended_at=ended_at)
        for item_id, outcome in zip(evaluation.item_ids, ends, strict=False)
    ]


def _attempt(
    evaluation: Evaluation,
    item_id: ItemId,
    outcome: Outcome,
    *,
    speed: Speed,
    random: Random,
    ended_at: datetime,
) -> Attempt:
    hours = 3 + int(item_id) % 9
    right = LETTERS[int(item_id) % 4]
    letter = right if outcome is Outcome.CORRECT else LETTERS[(int(item_id) + 1) % 4]
    weeks = 168 // hours
    prompt = _QUESTION.format(hours=hours, a=weeks - 3, b=weeks + 4, c=weeks)
    has_reply = outcome.is_verdict
    answer = _ANSWER.format(hours=hours, c=weeks, letter=letter) if has_reply else ""
    usage = Usage(412, 90 + random.randrange(700), 60 + random.randrange(500) if speed.reasons else 0)
    arrivals = _arrivals(speed, usage, item_id) if has_reply else None
    timing = arrivals and stream_timing(arrivals, output_tokens=usage.output_tokens)
    code, message = _MISSING.get(outcome, (None, None))
    return Attempt(
        evaluation_id=evaluation.id,
        item_id=item_id,
        sample=0,
        outcome=outcome,
        score=None if not has_reply else float(outcome is Outcome.CORRECT),
        started_at=ended_at - timedelta(seconds=8),
        finished_at=ended_at,
        prompt=json.dumps([{"role": "user", "content": prompt}]),
        answer=HOSTILE if item_id == HOSTILE_ITEM else answer,
        reasoning=f"168 divided by {hours}. Let me check: {weeks} times {hours}." if speed.reasons else "",
        extracted=letter if has_reply and outcome is not Outcome.UNPARSED else None,
        expected=right,
        explanation=f"chose {letter}" + ("" if letter == right else f", right is {right}"),
        finish_reason="length" if outcome is Outcome.TRUNCATED else "stop",
        is_cut=outcome is Outcome.TRUNCATED,
        usage=usage if has_reply else Usage(),
        timing=timing,
        cost_usd=_cost(evaluation.price, usage) if has_reply else Decimal(0),
        error_code=code,
        error_message=message,
        tries=1,
        calls=(
            Call(
                ended_at,
                timing.duration_ms if timing else 1.0,
                status=200 if has_reply else None,
                timing=timing,
                arrivals=arrivals,
            ),
        ),
    )


def _arrivals(speed: Speed, usage: Usage, item_id: ItemId) -> Arrivals:
    """A chunk for every few tokens, at a pace that varies."""
    random = Random(item_id)  # noqa: S311 # test data
    halts = int(item_id) % 10 == HALTS
    chunks = max(2, (usage.output_tokens or 1) // 8)
    step_s = 8 / (speed.tokens_per_s * random.lognormvariate(0, 0.2))
    first_s = speed.ttft_ms / 1000 * random.lognormvariate(0, 0.35)
    chunks_s = list(
        accumulate((step_s * random.uniform(0.7, 1.3) for _ in range(chunks - 1)), initial=first_s)
    )
    if halts:
        chunks_s[chunks // 2 :] = [at_s + HALT_S for at_s in chunks_s[chunks // 2 :]]
    answered_s = chunks_s[chunks // 2] if speed.reasons else first_s
    silence_s = max(first_s, HALT_S if halts else 0.0)
    return Arrivals(0.0, chunks_s[-1], chunks_s, answered_s, silence_s)


def _cost(price: Price | None, usage: Usage) -> Decimal | None:
    if price is None:
        return None
    return price.cost_usd(input_tokens=usage.input_tokens or 0, output_tokens=usage.output_tokens or 0)
