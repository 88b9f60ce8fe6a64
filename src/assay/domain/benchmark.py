"""What a benchmark is: a card, items with their prompts, and a grader."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NewType, Protocol, runtime_checkable

from assay.domain.canonical import digest
from assay.domain.errors import GraderError
from assay.domain.messages import Completion, Generation, Json, Prompt
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate

ItemId = NewType("ItemId", str)
Row = Mapping[str, Json]


class Need(StrEnum):
    SANDBOX = "sandbox"
    CONTAINERS = "containers"
    JUDGE = "judge"
    TOOLS = "tools"


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a benchmark's data on the hub; `sha256` is None until somebody has measured it."""

    path: str
    split: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where the official data lives, pinned to a revision."""

    repository: str
    revision: str
    files: tuple[DataFile, ...]
    gated: bool = False
    # File-name stems a local copy may use for a split, e.g. {"train": ("input_data",)}.
    local_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def page(self) -> str:
        return f"https://huggingface.co/datasets/{self.repository}"


@dataclass(frozen=True, slots=True)
class Card:
    """Everything a reader must know before believing a score of this benchmark."""

    name: str
    title: str
    version: str
    description: str
    licence: str
    source: Source
    size: int
    metric: str
    chance: float
    mode: Literal["official", "variant"]
    deviations: tuple[str, ...]
    grader: str
    generation: Generation
    typical_output_tokens: tuple[int, int]
    category: str = "Core Benchmarks"
    paper: str = ""
    needs: frozenset[Need] = frozenset()
    # Graders that would hold up the event loop, and so distort timings, run in another process.
    grading: Literal["light", "heavy"] = "light"


@dataclass(frozen=True, slots=True)
class Item:
    """One question; `fields` is what its prompt and its grader read."""

    id: ItemId
    fields: Row
    expected: str | None = None
    category: str | None = None
    # Items that share a passage or a problem are not independent: the interval clusters on this.
    cluster: str | None = None

    @property
    def content_hash(self) -> str:
        return digest({"id": self.id, "fields": self.fields, "expected": self.expected})


@dataclass(frozen=True, slots=True)
class Cue:
    """Answers that a grader must call right and wrong; only the simulated models see it."""

    right: str | None = None
    wrong: str | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemSet:
    """A benchmark's items, and the prompt for each."""

    items: tuple[Item, ...]
    prompt: Callable[[Item], Prompt]
    cue: Callable[[Item], Cue]
    # What the official harness does to a reply before it keeps it; answers made elsewhere went through it.
    kept: Callable[[str], str] = str


@dataclass(frozen=True, slots=True)
class Grade:
    """A grader's verdict, with the reason for it."""

    outcome: Outcome
    score: float
    extracted: str | None = None
    explanation: str = ""
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    test_code: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A verdict beside the item it belongs to: what metrics are computed from."""

    item_id: ItemId
    sample: int
    outcome: Outcome
    score: float
    category: str | None
    cluster: str | None
    details: Mapping[str, Json]


class Tables(Protocol):
    """The rows of a benchmark's data, by split."""

    def rows(self, split: str) -> Iterator[Row]: ...


class Judge(Protocol):
    """A second model that grades answers."""

    async def ask(self, prompt: Prompt, *, generation: Generation) -> Completion: ...


@dataclass(frozen=True, slots=True)
class Services:
    """What a grader may use beyond the item and the completion."""

    judge: Judge | None = None

    def required_judge(self) -> Judge:
        if self.judge is None:
            raise GraderError("this benchmark is graded by a judge and the run names none")
        return self.judge


class Benchmark(Protocol):
    @property
    def card(self) -> Card: ...

    def load(self, tables: Tables) -> ItemSet: ...

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade: ...


@runtime_checkable
class HasVariants(Protocol):
    """A benchmark that can also be run in other named ways: `<name>:<variant>`."""

    @property
    def variants(self) -> Mapping[str, Benchmark]: ...


@runtime_checkable
class HasMetrics(Protocol):
    """A benchmark with numbers of its own beside the mean score."""

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]: ...


@runtime_checkable
class HasSamples(Protocol):
    """A benchmark that ships items of our own writing, in the layout of the official rows."""

    def samples(self) -> Tables: ...
