"""Writes batches of attempts until it is killed; says which ones the store has acknowledged."""

import asyncio
import sys

from assay.adapters.store.stores import open_stores
from tests.builders import attempt

BATCH = 50


async def write_for_ever(url: str, first: int) -> None:
    store = await open_stores(url)
    number = first
    while True:
        batch = [attempt(f"{number}/{each}", prompt=f"{number} {each} " * 100) for each in range(BATCH)]
        await store.attempts.add(batch)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        number += 1


if __name__ == "__main__":
    asyncio.run(write_for_ever(sys.argv[1], int(sys.argv[2])))
