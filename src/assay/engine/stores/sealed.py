"""What is stored sealed under the installation's key."""

from collections.abc import Callable
from typing import Protocol


class SealedStore(Protocol):
    async def reseal(self, renewed: Callable[[bytes], bytes]) -> None:
        """Put what `renewed` returns in place of each sealed value, some of them in each transaction."""
        ...
