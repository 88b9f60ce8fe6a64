"""The service's call that lets one of its own agents work in a sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from assay.adapters.sandbox.sandy.service import SandyService
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import MIB

_MOST_TOLD_BYTES = 16 * MIB


@dataclass(frozen=True, slots=True)
class AgentTask:
    """What an agent is asked to do; `agent` and `model` are names that the service knows."""

    agent: str
    model: str
    prompt: str
    within_s: int


@dataclass(frozen=True, slots=True)
class AgentWork:
    """What the agent told until its end, and what the service says of the end.

    The service calls the model itself: neither the calls nor their cost are known here.
    """

    told: tuple[Mapping[str, Json], ...]
    completion: Mapping[str, Json]
    is_truncated: bool


async def run_agent(service: SandyService, sandbox: str, task: AgentTask) -> AgentWork:
    """Raises SandboxError if the service does not tell that the agent has come to its end."""
    asked: dict[str, Json] = {
        "agent": task.agent,
        "model": task.model,
        "prompt": task.prompt,
        "maxDuration": task.within_s,
    }
    told: list[Mapping[str, Json]] = []
    room, is_truncated = _MOST_TOLD_BYTES, False
    async for event in service.agent_events(sandbox, asked, within_s=task.within_s):
        if event.get("type") == "complete":
            return AgentWork(tuple(told), event, is_truncated)
        room -= len(orjson.dumps(event))
        is_truncated = is_truncated or room < 0
        if not is_truncated:
            told.append(event)
    raise SandboxError(f"the sandbox service broke off the agent {task.agent!r} before its end")
