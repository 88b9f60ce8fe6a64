"""A user's own agent, which works on a benchmark's tasks in place of the built-in one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from assay.domain.calls.pricing import Price
from assay.domain.errors import InvalidValueError
from assay.domain.programs.containers import PlacedFile

MAX_COMMAND_LENGTH = 4_000


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """What one attempt of an own agent may use, beside the limits of the benchmark."""

    calls: int | None = None
    tokens: int | None = None
    usd: Decimal | None = None

    def __post_init__(self) -> None:
        for name, least in (("calls", self.calls), ("tokens", self.tokens)):
            if least is not None and least < 1:
                raise InvalidValueError(f"the {name} of an agent must be at least 1, not {least}")
        if self.usd is not None and self.usd <= 0:
            raise InvalidValueError(f"the cost of an agent must be more than 0 USD, not {self.usd}")

    @property
    def label(self) -> str:
        given = ((self.calls, "calls"), (self.tokens, "tokens"), (self.usd, "USD"))
        return ", ".join(f"{value} {unit}" for value, unit in given if value is not None)


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """A command for the shell of a task's container, and the folder that it finds there as /agent."""

    command: str
    # On the machine that executes the run.
    folder: str | None = None
    limits: AgentLimits = AgentLimits()

    def __post_init__(self) -> None:
        if not self.command.strip() or "\0" in self.command:
            raise InvalidValueError("the agent's command is empty: give what a shell shall run")
        if len(self.command) > MAX_COMMAND_LENGTH:
            raise InvalidValueError(
                f"the agent's command has {len(self.command):,} characters, of at most"
                f" {MAX_COMMAND_LENGTH:,}; put it into a script in the agent's folder"
            )


@dataclass(frozen=True, slots=True)
class LoadedAgent:
    """An own agent with the files of its folder, as they are given to every task of a run."""

    agent: OwnAgent
    files: Mapping[str, PlacedFile] = field(default_factory=dict[str, PlacedFile], repr=False)
    files_sha256: str | None = None

    @property
    def label(self) -> str:
        """All of it that a score depends on, in one line."""
        parts = [self.agent.command]
        if self.files_sha256 is not None:
            parts.append(f"/agent sha256:{self.files_sha256}")
        if self.agent.limits.label:
            parts.append(f"at most {self.agent.limits.label}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class HostedAgent:
    """An own agent with the model that it may call, under the only name that it may call it by."""

    loaded: LoadedAgent
    model: str
    price: Price | None = None
