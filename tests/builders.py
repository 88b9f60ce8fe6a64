"""Objects for tests, each with sensible values that a test overrides where it cares."""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.vault.fernet import FernetVault
from assay.domain.access.secret import Secret
from assay.domain.attempt import Attempt
from assay.domain.benchmark import (
    Benchmark,
    Card,
    Cue,
    Grade,
    HasDemoItems,
    Item,
    ItemId,
    ItemSet,
    Need,
    Row,
    Services,
    Source,
    Tables,
)
from assay.domain.calls.messages import Completion, Generation, Json, Prompt, Usage
from assay.domain.calls.pricing import Price
from assay.domain.errors import AssayError, DataMissingError
from assay.domain.fingerprint import Fingerprint
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.grading.offload import GradingPool
from assay.engine.grading.resources import GradingResources
from assay.engine.identity.credentials import Credentials
from assay.engine.planner import Planner
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import BenchmarkData, Progress, Request
from assay.engine.stores import Stores
from tests.stores import memory_stores

T = TypeVar("T")
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


class ManualClock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.passed_s = 0.0

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.passed_s)

    def monotonic(self) -> float:
        return self.passed_s

    async def sleep(self, seconds: float) -> None:
        self.passed_s += seconds
        await asyncio.sleep(0)


CARD = Card(
    name="letters",
    title="Letters",
    version="1",
    description="Say the letter.",
    licence="Apache-2.0",
    source=Source("assay/letters", "0" * 40, ()),
    size=4,
    metric="accuracy",
    chance=0.25,
    mode="official",
    deviations=(),
    grader="exact letter 1",
    generation=Generation(temperature=0.0, max_tokens=16),
    typical_output_tokens=(1, 4),
)


@dataclass(frozen=True, slots=True)
class ListTables:
    splits: Mapping[str, Sequence[Row]]

    def rows(self, split: str) -> Iterator[Row]:
        return iter(self.splits[split])


@dataclass(frozen=True)
class LetterBenchmark:
    """Asks for a letter and takes nothing else; an answer of several characters is unparsed."""

    card: Card = CARD
    size: int = 4

    def load(self, tables: Tables) -> ItemSet:
        items = tuple(
            Item(ItemId(str(row["id"])), row, expected=str(row["letter"]), category=str(row["kind"]))
            for row in tables.rows("test")
        )
        return ItemSet(
            items, self.prompt, lambda item: Cue(right=item.expected, wrong="z", choices=("a", "b"))
        )

    @staticmethod
    def prompt(item: Item) -> Prompt:
        return Prompt.of_user(f"Say {item.fields['letter']}.")

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        _ = services
        if len(completion.answer) != 1:
            return Grade(Outcome.UNPARSED, 0.0)
        is_right = completion.answer == item.expected
        outcome = Outcome.CORRECT if is_right else Outcome.INCORRECT
        return Grade(outcome, float(is_right), extracted=completion.answer)

    def demo_tables(self) -> Tables:
        kinds = ("vowel" if letter in "aeiou" else "consonant" for letter in _letters(self.size))
        rows = [
            {"id": number, "letter": letter, "kind": kind}
            for number, (letter, kind) in enumerate(zip(_letters(self.size), kinds, strict=True))
        ]
        return ListTables({"test": rows})


def _letters(count: int) -> list[str]:
    return [chr(ord("a") + number % 25) for number in range(count)]


VAULT_KEY = urlsafe_b64encode(bytes(range(32))).decode()
FINGERPRINT = Fingerprint(
    benchmark="letters",
    benchmark_version="1",
    mode="official",
    data_revision="demo:1",
    data_checksum="c" * 64,
    items_checksum="i" * 64,
    prompts_checksum="p" * 64,
    grader="exact letter 1",
    generation="g" * 64,
    limits="one prompt, one completion",
    samples=1,
)


@dataclass(frozen=True)
class Seeded:
    """A run with one evaluation, ready to be stored."""

    run: Run = field(
        default_factory=lambda: Run(RunId("0" * 8 + "-run"), RunSpec(("sim/good",), ("letters",)), NOON)
    )
    evaluation_id: str = "evaluation-1"

    def evaluation(self, **changes: Any) -> Evaluation:
        evaluation = Evaluation(
            id=EvaluationId(self.evaluation_id),
            run_id=self.run.id,
            model="sim/good",
            benchmark="letters",
            benchmark_version="1",
            fingerprint=FINGERPRINT,
            item_ids=tuple(ItemId(str(number)) for number in range(4)),
            benchmark_size=4,
            generation=CARD.generation,
            samples=1,
        )
        return replace(evaluation, **changes)


