"""Which workers count as alive."""

from datetime import datetime, timedelta

from assay.engine.stores.fleet import Worker

# Three times as long as others wait before they take over a silent worker's shards.
ALIVE_FOR = timedelta(seconds=30)


def is_alive(worker: Worker, now: datetime) -> bool:
    return now - worker.last_seen < ALIVE_FOR
