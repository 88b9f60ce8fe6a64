"""Goes through everything that is stored, page by page."""

import itertools
from collections.abc import AsyncIterator
from dataclasses import replace

from assay.domain.run import Run
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter

_BATCH = 500


async def all_runs(stores: Stores, wanted: RunFilter) -> AsyncIterator[Run]:
    """The runs of all pages, newest first."""
    for offset in itertools.count(step=_BATCH):
        page = await stores.runs.list_runs(replace(wanted, limit=_BATCH, offset=offset))
        for run in page.runs:
            yield run
        if offset + _BATCH >= page.total:
            return
