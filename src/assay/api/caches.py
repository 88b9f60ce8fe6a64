"""Values that a serving process keeps between requests; losing them costs time, not data."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from assay.api.schemas.batch.workbench import WorkbenchProgress
from assay.api.schemas.code_tasks import CodeTasks
from assay.api.schemas.harness import HarnessRun
from assay.api.schemas.items import ItemSummary, LatencyReport
from assay.api.schemas.overview import TokenStats
from assay.api.schemas.results.composites import RunComposite
from assay.api.schemas.results.fidelity import Fidelity
from assay.api.schemas.results.race import RunRace
from assay.api.schemas.runs import Run, RunDetail
from assay.api.schemas.sandboxes import SandboxReport
from assay.domain.benchmark import ItemId
from assay.domain.registry import ListedModel
from assay.domain.run import RunId
from assay.engine.fleet.queue_estimate import Outlook, PaceMeter
from assay.engine.results.agreement import Agreements
from assay.engine.results.leaderboard import PairMemory
from assay.engine.stores.runs import StoredRun

T = TypeVar("T")
_Schema = TypeVar("_Schema", bound=BaseModel)


class LruCache(Generic[T]):
    """Values by key; the least recently used one is dropped when the cache is full."""

    def __init__(self, *, size: int = 256) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, T] = OrderedDict()

    async def get(self, key: Hashable, compute: Callable[[], Awaitable[T]]) -> T:
        value = self._values[key] if key in self._values else await compute()
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._size:
            self._values.popitem(last=False)
        return value


class ExpiringValue(Generic[T]):
    """One value, computed again when it is requested and older than `max_age_s`."""

    def __init__(self, compute: Callable[[], Awaitable[T]], *, max_age_s: float) -> None:
        self._compute = compute
        self._max_age_s = max_age_s
        self._lock = asyncio.Lock()
        self._computed: tuple[float, T] | None = None

    async def get(self, *, covers: Callable[[T], bool] | None = None) -> T:
        """With `covers`, a value that the caller needs something else of is computed again at once."""
        async with self._lock:
            if (
                self._computed is None
                or time.monotonic() - self._computed[0] > self._max_age_s
                or (covers is not None and not covers(self._computed[1]))
            ):
                self._computed = (time.monotonic(), await self._compute())
            return self._computed[1]


class RunJsonCache(Generic[_Schema]):
    """Runs as JSON bytes, serialized again when the stored run has changed."""

    def __init__(self, schema: Callable[[StoredRun], _Schema], *, size: int = 512) -> None:
        self._schema = schema
        self._size = size
        self._cached: OrderedDict[RunId, tuple[StoredRun, bytes]] = OrderedDict()

    def json(self, found: StoredRun) -> bytes:
        before, content = self._cached.get(found.run.id, (None, b""))
        # Parts that did not change are mostly the same objects, so the comparison is cheap.
        if before != found:
            content = self._schema(found).model_dump_json().encode()
        self._cached[found.run.id] = found, content
        self._cached.move_to_end(found.run.id)
        while len(self._cached) > self._size:
            self._cached.popitem(last=False)
        return content


@dataclass(frozen=True, slots=True)
class ApiCaches:
    pairs: PairMemory
    pace: PaceMeter
    summaries: LruCache[ItemSummary]
    # The categories of an evaluation's items, by id; items without one are left out.
    categories: LruCache[Mapping[ItemId, str]]
    latencies: LruCache[LatencyReport]
    agreements: LruCache[Agreements]
    # Runs that have ended.
    composites: LruCache[RunComposite]
    fidelity: LruCache[Fidelity]
    races: LruCache[RunRace]
    item_latencies_ms: ExpiringValue[Mapping[str, float]]
    tokens: ExpiringValue[TokenStats]
    metrics: ExpiringValue[bytes]
    listed_runs: RunJsonCache[Run]
    detailed_runs: RunJsonCache[RunDetail]
    outlooks: ExpiringValue[Mapping[RunId, Outlook]]
    workbench: ExpiringValue[WorkbenchProgress]
    sandboxes: ExpiringValue[SandboxReport]
    # Its value is None: reading it updates the registry of models.
    registry_sync: ExpiringValue[None]
    # By the name that OpenRouter gives them.
    openrouter_models: ExpiringValue[Mapping[str, ListedModel]]
    # Runs that succeeded.
    harness_runs: LruCache[HarnessRun]
    code_tasks: ExpiringValue[CodeTasks]
