"""Reads all stored runs, page by page."""

import itertools
from collections.abc import AsyncIterator, Sequence

from assay.domain.run import Run
from assay.engine.stores.runs import RunFilter, RunStore

_PAGE = 200


async def run_pages(runs: RunStore) -> AsyncIterator[Sequence[Run]]:
    """Every run, newest first."""
    for offset in itertools.count(step=_PAGE):
        page = await runs.page(RunFilter(limit=_PAGE, offset=offset))
        yield page.runs
        if offset + _PAGE >= page.total:
            return
