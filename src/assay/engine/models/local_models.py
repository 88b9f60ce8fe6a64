"""Models on this machine that a program serves one at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LocalModel:
    """`key` is what the program calls it; None means that the program does not say."""

    key: str
    name: str
    is_loaded: bool
    size_bytes: int | None = None
    context_tokens: int | None = None


class LocalModels(Protocol):
    @property
    def is_installed(self) -> bool:
        """Whether the program is there; the other methods need it."""
        ...

    async def models(self) -> Sequence[LocalModel]:
        """Those on this machine that answer chats; raises EndpointError."""
        ...

    async def switch(self, key: str) -> None:
        """Unload all models and load this one; raises UnknownNameError and EndpointError."""
        ...
