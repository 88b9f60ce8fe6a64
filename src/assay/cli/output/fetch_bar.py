"""Progress of a download."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from assay.engine.ports import Progress as ProgressCallback


@contextmanager
def fetch_bar(*, quiet: bool) -> Generator[ProgressCallback]:
    if quiet or not sys.stderr.isatty():
        yield lambda _name, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress, TaskID

    with Progress(console=Console(stderr=True, markup=False)) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=total)
            bars.update(tasks[name], completed=done, total=total)

        yield tell
