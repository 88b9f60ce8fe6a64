"""Every screen of the web UI, with something to see on it."""

from collections.abc import Mapping
from typing import Final

DEMO: Final = "a3f2918c-6a1d-4a3d-9f0e-8f5d1c77e003"
PRICED: Final = "c81e4d2f-7730-4a86-8e58-1e94f5b0a004"
OTHERS: Final = "b7710c3e-4e0b-4d57-9f6e-2f3f6c1ab008"
LIVE: Final = "5d1f0a3e-9a41-4c7e-8a55-0d3d6a1be001"
FAILED: Final = "f6b0c7d1-5a52-4f0c-ae3a-90c4b9d2c006"
MEASURED: Final = "0d9f7b54-0000-4000-8000-000000000001"
COMPARED: Final = f"run={PRICED}&run={OTHERS}"

SCREENS: Final[Mapping[str, str]] = {
    "runs": "/",
    "runs-selected": f"/?pick={PRICED}&pick={OTHERS}",
    "new-run": "/runs/new?model=sim/good&model=sim/weak&benchmark=mmlu_pro&data=demo",
    "run-live": f"/runs/{LIVE}",
    "run-scores": f"/runs/{PRICED}",
    "run-several": f"/runs/{DEMO}",
    "run-failed": f"/runs/{FAILED}",
    "fidelity": f"/runs/{OTHERS}/fidelity?margin=5",
    "items": f"/runs/{PRICED}/items",
    "item-peek": f"/runs/{PRICED}/items?item=00001&at=1",
    "item-peek-several": f"/runs/{DEMO}/items?item=00001&at=1&benchmark=mmlu_pro&model=sim/good",
    "items-found": f"/runs/{PRICED}/items?q=refill&item=00001&at=1",
    "review": f"/runs/{DEMO}/items?label=none&each=true&item=00001&at=1&benchmark=mmlu_pro&model=sim/good",
    "item": f"/runs/{DEMO}/items/00001?benchmark=mmlu_pro&model=sim/good",
    "latency": f"/runs/{OTHERS}/latency",
    "charts": f"/runs/{OTHERS}/charts",
    "judgements": f"/runs/{DEMO}/judgements",
    "config": f"/runs/{DEMO}/config",
    "events": f"/runs/{DEMO}/events",
    "compare-none": "/compare",
    "compare": f"/compare?{COMPARED}",
    "compare-items": f"/compare?{COMPARED}&view=items&item=00003",
    "compare-answers": f"/compare?{COMPARED}&view=answers&show=different",
    "compare-matrix": f"/compare?{COMPARED}&view=matrix",
    "compare-charts": f"/compare?{COMPARED}&view=charts",
    "compare-cost": f"/compare?{COMPARED}&view=cost",
    "leaderboard": "/leaderboard?benchmark=mmlu_pro",
    "leaderboard-demo": "/leaderboard?benchmark=mmlu_pro&data=demo",
    "leaderboard-cost": "/leaderboard?benchmark=mmlu_pro&view=cost",
    "leaderboard-history": "/leaderboard?benchmark=mmlu_pro&view=history",
    "code": "/code?model=sim/good",
    "code-leaderboard": "/code?view=leaderboard",
    "load-tests": "/load",
    "load-test": f"/load/{MEASURED}",
    "arena": "/arena",
    "benchmarks": "/benchmarks",
    "benchmark": "/benchmarks/mmlu_pro",
    "models": "/models",
    "datasets": "/datasets",
    "dataset": "/datasets/ds_capitals?from=20",
    "verify": "/verify",
    "system": "/system",
    "api-docs": "/api-docs",
    "settings": "/settings",
}
