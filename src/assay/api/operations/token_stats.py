"""How many tokens the runs of the last day and week have used."""

import itertools
from collections.abc import AsyncIterator
from datetime import timedelta

from assay.api.schemas.overview import TokenStats, TokenWindow
from assay.domain.run import Run
from assay.engine.ports import Clock
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_PAGE = 100


async def token_stats(stores: Stores, clock: Clock) -> TokenStats:
    now = clock.now()
    used = {_DAY: [0, 0], _WEEK: [0, 0]}
    async for run, tokens in _used(stores):
        age = now - run.created_at
        if age > _WEEK:
            break
        for window, sums in used.items():
            if age <= window:
                sums[0] += tokens[0]
                sums[1] += tokens[1]
    return TokenStats(last_24h=_window(_DAY, used[_DAY]), last_7d=_window(_WEEK, used[_WEEK]))


async def _used(stores: Stores) -> AsyncIterator[tuple[Run, tuple[int, int]]]:
    """Each run, newest first, with the input and output tokens its evaluations have summed up."""
    for offset in itertools.count(step=_PAGE):
        page = await stores.runs.list_runs(RunFilter(limit=_PAGE, offset=offset))
        evaluations = await stores.runs.evaluations_of([run.id for run in page.runs])
        for run in page.runs:
            tokens = [one.summary.tokens for one in evaluations[run.id] if one.summary]
            yield run, (sum(one.input for one in tokens), sum(one.output for one in tokens))
        if offset + _PAGE >= page.total:
            return


def _window(window: timedelta, used: list[int]) -> TokenWindow:
    hours = int(window.total_seconds() // 3600)
    return TokenWindow(window_hours=hours, input_tokens=used[0], output_tokens=used[1])
