"""What a benchmark is: a card, items with their prompts, and a grader."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, NewType, Protocol, TypeVar, runtime_checkable

from assay.domain.agent import HostedAgent
from assay.domain.calls.messages import Completion, Generation, Json, Prompt, ToolCall
from assay.domain.errors import GraderError
from assay.domain.json_value import digest
from assay.domain.outcome import Outcome
from assay.domain.programs.containers import Containers
from assay.domain.programs.sandbox import Sandbox
from assay.domain.programs.toolchain import Toolchain
from assay.domain.record import record
from assay.domain.stats import Estimate

ItemId = NewType("ItemId", str)
Row = Mapping[str, Json]
T = TypeVar("T")


class Need(StrEnum):
    SANDBOX = "sandbox"
    CONTAINERS = "containers"
    JUDGE = "judge"
    USER_MODEL = "user_model"
    TOOLS = "tools"
    IMAGES = "images"
    AUDIO = "audio"


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a benchmark's data on the hub; `sha256` is None where no digest has been recorded."""

    path: str
    split: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where the official data is published, pinned to a revision; without files, the benchmark has it."""

    repository: str
    revision: str
    files: tuple[DataFile, ...]
    gated: bool = False
    # File-name stems a local copy may use for a split, e.g. {"train": ("input_data",)}.
    local_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def is_included(self) -> bool:
        return not self.files

    @property
    def page(self) -> str:
        return "" if self.is_included else f"https://huggingface.co/datasets/{self.repository}"


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """Which judge, or model that plays the user, the authors use.

    The counts are of the tokens that a judgement takes beside the answer itself, or one reply of the user.
    """

    model: str
    prompt_tokens: int
    output_tokens: tuple[int, int]


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
    # Of an attempt, over all its calls.
    typical_output_tokens: tuple[int, int]
    typical_calls: tuple[int, int] = (1, 1)
    category: str = "Core Benchmarks"
    paper: str = ""
    needs: frozenset[Need] = frozenset()
    # "heavy" graders would block the event loop and distort timings: they run in another process.
    grading: Literal["light", "heavy"] = "light"
    judge: JudgeFacts | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One question; `fields` is what its prompt and its grader read."""

    id: ItemId
    fields: Row
    expected: str | None = None
    category: str | None = None
    # Items that share a passage or a problem are not independent: the interval clusters on this.
    cluster: str | None = None
    # False without an expected answer: the attempt ends as `answered`.
    is_graded: bool = True

    @property
    def content_hash(self) -> str:
        return digest({"id": self.id, "fields": self.fields, "expected": self.expected})


@record
class Cue:
    """Answers that a grader must call right and wrong; only the simulated models see it."""

    right: str | None = None
    wrong: str | None = None
    choices: tuple[str, ...] = ()
    # For a question to a judge: the answer to grade and the expected answer.
    judged: tuple[str, str] | None = None
    # Tool calls that belong to the right answer.
    calls: tuple[ToolCall, ...] = ()


class Ask(Protocol):
    """Asks the model once more within one attempt; every call is kept, and counts towards the budget.

    A conversation waits for one reply before it asks for the next.
    """

    async def __call__(self, prompt: Prompt, *, cue: Cue = ...) -> Completion:
        """Raises CallError if the model gives no reply after all retries."""
        ...


Conversation = Callable[[Item, Ask, "Services"], Awaitable[Completion]]
"""An attempt that takes several calls; returns the whole answer, in the form that the grader reads.

An attempt that was interrupted is executed again, with the replies that are stored as long as its prompts
are the same: a prompt must depend on nothing but the item, the replies and what its programs print.
"""


@dataclass(frozen=True, slots=True)
class ItemSet:
    """A benchmark's items, and the prompt for each."""

    items: Sequence[Item]
    prompt: Callable[[Item], Prompt]
    cue: Callable[[Item], Cue]
    # What the official harness does to a reply before storing it; applied to replies made by other tools.
    kept: Callable[[str], str] = str
    # Checksum of the source of items and prompts, where hashing every prompt would take too long.
    checksum: str | None = None
    # Set where prompts depend on earlier replies; `prompt` then returns the first prompt.
    converse: Conversation | None = None


@record
class Grade:
    """A grader's verdict, with the reason for it."""

    outcome: Outcome
    score: float
    extracted: str | None = None
    explanation: str = ""
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    test_code: str | None = None


@record
class Result:
    """A verdict with the item it belongs to; metrics are computed from these."""

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
    """A second model, which grades answers or plays the user of a conversation."""

    @property
    def model(self) -> str: ...

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        """Raises GraderError if the model gives no reply."""
        ...


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges of a run; each is asked `votes` times about every answer."""

    judges: tuple[Judge, ...]
    votes: int = 1


@dataclass(frozen=True, slots=True)
class Environment:
    """Python packages that the programs of a benchmark need: pinned, and installed apart from Assay's own."""

    requirements: tuple[str, ...]
    # Python versions that the packages support, preferred first.
    pythons: tuple[str, ...]


class Prepared(Protocol):
    """What `assay data prepare` installed for a benchmark."""

    def python(self, benchmark: str, environment: Environment) -> str:
        """The interpreter that has the packages; raises DataMissingError if they are not installed."""
        ...

    def file(self, benchmark: str, name: str) -> Path | None:
        """A file that the user gave, or None."""
        ...

    def toolchain(self, name: str, *, is_primed: bool = False) -> Toolchain:
        """A compiler or interpreter of this machine; raises DataMissingError with what to install.

        A primed one builds fast from the first time on; priming may take a minute.
        """
        ...


