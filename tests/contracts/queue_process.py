"""A worker in a process of its own, to be killed, frozen and stopped.

Takes the URL of a PostgreSQL database, its slots, its grace and its lease in seconds. Says on standard output
what its handler does, one word and a shard per line. Shards named `hold…` never end.
"""

import asyncio
import signal
import sys

from assay.adapters.queue.postgres import open_queue
from assay.adapters.store.database.url import located
from assay.domain.shard import ShardId
from assay.engine.execution.queue import WorkerConfig


def say(*words: str) -> None:
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


async def handle(shard_id: ShardId) -> None:
    say("started", shard_id)
    try:
        await asyncio.sleep(3600 if shard_id.startswith("hold") else 0.01)
    except asyncio.CancelledError:
        say("cancelled", shard_id)
        raise
    say("finished", shard_id)


async def give_up(shard_id: ShardId, error: Exception) -> None:
    say("given-up", shard_id, str(error))


async def main(url: str, slots: int, grace_s: float, lease_s: float) -> None:
    queue = await open_queue(located(url).url)
    work = asyncio.create_task(queue.work(WorkerConfig(handle, give_up, slots=slots, lease_s=lease_s)))
    draining: list[asyncio.Task[None]] = []
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGTERM, lambda: draining.append(asyncio.create_task(queue.drain(grace_s=grace_s)))
    )
    say("ready")
    await work
    await queue.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])))
