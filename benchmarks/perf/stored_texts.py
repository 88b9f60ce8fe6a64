"""Bytes that a thousand characters of text add to what is stored of an attempt.

    python -m benchmarks.perf.stored_texts

Stores attempts whose prompts are 500 and 2,500 characters of our own documentation and code, no two the same,
on SQLite and on a throw-away PostgreSQL, and prints what the difference takes, index of the search included.
"""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

from assay.adapters.store.stores import open_stores
from benchmarks.perf.costs import Server, stored_bytes
from tests.builders import Seeded, attempt
from tests.conftest import REPOSITORY
from tests.postgres import programs, running_cluster

ATTEMPTS = 1_000
SIZES = (500, 2_500)
_BATCH = 250


def own_text() -> str:
    paths = sorted(REPOSITORY.glob("docs/**/*.md")) + sorted(REPOSITORY.glob("src/assay/**/*.py"))
    text = " ".join(path.read_text(encoding="utf-8") for path in paths)
    assert len(text) >= ATTEMPTS * max(SIZES), "there is too little text"
    return text


async def fill(url: str, text: str, size: int) -> None:
    store = await open_stores(url)
    await store.runs.add(Seeded().run, [Seeded().evaluation()], [])
    parts = [text[start : start + size] for start in range(0, ATTEMPTS * size, size)]
    for first in range(0, ATTEMPTS, _BATCH):
        batch = enumerate(parts[first : first + _BATCH], start=first)
        await store.attempts.add([attempt(f"{number:06}", prompt=part) for number, part in batch])
    await store.close()


def added(stored: Callable[[int], int]) -> float:
    """Bytes for each thousand characters."""
    small, large = map(stored, SIZES)
    return (large - small) / ATTEMPTS / (SIZES[1] - SIZES[0]) * 1000


def main() -> None:
    text = own_text()

    def in_sqlite(size: int) -> int:
        with tempfile.TemporaryDirectory() as name:
            asyncio.run(fill(f"sqlite:///{name}/assay.db", text, size))
            return sum(stored_bytes(Path(name), None))

    print(f"SQLite: {added(in_sqlite):,.0f} bytes for each 1,000 characters")
    folder = programs()
    assert folder is not None, "install PostgreSQL for these figures"
    with running_cluster(folder) as cluster:

        def in_postgres(size: int) -> int:
            url = cluster.new_database()
            asyncio.run(fill(url, text, size))
            return sum(stored_bytes(cluster.folder, Server(url, 0)))

        print(f"PostgreSQL: {added(in_postgres):,.0f} bytes for each 1,000 characters")


if __name__ == "__main__":
    main()
