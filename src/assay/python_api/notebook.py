"""Live progress in a notebook, as a table that is rewritten in place."""

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from assay.cli.output.progress import Tally
from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation, EvaluationId
from assay.engine.execution.shards import Observer
from assay.engine.exports.html.markup import text
from assay.engine.models.traffic import Traffic


def is_notebook() -> bool:
    """Whether a Jupyter kernel executes this; asks without importing what may not be installed."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class NotebookProgress(Observer):
    """The engine's thread counts, and the thread that waits for it shows: the cell is its own."""

    def __init__(self) -> None:
        self._evaluations: Sequence[Evaluation] = ()
        self._tallies: Mapping[EvaluationId, Tally] = {}
        self._waiting: dict[EvaluationId, str] = {}
        self._shown = ""
        self._handle: Any = None  # IPython has no types

    @contextmanager
    def show(
        self, evaluations: Sequence[Evaluation], stored: Mapping[EvaluationId, Tally]
    ) -> Generator[Observer]:
        self._evaluations, self._tallies = evaluations, stored
        yield self

    def attempt_ended(self, evaluation: Evaluation, attempt: Attempt) -> None:
        self._tallies[evaluation.id].add(attempt)
        self._waiting.pop(evaluation.id, None)

    def waiting_to_retry(self, evaluation: Evaluation, traffic: Traffic) -> None:
        self._waiting[evaluation.id] = f"waiting to repeat a call: {traffic.reason or ''}"

    def refresh(self) -> None:
        """Show what has changed; called by the thread of the cell."""
        page = self._page()
        if not page or page == self._shown:
            return
        self._shown = page
        display: Any = sys.modules["IPython.display"]
        if self._handle is None:
            self._handle = display.display(display.HTML(page), display_id=True)
        else:
            self._handle.update(display.HTML(page))

    def _page(self) -> str:
        rows = [
            f"<tr><td>{text(one.model)} · {text(one.benchmark)}</td>"
            f'<td><progress value="{tally.done}" max="{one.total_attempts}"></progress></td>'
            f"<td>{tally.done:,} of {one.total_attempts:,}</td>"
            f"<td>{text(self._waiting.get(one.id) or tally.note)}</td></tr>"
            for one in self._evaluations
            if (tally := self._tallies.get(one.id)) is not None
        ]
        return f"<table>{''.join(rows)}</table>" if rows else ""
