"""Brings what is stored sealed under the newest key of the installation."""

from dataclasses import dataclass
from typing import Protocol

from assay.domain.errors import UnauthorizedError
from assay.engine.stores.sealed import SealedStore


class RotatingVault(Protocol):
    def add_key(self) -> None:
        """Seal under a new key from now on; raises ConflictError where the keys are not ours to change."""
        ...

    def resealed(self, sealed: bytes) -> bytes:
        """Under the newest key; raises UnauthorizedError where no key opens it."""
        ...


@dataclass(slots=True)
class Resealed:
    """Values that were brought under the newest key, those that were under it, and those no key opens."""

    changed: int = 0
    current: int = 0
    unreadable: int = 0


async def rotate(store: SealedStore, vault: RotatingVault) -> Resealed:
    """Ended early, it leaves all values readable: each is under one of the keys that are accepted."""
    vault.add_key()
    counts = Resealed()

    def renewed(sealed: bytes) -> bytes:
        try:
            now = vault.resealed(sealed)
        except UnauthorizedError:
            counts.unreadable += 1
            return sealed
        if now == sealed:
            counts.current += 1
        else:
            counts.changed += 1
        return now

    await store.reseal(renewed)
    return counts
