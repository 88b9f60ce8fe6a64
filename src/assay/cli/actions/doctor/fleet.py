"""What `assay doctor` says of an installation as a whole: its database, workers, queue, room and keys."""

import shutil
from collections.abc import Sequence

from assay.adapters.store.database.database import connected
from assay.adapters.store.database.url import Location, located
from assay.adapters.store.schema import HEAD, revision_of
from assay.bootstrap import keyring, opened_queue
from assay.cli.actions.doctor.finding import Finding
from assay.domain.errors import AssayError
from assay.domain.programs.containers import GIB
from assay.domain.stats import plural
from assay.engine.execution.queue import Depth
from assay.engine.stores.fleet import Worker
from assay.installation import opened_stores, version
from assay.settings import Settings

_LEAST_ROOM_GIB = 1
_ROOM_GIB = 5


async def examine_fleet(settings: Settings) -> list[Finding]:
    location = located(settings.store_url)
    return [*await _database(settings, location), _room(settings), _signing_key(settings)]


async def _database(settings: Settings, location: Location) -> list[Finding]:
    """A database of another version is left as it is: opening it would upgrade it."""
    try:
        revision = await _revision(location)
        if revision not in (None, HEAD):
            state = f"{location} has schema {revision}, this version {HEAD}"
            remedy = (
                "assay db upgrade, after a back-up; or install the version that wrote it, if that is later"
            )
            return [Finding("database", "failure", state, remedy)]
        async with opened_stores(settings) as stores, opened_queue(settings, is_shared=True) as queue:
            workers, depth = await stores.fleet.workers(), await queue.depth()
    except AssayError as error:
        return [Finding("database", "failure", error.message)]
    lease_s = 5 * settings.worker_heartbeat_seconds
    return [
        Finding("database", "ok", f"{location}, schema {HEAD}"),
        *(_worker(one, lease_s=lease_s) for one in workers),
        _queue(depth, [one for one in workers if one.silent_s <= lease_s]),
    ]


async def _revision(location: Location) -> str | None:
    database = connected(location)
    try:
        return await database.read(revision_of)
    finally:
        await database.close()


def _worker(worker: Worker, *, lease_s: float) -> Finding:
    what = f"worker {worker.id}"
    state = (
        f"on {worker.host}, version {worker.version or 'unknown'}, {len(worker.running)} of"
        f" {plural(worker.slots, 'shard')}, sandbox {worker.sandbox or 'not used yet'},"
        f" heard of {worker.silent_s:.0f} s ago"
    )
    if worker.silent_s > lease_s:
        remedy = "look at its log and start it again; other workers take its shards over"
        return Finding(what, "failure", f"{state}: counts as dead", remedy)
    if worker.is_draining:
        return Finding(what, "note", f"{state}, ends")
    if worker.version != version():
        return Finding(what, "note", f"{state}: this is {version()}", "upgrade one of them")
    return Finding(what, "ok", state)


def _queue(depth: Depth, alive: Sequence[Worker]) -> Finding:
    state = f"{plural(depth.queued, 'shard')} waiting, {depth.running} under way"
    if depth.queued and not any(not one.is_draining for one in alive):
        return Finding("queue", "failure", f"{state}, and no worker is at work", "assay up, or assay worker")
    return Finding("queue", "ok", f"{state}, {plural(len(alive), 'worker')} at work")


def _room(settings: Settings) -> Finding:
    folder = settings.assay_home
    try:
        free_gib = shutil.disk_usage(folder).free / GIB
    except OSError as error:
        return Finding("disk", "failure", f"{str(folder)!r}: {error.strerror}")
    state = f"{free_gib:,.1f} GiB free at {str(folder)!r}"
    if free_gib >= _ROOM_GIB:
        return Finding("disk", "ok", state)
    remedy = "make room: assay offload --older-than 180d, assay prune, or a larger disk"
    return Finding("disk", "failure" if free_gib < _LEAST_ROOM_GIB else "note", state, remedy)


def _signing_key(settings: Settings) -> Finding:
    try:
        current = next((one for one in keyring(settings).known() if one.is_current), None)
    except AssayError as error:
        return Finding("signing key", "failure", error.message)
    if current is None:
        return Finding("signing key", "ok", "none yet: the first export makes one")
    return Finding("signing key", "ok", current.key_id)
