"""A store with one run of every kind a reader of the UI meets."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation, Usage
from assay.domain.calls.pricing import Price
from assay.domain.event import Event, EventType
from assay.domain.fingerprint import Fingerprint
from assay.domain.outcome import VERDICTS, Outcome
from assay.domain.run import Evaluation, EvaluationId, ItemFacts, Run, RunId, RunSpec, State, Subset
from assay.domain.stats import Estimate, missing_bounds, score_estimate
from assay.domain.summary import Bounds, Summary, Tokens
from assay.engine.results.summarise import summarise
from assay.engine.stores import Stores
from tests.e2e.attempts import Speed, attempts, items
from tests.load_tests import load_test
from tests.stores import memory_stores

SIZES = {"mmlu_pro": 12_032, "ifeval": 541}
PRICE = Price(Decimal("1.25"), Decimal(10), "catalogue")
Outcomes = Mapping[Outcome, int]


@dataclass(frozen=True)
class Seed:
    """A run in short: which outcomes each evaluation ended in, and when."""

    id: str
    spec: RunSpec
    state: State
    age: timedelta
    items: int
    outcomes: Sequence[Outcomes | None] = ()
    errors: Sequence[str | None] = ()
    took: timedelta = timedelta(minutes=4, seconds=12)
    error: str | None = None
    cost_usd: Decimal | None = None
    # Its attempts are stored too, and summed up as the engine does.
    speeds: Sequence[Speed] = ()


def verdicts(correct: int, incorrect: int, **others: int) -> Outcomes:
    return {Outcome.CORRECT: correct, Outcome.INCORRECT: incorrect} | {
        Outcome(name): count for name, count in others.items()
    }


LOCAL = "lmstudio/liquid/lfm2.5-1.2b"
HOSTED = "openrouter/google/gemini-2.5-pro"
BOTH = ("mmlu_pro", "ifeval")
TENTH = Subset(percent=10)
SEEDS = (
    Seed(
        "5d1f0a3e-9a41-4c7e-8a55-0d3d6a1be001",
        RunSpec(
            ("lmstudio/liquid/lfm2.5-1.2b", "openrouter/google/gemini-2.5-pro"), ("mmlu_pro",), subset=TENTH
        ),
        State.RUNNING,
        timedelta(minutes=6),
        items=1203,
        outcomes=(verdicts(508, 611, unparsed=84), None),
    ),
    Seed(
        "7c20be94-1f65-4a0b-b0de-52b7c2a1d002",
        RunSpec(("ollama/qwen3:4b",), ("ifeval",)),
        State.QUEUED,
        timedelta(minutes=2),
        items=541,
    ),
    Seed(
        "a3f2918c-6a1d-4a3d-9f0e-8f5d1c77e003",
        RunSpec(("sim/good", "sim/weak"), BOTH, data="demo"),
        State.SUCCEEDED,
        timedelta(minutes=31),
        items=24,
        outcomes=(verdicts(22, 2), verdicts(23, 1), verdicts(9, 13, unparsed=2), verdicts(8, 15, refused=1)),
        took=timedelta(seconds=2.4),
        speeds=(Speed(),) * 4,
    ),
    Seed(
        "c81e4d2f-7730-4a86-8e58-1e94f5b0a004",
        RunSpec((HOSTED,), ("mmlu_pro",), subset=TENTH),
        State.SUCCEEDED,
        timedelta(hours=5),
        items=1203,
        outcomes=(verdicts(1009, 152, truncated=12, unparsed=7, timeout=14, rate_limited=9),),
        took=timedelta(minutes=48, seconds=3),
        cost_usd=Decimal("14.8213"),
        speeds=(Speed(ttft_ms=1900, tokens_per_s=110, reasons=True),),
    ),
    Seed(
        "b7710c3e-4e0b-4d57-9f6e-2f3f6c1ab008",
        RunSpec(("openai/gpt-5-mini", "vllm/Qwen/Qwen3-30B"), ("mmlu_pro",), subset=TENTH),
        State.SUCCEEDED,
        timedelta(hours=9),
        items=1203,
        outcomes=(verdicts(962, 231, unparsed=10), verdicts(871, 318, truncated=14)),
        took=timedelta(minutes=21, seconds=40),
        cost_usd=Decimal("2.3"),
        speeds=(Speed(ttft_ms=610, tokens_per_s=140), Speed(ttft_ms=240, tokens_per_s=60)),
    ),
    Seed(
        "e0457b6a-2c19-4d0e-91b5-6d6df0c9b005",
        RunSpec(("openai/gpt-5-mini", "vllm/meta-llama/Llama-3.3-70B-Instruct"), ("ifeval",), subset=TENTH),
        State.SUCCEEDED,
        timedelta(days=1, hours=2),
        items=54,
        outcomes=(verdicts(48, 6), None),
        errors=(
            None,
            "the endpoint at 'http://127.0.0.1:8000/v1' refuses the key; set VLLM_API_KEY",
        ),
        took=timedelta(minutes=1, seconds=41),
        cost_usd=Decimal("0.0813"),
        speeds=(Speed(ttft_ms=610, tokens_per_s=140),),
    ),
    Seed(
        "f6b0c7d1-5a52-4f0c-ae3a-90c4b9d2c006",
        RunSpec(("chutes/deepseek-ai/DeepSeek-V3.2",), BOTH),
        State.FAILED,
        timedelta(days=3),
        items=541,
        errors=("401 from the endpoint: set CHUTES_API_KEY",) * 2,
        took=timedelta(seconds=0.6),
        error="no evaluation produced a score: 401 from the endpoint; set CHUTES_API_KEY",
    ),
    Seed(
        "0be77f43-e7d8-4b3c-8f9a-7a21c3e4d007",
        RunSpec(("sglang/Qwen/Qwen3-235B-A22B-Thinking-2507",), ("mmlu_pro",), subset=Subset(percent=1)),
        State.CANCELED,
        timedelta(days=12),
        items=120,
        outcomes=(verdicts(20, 4, truncated=6, canceled=90),),
        took=timedelta(hours=3, minutes=4),
        speeds=(Speed(ttft_ms=880, tokens_per_s=45, reasons=True),),
    ),
)


async def seeded_store(now: datetime) -> Stores:
    store = memory_stores()
    for seed in SEEDS:
        run = _run(seed, now)
        evaluations = _evaluations(seed, run)
        made = [_attempts(seed, one, place, now) for place, one in enumerate(evaluations)]
        summed = [await _summed(one, own) if own else one for one, own in zip(evaluations, made, strict=True)]
        await store.runs.add(run, summed, _events(run, summed))
        for own in made:
            await store.attempts.add(own)
    await store.attempts.add(attempts_of_running(412, now))
    measured = load_test()
    unnamed = replace(measured.spec, name="", model="openai-api/local/test/a-name-without-a-space?chunks=8")
    await store.load_tests.add(replace(measured, spec=unnamed, created_at=now - timedelta(hours=3)))
    return store


def _attempts(seed: Seed, evaluation: Evaluation, place: int, now: datetime) -> list[Attempt]:
    outcomes = seed.outcomes[place] if place < len(seed.outcomes) else None
    if not seed.speeds or not outcomes:
        return []
    return attempts(evaluation, outcomes, seed.speeds[place], ended_at=now - seed.age + seed.took)


async def _summed(evaluation: Evaluation, made: Sequence[Attempt]) -> Evaluation:
    async def stored() -> AsyncIterator[Attempt]:
        for attempt in made:
            yield attempt

    asked = items(evaluation)
    summary = await summarise(stored(), benchmark=None, items=asked, samples=1)
    facts = tuple(ItemFacts(one.content_hash, "7d" * 32, one.category) for one in asked)
    return replace(evaluation, summary=summary, facts=facts)


def _events(run: Run, evaluations: Sequence[Evaluation]) -> list[Event]:
    if run.finished_at is None or run.started_at is None:
        return []
    began = Event(run.id, EventType.RUN_STARTED, run.started_at)
    ended = [
        Event(
            run.id,
            EventType.BENCHMARK_FAILED if one.error else EventType.BENCHMARK_COMPLETED,
            run.finished_at,
            message=one.error or "",
            benchmark=one.benchmark,
            model=one.model,
        )
        for one in evaluations
    ]
    last = EventType.RUN_FAILED if run.state is State.FAILED else EventType.RUN_COMPLETED
    return [began, *ended, Event(run.id, last, run.finished_at, message=run.error or "")]


def attempts_of_running(count: int, now: datetime) -> list[Attempt]:
    """The first attempts of the one evaluation that is running."""
    [running] = [
        one for seed in SEEDS for one in _evaluations(seed, _run(seed, now)) if one.state is State.RUNNING
    ]
    return [_attempt(running, item, now) for item in running.item_ids[:count]]


def _run(seed: Seed, now: datetime) -> Run:
    created = now - seed.age
    has_started = seed.state is not State.QUEUED
    return Run(
        id=RunId(seed.id),
        spec=seed.spec,
        created_at=created,
        state=seed.state,
        started_at=created if has_started else None,
        finished_at=created + seed.took if seed.state.is_final else None,
        error=seed.error,
        code_version="0.1.0",
    )


def _evaluations(seed: Seed, run: Run) -> list[Evaluation]:
    pairs = [(model, benchmark) for model in seed.spec.models for benchmark in seed.spec.benchmarks]
    return [
        _evaluation(seed, run, place=place, model=model, benchmark=benchmark)
        for place, (model, benchmark) in enumerate(pairs)
    ]


def _evaluation(seed: Seed, run: Run, *, place: int, model: str, benchmark: str) -> Evaluation:
    outcomes = seed.outcomes[place] if place < len(seed.outcomes) else None
    error = seed.errors[place] if place < len(seed.errors) else None
    state = State.FAILED if error else seed.state
    if seed.state is State.RUNNING and outcomes:
        state = State.SUCCEEDED
    is_demo = seed.spec.data == "demo"
    generation = Generation(temperature=0.0, max_tokens=2048)
    return Evaluation(
        id=EvaluationId(f"{run.id}-{place}"),
        run_id=run.id,
        model=model,
        benchmark=benchmark,
        benchmark_version="1.0",
        fingerprint=_fingerprint(benchmark, seed, is_demo=is_demo),
        item_ids=tuple(ItemId(f"{number:05}") for number in range(seed.items)),
        benchmark_size=seed.items if is_demo else SIZES[benchmark],
        generation=generation,
        samples=1,
        state=state,
        price=PRICE if seed.cost_usd else None,
        summary=_summary(outcomes, seed, benchmark) if outcomes else None,
        error=error,
        started_at=run.started_at,
        finished_at=run.finished_at if state.is_final else None,
    )


def _fingerprint(benchmark: str, seed: Seed, *, is_demo: bool) -> Fingerprint:
    return Fingerprint(
        benchmark=benchmark,
        benchmark_version="1.0",
        mode="official",
        data_revision="demo:1" if is_demo else "b189ec765aa7ed75c8acfea42df31fdae71f97be",
        data_checksum="9c2e" * 16,
        items_checksum=f"{seed.items:064}",
        prompts_checksum="7d" * 32,
        grader="choice letter 2" if benchmark == "mmlu_pro" else "instruction checks 1",
        generation="5a" * 32,
        limits="one prompt, one completion",
        samples=1,
    )


def _summary(outcomes: Outcomes, seed: Seed, benchmark: str) -> Summary:
    right = outcomes[Outcome.CORRECT]
    scored = sum(count for outcome, count in outcomes.items() if outcome in VERDICTS)
    low, high = missing_bounds(float(right), scored, seed.items)
    parts = ("biology", "law", "math", "physics")
    named = {
        part: _estimate(right * (scored // 4 - place) // scored, scored // 4 - place)
        for place, part in enumerate(parts)
    }
    return Summary(
        score=_estimate(right, scored),
        scored=scored,
        total=seed.items,
        outcomes=outcomes,
        bounds=Bounds(low, high),
        cut=outcomes.get(Outcome.TRUNCATED, 0),
        tokens=Tokens(input=scored * 412, output=scored * 873),
        cost_usd=seed.cost_usd,
        categories=named if benchmark == "mmlu_pro" else {},
        metrics={} if benchmark == "mmlu_pro" else {"instruction_strict": _estimate(right, scored)},
    )


def _estimate(right: int, of: int) -> Estimate:
    estimate = score_estimate([1.0] * right + [0.0] * (of - right), None)
    assert estimate is not None
    return estimate


def _attempt(evaluation: Evaluation, item: ItemId, now: datetime) -> Attempt:
    return Attempt(
        evaluation_id=evaluation.id,
        item_id=item,
        sample=0,
        outcome=Outcome.CORRECT,
        score=1.0,
        started_at=now - timedelta(seconds=3),
        finished_at=now,
        usage=Usage(input_tokens=400, output_tokens=900),
    )
