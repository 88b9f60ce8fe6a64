"""Sealed keys of callers, as a store keeps them."""

from typing import Protocol


class SecretStore(Protocol):
    """Sealed keys; each comes with its run and goes, in the same transaction, when the run reaches an end."""

    async def sealed_key(self, credential: str) -> bytes | None: ...
