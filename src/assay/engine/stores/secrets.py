"""The store of callers' sealed keys."""

from typing import Protocol


class SecretStore(Protocol):
    """Keys are added by `RunStore.create`, and removed in the transaction that ends their run."""

    async def get(self, credential: str) -> bytes | None: ...