class Isolated(Protocol):
    """Calls functions in a process that has limits of time and memory."""

    async def __call__(self, function: Callable[..., T], *arguments: object) -> T:
        """Raises what the function raises, or GraderError if it exceeds a limit."""
        ...


class Embedder(Protocol):
    """Asks an embedding model for the vectors of texts."""

    async def __call__(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector for each text, all of one length; raises GraderError."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """What a grader and a conversation may use beyond the item and the replies; the panel only grades.

    With an `agent`, a benchmark that HostsAgents lets it do the work in place of its own.
    """

    panel: Panel | None = None
    user_model: Judge | None = None
    sandbox: Sandbox | None = None
    prepared: Prepared | None = None
    isolated: Isolated | None = None
    containers: Containers | None = None
    agent: HostedAgent | None = None
    embed: Embedder | None = None

    def required_panel(self) -> Panel:
        if self.panel is None:
            raise GraderError("this benchmark is graded by a judge and the run names none")
        return self.panel

    def required_user_model(self) -> Judge:
        if self.user_model is None:
            raise GraderError("this benchmark has a simulated user and the run names no model for it")
        return self.user_model

    def required_sandbox(self) -> Sandbox:
        if self.sandbox is None:
            raise GraderError("this benchmark runs code and no sandbox was given to its grader")
        return self.sandbox

    def required_prepared(self) -> Prepared:
        if self.prepared is None:
            raise GraderError("this benchmark needs packages of its own and none were given to its grader")
        return self.prepared

    def required_containers(self) -> Containers:
        if self.containers is None:
            raise GraderError("this benchmark runs in containers and no engine was given to it")
        return self.containers

    def required_isolated(self) -> Isolated:
        if self.isolated is None:
            raise GraderError("this benchmark evaluates rules of users and no process for them was given")
        return self.isolated


class Benchmark(Protocol):
    @property
    def card(self) -> Card: ...

    def load(self, tables: Tables) -> ItemSet: ...

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade: ...


@runtime_checkable
class HasVariants(Protocol):
    """A benchmark with named variants, run as `<name>:<variant>`."""

    @property
    def variants(self) -> Mapping[str, Benchmark]: ...


@runtime_checkable
class ShowsExamples(Protocol):
    """A benchmark that shows solved examples before a question, as many as a run asks for."""

    def with_examples(self, count: int) -> Benchmark:
        """Raises InvalidValueError if it has no more than fewer."""
        ...


@runtime_checkable
class MakesVariants(Protocol):
    """A benchmark with more variants than can be listed, such as one for every window of dates."""

    def variant(self, name: str) -> Benchmark | None: ...


@runtime_checkable
class HasEnvironment(Protocol):
    """A benchmark whose programs need packages of their own: `assay data prepare <name>` installs them."""

    @property
    def environment(self) -> Environment: ...

    @property
    def user_files(self) -> Mapping[str, str]:
        """Names of files that only the user can provide, and what each is."""
        ...

    def check_prepared(self, items: Sequence[Item], prepared: Prepared) -> None:
        """Raises DataMissingError if something needed to grade these items is missing."""
        ...


@runtime_checkable
class ChecksItems(Protocol):
    """A benchmark that knows before a run which of its items cannot be run anywhere."""

    def unsupported(self, items: Sequence[Item]) -> Mapping[ItemId, str]:
        """Those items, with the reason; their attempts end as `data_error` without a call."""
        ...


@runtime_checkable
class HasAnswerLayout(Protocol):
    """A benchmark whose official harness stores replies in its own row format."""

    def replies(self, row: Row) -> tuple[str, Sequence[str]] | None:
        """An item's id and the replies to it; None if the row has another format."""
        ...


@runtime_checkable
class HasParts(Protocol):
    """A benchmark whose answers from other tools come in parts, each with its own id."""

    def parts(self, item: Item) -> Sequence[str]:
        """The ids of an item's parts, in order."""
        ...

    def whole(self, item: Item, replies: Mapping[str, str]) -> str:
        """The answer to the item as `grade` reads it, from the replies to its parts."""
        ...


@runtime_checkable
class HasMetrics(Protocol):
    """A benchmark that reports metrics in addition to the mean score."""

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]: ...


@runtime_checkable
class HasLimits(Protocol):
    """A benchmark whose attempts take several calls, within limits that a score depends on."""

    @property
    def limits(self) -> str:
        """The limits in one line, such as `at most 200 steps`; runs with others are not compared."""
        ...


@runtime_checkable
class HostsAgents(Protocol):
    """A benchmark whose tasks a user's own agent can work on, as a command in their containers."""

    @property
    def agent_limits(self) -> str:
        """The limits of such an agent in one line, in place of `limits`."""
        ...


@runtime_checkable
class ReadsWholeReplies(Protocol):
    """A benchmark whose official scorer reads the whole reply, including reasoning between tags."""

    @property
    def reads_whole_replies(self) -> bool: ...


@runtime_checkable
class HasDemoItems(Protocol):
    """A benchmark that ships items of our own writing, in the layout of the official rows."""

    def demo_tables(self) -> Tables: ...