def attempt(item: str = "0", **changes: Any) -> Attempt:
    made = Attempt(
        evaluation_id=EvaluationId("evaluation-1"),
        item_id=ItemId(item),
        sample=0,
        outcome=Outcome.CORRECT,
        score=1.0,
        started_at=NOON,
        finished_at=NOON + timedelta(seconds=1),
        answer="a",
        usage=Usage(input_tokens=10, output_tokens=2),
    )
    return replace(made, **changes)


class ScriptedModel:
    """Answers with what the script says for each call; an exception in it is raised."""

    model = "test/scripted"
    endpoint = "scripted"

    def __init__(self, script: Callable[[Request, int], Completion | AssayError]) -> None:
        self._script = script
        self.requests: list[Request] = []
        self.is_closed = False
        self.check_error: AssayError | None = None
        self.listed_price: Price | None = None

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        await asyncio.sleep(0)
        reply = self._script(request, len(self.requests))
        if isinstance(reply, AssayError):
            raise reply
        return reply

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        if self.check_error is not None:
            raise self.check_error

    async def price(self) -> Price | None:
        return self.listed_price

    async def close(self) -> None:
        self.is_closed = True


def right(request: Request, _number: int) -> Completion:
    return Completion(request.cue().right or "", usage=Usage(input_tokens=10, output_tokens=1))


async def called_here(function: Callable[..., T], *arguments: object) -> T:
    """Call the function in this process; stands in for a grading process."""
    return function(*arguments)


def doubling_schema(levels: int = 45) -> Json:
    """A JSON schema of three kilobytes that takes 2^45 steps to apply."""
    defs: dict[str, Json] = {
        f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}, {"$ref": f"#/$defs/d{level + 1}"}]}
        for level in range(levels)
    }
    return {"$defs": {**defs, f"d{levels}": {"type": "object"}}, "$ref": "#/$defs/d0"}


@dataclass
class World:
    """An engine over memory, with one benchmark and one model."""

    benchmark: LetterBenchmark = field(default_factory=LetterBenchmark)
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel(right))
    store: Stores = field(default_factory=memory_stores)
    clock: ManualClock = field(default_factory=ManualClock)
    pool: GradingPool = field(default_factory=GradingPool)
    queue: MemoryQueue = field(default_factory=lambda: MemoryQueue(backoff_s=0))

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ScriptedModel:
        _ = model, base_url, api_key, key_variable, headers
        return self.model

    @property
    def engine(self) -> Engine:
        catalogue = Catalogue({"letters": self.benchmark})
        return Engine(
            stores=self.store,
            queue=self.queue,
            models=self,
            clock=self.clock,
            planner=Planner(catalogue, _DemoData(), self.store.datasets),
            grading=GradingResources(self.pool),
            credentials=Credentials(self.store.secrets, FernetVault(Path("unused"), key=VAULT_KEY)),
        )

    async def run(self, **changes: Any) -> Run:
        spec = RunSpec(("test/scripted",), ("letters",), data="demo", **changes)
        engine = self.engine
        return await execute_run(engine, (await create_run(engine, spec)).id)


_PARTS = {
    "planner": ("catalogue", "library", "dataset_files"),
    "credentials": ("vault", "sessions"),
    "limits": ("connections", "retries", "quotas"),
}


def rewired(engine: Engine, **changes: Any) -> Engine:
    """The engine with other fields, or with other fields of its parts; new stores reach every part."""
    stores = changes.get("stores", engine.stores)
    planner = replace(engine.planner, datasets=stores.datasets)
    credentials = replace(engine.credentials, secrets=stores.secrets)
    engine = replace(engine, planner=planner, credentials=credentials)
    for part, names in _PARTS.items():
        own = {name: changes.pop(name) for name in names if name in changes}
        changes[part] = replace(getattr(engine, part), **own)
    return replace(engine, **changes)


class _DemoData:
    def open(self, benchmark: Benchmark, where: str) -> BenchmarkData:
        if where != "demo":
            raise DataMissingError(f"{where!r} data of {benchmark.card.name!r} is not on this machine")
        assert isinstance(benchmark, HasDemoItems)
        return BenchmarkData(benchmark.demo_tables(), "demo:1", "c" * 64)

    def fetch(self, card: Card, *, progress: Progress) -> BenchmarkData:
        raise NotImplementedError

    def is_fetched(self, card: Card) -> bool:
        _ = card
        return False
