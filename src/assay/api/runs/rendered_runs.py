"""Runs as JSON, kept for as long as they stand as they did."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from pydantic import BaseModel

from assay.domain.run import RunId
from assay.engine.stores.runs import StoredRun

_T = TypeVar("_T", bound=BaseModel)


class RenderedRuns(Generic[_T]):
    """The bytes of the runs asked for last; never of a run as it stood before."""

    def __init__(self, schema: Callable[[StoredRun], _T], *, kept: int = 512) -> None:
        self._schema = schema
        self._kept = kept
        self._rendered: OrderedDict[RunId, tuple[StoredRun, bytes]] = OrderedDict()

    def json(self, found: StoredRun) -> bytes:
        before, rendered = self._rendered.get(found.run.id, (None, b""))
        # What did not change is the same object mostly, so that the comparison costs next to nothing.
        if before != found:
            rendered = self._schema(found).model_dump_json().encode()
        self._rendered[found.run.id] = found, rendered
        self._rendered.move_to_end(found.run.id)
        while len(self._rendered) > self._kept:
            self._rendered.popitem(last=False)
        return rendered
