"""What a run will use, as a range, before anything is spent."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from assay.domain.pricing import Price
from assay.engine.plan import PlannedBenchmark

# Characters per token differ by language and tokenizer: prose in English lies between these.
_CHARS_PER_TOKEN = (5.0, 3.0)


@dataclass(frozen=True, slots=True)
class Range:
    low: int
    high: int

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of one model on one benchmark; `cost_usd` is None where the price is unknown."""

    model: str
    benchmark: str
    attempts: int
    input_tokens: Range
    output_tokens: Range
    cost_usd: tuple[Decimal, Decimal] | None


def estimates(
    planned: Sequence[PlannedBenchmark], *, samples: int, prices: dict[str, Price | None]
) -> tuple[Estimate, ...]:
    sizes = [(one, *_tokens(one, samples)) for one in planned]
    return tuple(
        Estimate(
            model=model,
            benchmark=one.benchmark.card.name,
            attempts=len(one.items) * samples,
            input_tokens=sent,
            output_tokens=received,
            cost_usd=_cost(price, sent, received),
        )
        for model, price in prices.items()
        for one, sent, received in sizes
    )


def _tokens(one: PlannedBenchmark, samples: int) -> tuple[Range, Range]:
    characters = sum(len(one.item_set.prompt(item).text) for item in one.items) * samples
    sent = Range(*(int(characters / ratio) for ratio in _CHARS_PER_TOKEN))
    low, high = one.benchmark.card.typical_output_tokens
    cap = one.generation.max_tokens
    attempts = len(one.items) * samples
    received = Range(*(attempts * (min(size, cap) if cap else size) for size in (low, high)))
    return sent, received


def _cost(price: Price | None, sent: Range, received: Range) -> tuple[Decimal, Decimal] | None:
    if price is None:
        return None
    return (
        price.cost_usd(input_tokens=sent.low, output_tokens=received.low),
        price.cost_usd(input_tokens=sent.high, output_tokens=received.high),
    )
