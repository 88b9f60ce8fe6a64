"""Options for a user's own agent, and what turns them into one."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import options

if TYPE_CHECKING:
    from assay.domain.agent import OwnAgent

Command = Annotated[
    str | None,
    typer.Option(
        metavar="COMMAND", help="Your own agent: run in each task's container, in place of the built-in one."
    ),
]
Folder = Annotated[
    str | None, typer.Option(metavar="FOLDER", help="Copied into each task's container as /agent.")
]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=NUMBER",
        help="What an attempt of your agent may use: calls, tokens or usd; may be given several times.",
    ),
]


def own_agent(command: str | None, folder: str | None, limits: list[str] | None) -> "OwnAgent | None":
    from assay.domain.agent import AgentLimits, OwnAgent
    from assay.domain.errors import InvalidValueError

    if command is None:
        if folder is not None or limits:
            raise InvalidValueError(
                "options of the agent are given, but no agent: add --agent-command COMMAND"
            )
        return None
    given = _agent_limits(limits or [])
    whole = {name: int(amount) for name, amount in given.items() if name != "usd"}
    return OwnAgent(
        command,
        None if folder is None else str(Path(folder).expanduser().absolute()),
        AgentLimits(usd=given.get("usd"), **whole),
    )


def _agent_limits(limits: list[str]) -> dict[str, Decimal]:
    from assay.domain.errors import InvalidValueError

    found: dict[str, Decimal] = {}
    for text in limits:
        name, _, number = text.partition("=")
        amount = options.usd(number, f"--agent-limit {name.strip()}")
        if name.strip() not in ("calls", "tokens", "usd") or amount is None:
            raise InvalidValueError(f"--agent-limit {text!r} names no limit; there are calls, tokens and usd")
        if name.strip() != "usd" and amount != amount.to_integral_value():
            raise InvalidValueError(f"--agent-limit {text!r} needs a whole number")
        found[name.strip()] = amount
    return found
