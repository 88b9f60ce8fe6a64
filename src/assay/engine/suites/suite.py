"""A suite: models, benchmarks, and what holds for all runs of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.domain.agent import OwnAgent
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.composite import CompositeRule
from assay.domain.datasets.benchmark_file import BenchmarkFile
from assay.domain.judging import Judging
from assay.domain.run import Budget, Description, ModelEndpoint, Subset
from assay.domain.stopping import StopRule
from assay.engine.gate.policy import Policy

TAG = "suite"


@dataclass(frozen=True, slots=True)
class SuiteModel:
    """`label` is what the results call it: a model may be there twice, with different settings."""

    label: str
    model: str
    endpoint: ModelEndpoint = ModelEndpoint()
    generation: Generation = Generation()
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which items of a benchmark are asked, and how often."""

    subset: Subset = Subset()
    items: tuple[ItemId, ...] = ()
    samples: int = 1
    few_shot: int | None = None
    data: str = "official"


@dataclass(frozen=True, slots=True)
class SuiteBenchmark:
    """`file` is where it is declared, if it is no installed one."""

    name: str
    scope: Scope = Scope()
    file: BenchmarkFile | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """`baseline` is a run's id or a file; `keys` are those that the file must be signed with."""

    policy: Policy
    baseline: str | None = None
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    models: tuple[SuiteModel, ...]
    benchmarks: tuple[SuiteBenchmark, ...]
    # Of every run; holds the tag of the suite.
    description: Description = Description()
    max_connections: int | None = None
    warmup: int = 0
    judge: Judging | None = None
    user_model: Judging | None = None
    agent: OwnAgent | None = None
    composite: CompositeRule = CompositeRule()
    budget: Budget = Budget()
    gate: Gate | None = None
    stop: StopRule | None = None
    # Takes stored answers to the same requests instead of asking again.
    reuse: bool = False
