"""The store of votes."""

from typing import Protocol

from assay.domain.arena import Vote


class ArenaStore(Protocol):
    """Each method is one transaction."""

    async def add(self, vote: Vote) -> None:
        """Raises ConflictError where the prompt has been voted on."""
        ...

    async def votes(self) -> tuple[Vote, ...]:
        """All votes, the oldest first."""
        ...

    async def has(self, prompt_id: str) -> bool:
        """Whether the prompt has been voted on."""
        ...
