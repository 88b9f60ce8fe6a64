"""The protocols that the adapters implement for the engine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from assay.domain.access.secret import Secret
from assay.domain.benchmark import Benchmark, Card, Cue, Need, Tables
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.calls.pricing import Price
from assay.domain.record import record
from assay.domain.run import RunSpec


class Clock(Protocol):
    def now(self) -> datetime:
        """Wall-clock time, in UTC."""
        ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


@record
class Request:
    """One request to a model; only simulated models use the cue.

    `needs` are those of the benchmark: an endpoint that refuses them refuses the evaluation.
    One that `is_single` is sent once, also where asking in another way may get an answer.
    """

    prompt: Prompt
    generation: Generation
    cue: Callable[[], Cue] = Cue
    sample: int = 0
    needs: frozenset[Need] = frozenset()
    is_single: bool = False


class ModelClient(Protocol):
    """One model behind one endpoint."""

    @property
    def model(self) -> str: ...

    @property
    def endpoint(self) -> str:
        """Base URL, or a name for a simulated model; the key of shared limits."""
        ...

    async def complete(self, request: Request) -> Completion:
        """Make exactly one exchange; raises CallError or EndpointError."""
        ...

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        """Raise EndpointError if no call to this model could succeed, as far as can be said without one."""
        ...

    async def price(self) -> Price | None:
        """The provider's current price; None if it is unknown."""
        ...

    async def close(self) -> None: ...


class ModelDirectory(Protocol):
    """Turns a model's name into a client."""

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ModelClient:
        """With a key, this client sends it in place of the configured one.

        `key_variable` names the variable with the key, in place of the provider's; `headers` are sent too,
        with values from the environment where they refer to it.
        """
        ...


def open_model(
    models: ModelDirectory, spec: RunSpec, model: str, *, api_key: Secret | None = None
) -> ModelClient:
    """The client of a model of a run."""
    endpoint = spec.endpoint_of(model)
    return models.open(
        model,
        base_url=endpoint.base_url,
        api_key=api_key,
        key_variable=endpoint.key_variable,
        headers=spec.headers,
    )


@dataclass(frozen=True, slots=True)
class BenchmarkData:
    """Rows of a benchmark, and what identifies them: `official`, `demo` or a file of the user's."""

    tables: Tables
    revision: str
    checksum: str


@runtime_checkable
class HasOwnData(Protocol):
    """A benchmark that holds its own data."""

    def own_data(self, where: str) -> BenchmarkData:
        """`where` as for DataLibrary.open; raises InvalidValueError for anything but `official`."""
        ...


Progress = Callable[[str, int, int | None], None]
"""Called with a file's name, the bytes so far, and the total if it is known."""


class DataLibrary(Protocol):
    """Finds a benchmark's data: fetched from the hub, shipped as demo items, or named by the user."""

    def open(self, benchmark: Benchmark, where: str) -> BenchmarkData:
        """`where` is `official`, `demo`, or a path; never anything else than what was asked for."""
        ...

    def fetch(self, card: Card, *, progress: Progress) -> BenchmarkData: ...

    def is_fetched(self, card: Card) -> bool: ...
