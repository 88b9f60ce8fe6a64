"""How many tokens the runs of the last day and week have used."""

from datetime import timedelta

from assay.api.runs.run_pages import run_pages
from assay.api.schemas.overview import TokenStats, TokenWindow
from assay.engine.ports import Clock
from assay.engine.stores.runs import RunStore

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)


async def token_stats(runs: RunStore, clock: Clock) -> TokenStats:
    now = clock.now()
    used = {_DAY: [0, 0], _WEEK: [0, 0]}
    async for page in run_pages(runs):
        evaluations = await runs.evaluations_of([run.id for run in page])
        for run in page:
            tokens = [one.summary.tokens for one in evaluations[run.id] if one.summary]
            for window, sums in used.items():
                if now - run.created_at <= window:
                    sums[0] += sum(one.input for one in tokens)
                    sums[1] += sum(one.output for one in tokens)
        if page and now - page[-1].created_at > _WEEK:
            break
    return TokenStats(last_24h=_window(_DAY, used[_DAY]), last_7d=_window(_WEEK, used[_WEEK]))


def _window(window: timedelta, used: list[int]) -> TokenWindow:
    hours = int(window.total_seconds() // 3600)
    return TokenWindow(window_hours=hours, input_tokens=used[0], output_tokens=used[1])
