"""Estimates what a run will use, as a range, before anything is spent."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from assay.domain.benchmark import Need
from assay.domain.calls.pricing import Price
from assay.domain.judging import Judging
from assay.engine.planning.lazy_items import LazyItems
from assay.engine.planning.plan import PlannedBenchmark

# How many lines of a data set are read to estimate the length of the others.
_MOST_READ = 5_000
# Characters per token differ by language and tokenizer; English prose lies between these.
_CHARS_PER_TOKEN = (5.0, 3.0)


@dataclass(frozen=True, slots=True)
class Range:
    low: int
    high: int

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one model will use on one benchmark; `cost_usd` is None if the price is unknown."""

    model: str
    benchmark: str
    attempts: int
    input_tokens: Range
    output_tokens: Range
    cost_usd: tuple[Decimal, Decimal] | None
    judging: "JudgeEstimate | None" = None


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """What judging the answers will use, summed over the judges."""

    calls: int
    input_tokens: Range
    output_tokens: Range
    cost_usd: tuple[Decimal, Decimal] | None


def estimates(
    planned: Sequence[PlannedBenchmark],
    *,
    samples: int,
    prices: dict[str, Price | None],
    judging: Judging | None = None,
) -> tuple[Estimate, ...]:
    """`judging` has the prices of the judges, if the run names any."""
    sizes = [(one, *_tokens(one, samples)) for one in planned]
    return tuple(
        Estimate(
            model=model,
            benchmark=one.benchmark.card.name,
            attempts=len(one.items) * samples,
            input_tokens=sent,
            output_tokens=received,
            cost_usd=_cost(price, sent, received),
            judging=_judging(one, received, judging, attempts=len(one.items) * samples),
        )
        for model, price in prices.items()
        for one, sent, received in sizes
    )


def _tokens(one: PlannedBenchmark, samples: int) -> tuple[Range, Range]:
    characters = _characters(one) * samples
    card = one.benchmark.card
    cap = one.generation.max_tokens
    attempts = len(one.items) * samples
    sent, received = list[int](), list[int]()
    for ratio, written, calls in zip(
        _CHARS_PER_TOKEN, card.typical_output_tokens, card.typical_calls, strict=True
    ):
        output = attempts * (min(written, cap * calls) if cap else written)
        # Each call sends the conversation again: the prompt, and on average half of what model and tools
        # have written in the end. Tools are taken to write as much as the model.
        sent.append(int(calls * characters / ratio) + (calls - 1) * output)
        received.append(output)
    return Range(*sent), Range(*received)


def _characters(one: PlannedBenchmark) -> int:
    """The length of all prompts; in a large data set, estimated from evenly spaced lines."""
    step = len(one.items) // _MOST_READ + 1 if isinstance(one.items, LazyItems) else 1
    read = one.items[::step]
    characters = sum(len(one.prompt(item).text) for item in read)
    return characters if step == 1 else round(characters * len(one.items) / len(read))


def _judging(
    one: PlannedBenchmark, answers: Range, judging: Judging | None, *, attempts: int
) -> JudgeEstimate | None:
    """A judge reads the answer within a prompt; the card says how long its prompt and its reply are."""
    card = one.benchmark.card
    facts = card.judge if Need.JUDGE in card.needs else None
    if facts is None or judging is None:
        return None
    asked = attempts * judging.votes
    sent = Range(
        *(judging.votes * size + asked * facts.prompt_tokens for size in (answers.low, answers.high))
    )
    received = Range(asked * facts.output_tokens[0], asked * facts.output_tokens[1])
    costs = [_cost(judging.prices.get(model), sent, received) for model in judging.models]
    known = [cost for cost in costs if cost is not None]
    judges = len(judging.models)
    return JudgeEstimate(
        calls=asked * judges,
        input_tokens=Range(sent.low * judges, sent.high * judges),
        output_tokens=Range(received.low * judges, received.high * judges),
        cost_usd=(sum((low for low, _ in known), Decimal(0)), sum((high for _, high in known), Decimal(0)))
        if len(known) == judges
        else None,
    )


def _cost(price: Price | None, sent: Range, received: Range) -> tuple[Decimal, Decimal] | None:
    if price is None:
        return None
    return (
        price.cost_usd(input_tokens=sent.low, output_tokens=received.low),
        price.cost_usd(input_tokens=sent.high, output_tokens=received.high),
    )
