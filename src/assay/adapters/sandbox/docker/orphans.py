"""Containers left by an Assay process that was killed before it could remove them."""

import json
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError

LABEL = "assay.sandbox"
_PROCESSES = Path("/proc")
# The field with the start time of the process, counted after the command's name.
_STARTED = 19
_logger = logging.getLogger(__name__)


def owner() -> str:
    """Identifies this process, also against a later process with the same id."""
    pid = os.getpid()
    return f"{_namespace()}/{pid}/{_started(pid)}"


async def remove_orphans(api: EngineApi) -> None:
    """Remove containers of processes that are gone; those of other machines or containers are left alone."""
    wanted = {"all": "true", "filters": json.dumps({"label": [LABEL]})}
    listed = (await api.call("GET", "/containers/json", params=wanted)).get("items")
    for one in listed if isinstance(listed, Sequence) else ():
        if isinstance(one, Mapping) and _is_orphan(one.get("Labels")):
            try:
                await api.remove(str(one["Id"]))
            except SandboxError as error:
                # One that cannot be removed must not keep the others, and every run, from their work.
                _logger.warning("a container of a process that is gone stays: %s", error.message)


def _is_orphan(labels: Json) -> bool:
    named = labels.get(LABEL) if isinstance(labels, Mapping) else None
    return isinstance(named, str) and is_abandoned(named)


def is_abandoned(named: str) -> bool:
    """Whether the process that `owner` named was in this namespace and is gone."""
    if named.count("/") != 2:  # noqa: PLR2004 # three parts
        return False
    namespace, pid, started = named.split("/")
    return namespace == _namespace() and pid.isdigit() and _started(int(pid)) != started


def _namespace() -> str:
    try:
        return (_PROCESSES / "self/ns/pid").readlink().name
    except OSError:
        return "none"


def _started(pid: int) -> str:
    try:
        stat = (_PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[_STARTED]
