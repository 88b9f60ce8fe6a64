"""What is put side by side of the endpoints: how replies end, what they use, and how tools are called."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.domain.stats import Estimate
from assay.engine.fidelity.divergence import Divergence

# Endpoints write these names.
_MOST_NAMES = 8
_LONGEST_NAME = 60
# The metric of benchmarks with tools.
_TOOL_CALLS = "tool_call_accuracy"
OTHER = "other"
NONE = "none"

BenchmarkItem = tuple[str, ItemId]


class Mean(NamedTuple):
    """Over the `n` attempts that it is known of."""

    value: float
    n: int


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Counts are of attempts; `same_input` is the share of prompts with as many tokens as at the reference.

    `divergence` is from the reference, or between the reference's own samples; None unless the temperature
    is 0.
    """

    model: str
    endpoint: str | None
    planned: int
    outcomes: Mapping[Outcome, int]
    score: Mean | None
    tool_calls: Estimate | None
    cut: int
    finish_reasons: Mapping[str, int]
    input_tokens: Mean | None
    output_tokens: Mean | None
    reasoning_tokens: Mean | None
    same_input: Mean | None
    divergence: Divergence | None
    served_models: Mapping[str, int]
    system_fingerprints: Mapping[str, int]
    errors: tuple[str, ...]

    @property
    def answered(self) -> int:
        return sum(count for outcome, count in self.outcomes.items() if outcome.is_final)

    @property
    def refused(self) -> int:
        return self.outcomes.get(Outcome.REFUSED, 0)

    @property
    def missing(self) -> int:
        return self.planned - sum(count for outcome, count in self.outcomes.items() if outcome.is_verdict)


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """What the evaluations of a model say themselves."""

    model: str
    endpoint: str | None
    planned: int
    tool_calls: Estimate | None
    errors: tuple[str, ...]

    @classmethod
    def of(cls, evaluations: Sequence[Evaluation]) -> Self:
        metrics = [one.summary.metrics for one in evaluations if one.summary is not None]
        return cls(
            model=evaluations[0].model,
            endpoint=evaluations[0].endpoint,
            planned=sum(one.total_attempts for one in evaluations),
            tool_calls=next((found[_TOOL_CALLS] for found in metrics if _TOOL_CALLS in found), None),
            errors=tuple(f"{one.benchmark}: {one.error}" for one in evaluations if one.error),
        )


@dataclass(slots=True)
class ModelTally:
    """Reads the attempts of one model, benchmark after benchmark."""

    scores: dict[BenchmarkItem, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    input_tokens: dict[tuple[str, AttemptKey], int] = field(default_factory=dict[tuple[str, AttemptKey], int])
    _outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome])
    _finish_reasons: Counter[str] = field(default_factory=Counter[str])
    _served: Counter[str] = field(default_factory=Counter[str])
    _systems: Counter[str] = field(default_factory=Counter[str])
    _cut: int = 0
    _output: list[int] = field(default_factory=list[int])
    _reasoning: list[int] = field(default_factory=list[int])

    def add(self, benchmark: str, attempt: Attempt) -> None:
        self._outcomes[attempt.outcome] += 1
        if not attempt.outcome.is_final:
            return
        if attempt.score is not None:
            self.scores[benchmark, attempt.item_id][attempt.sample] = attempt.score
        self._cut += attempt.is_cut
        self._finish_reasons[_name(attempt.finish_reason or NONE)] += 1
        self._add_tokens(benchmark, attempt)
        answering = next((call for call in reversed(attempt.calls) if call.role == "model"), None)
        if answering is not None:
            self._served[_name(answering.served_model or NONE)] += 1
            self._systems[_name(answering.system_fingerprint or NONE)] += 1

    def _add_tokens(self, benchmark: str, attempt: Attempt) -> None:
        usage = attempt.usage
        if usage.input_tokens is not None:
            self.input_tokens[benchmark, attempt.key] = usage.input_tokens
        if usage.output_tokens is not None:
            self._output.append(usage.output_tokens)
        if usage.reasoning_tokens is not None:
            self._reasoning.append(usage.reasoning_tokens)

    def facts(
        self, stored: StoredFacts, *, divergence: Divergence | None, reference: "ModelTally | None" = None
    ) -> ModelFacts:
        return ModelFacts(
            model=stored.model,
            endpoint=stored.endpoint,
            planned=stored.planned,
            outcomes=dict(self._outcomes),
            score=_mean([statistics.fmean(own.values()) for own in self.scores.values()]),
            tool_calls=stored.tool_calls,
            cut=self._cut,
            finish_reasons=_commonest(self._finish_reasons),
            input_tokens=_mean(self.input_tokens.values()),
            output_tokens=_mean(self._output),
            reasoning_tokens=_mean(self._reasoning),
            same_input=None if reference is None else self._same_input(reference),
            divergence=divergence,
            served_models=_commonest(self._served),
            system_fingerprints=_commonest(self._systems),
            errors=stored.errors,
        )

    def _same_input(self, reference: "ModelTally") -> Mean | None:
        shared = self.input_tokens.keys() & reference.input_tokens.keys()
        return _mean([self.input_tokens[key] == reference.input_tokens[key] for key in shared])


def _mean(values: Collection[float]) -> Mean | None:
    return Mean(statistics.fmean(values), len(values)) if values else None


def _name(text: str) -> str:
    # Half a surrogate pair, which JSON can hold, could not be printed.
    text = text[: _LONGEST_NAME + 1].encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"


def _commonest(counts: Counter[str]) -> dict[str, int]:
    """At most eight names, and how many attempts have others; none if no attempt has a name."""
    named = dict(counts.most_common(_MOST_NAMES))
    others = counts.total() - sum(named.values())
    if others:
        named[OTHER] = named.get(OTHER, 0) + others
    return {} if set(named) == {NONE} else named
