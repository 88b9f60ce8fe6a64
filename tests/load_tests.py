"""A load test whose fields all have a value."""

from decimal import Decimal

from assay.domain.calls.pricing import Price
from assay.domain.load import (
    GeneratorLag,
    LevelResult,
    LoadLimits,
    LoadSpec,
    LoadTest,
    LoadTestId,
    Stage,
)
from assay.domain.run import Budget
from tests.builders import NOON


def percentiles(median: float) -> dict[str, float]:
    return {"p50": median, "p90": 2 * median, "p99": 3 * median, "max": 4 * median, "n": 60}


def level(load: float) -> LevelResult:
    lags = percentiles(0.5)
    return LevelResult(
        load=load,
        is_slice=False,
        window_s=30.5,
        due=62,
        answered=60,
        errors={"rate-limited": 2},
        requests_per_s=2.0,
        latency={
            name: percentiles(load * factor)
            for name, factor in {"ttft_ms": 40, "ttft_sent_ms": 38, "itl_ms": 5, "e2e_ms": 500}.items()
        },
        lag=GeneratorLag(lags, lags, lags),
        most_in_flight=9,
        stalled=1,
        output_tokens_per_s=200.25,
        mean_input_tokens=256.0,
        mean_output_tokens=100.0,
        good=50,
        good_per_s=1.625,
        distortions=("it held back 2 requests, as too many were unanswered",) if load > 4 else (),
    )


def load_test() -> LoadTest:
    spec = LoadSpec(
        "vllm/qwen",
        "open",
        (Stage(2, 2), Stage(4, 4), Stage(8, 8)),
        stage_requests=100,
        goodput="ttft<500ms",
        limits=LoadLimits(budget=Budget(usd=Decimal("2.50"), tokens=1_000_000)),
        price=Price(Decimal("0.1"), Decimal("0.2"), "given with the run"),
        name="after the upgrade",
    )
    return LoadTest(
        id=LoadTestId("0d9f7b54-0000-4000-8000-000000000001"),
        spec=spec,
        endpoint="http://127.0.0.1:8000/v1",
        created_at=NOON,
        duration_s=91.5,
        levels=tuple(level(stage.first) for stage in spec.stages),
        ending="finished",
        requests=190,
        tokens=65_000,
        cost_usd=Decimal("0.0081"),
        code_version="1.0",
        notes=("Open loop: latencies count from when a request was due.",),
    )
