"""Janus research: claims to verify and questions that several short documents answer together."""

from pathlib import Path

from assay.benchmarks.janus.answer_lines import ANSWER_LINES
from assay.benchmarks.janus.benchmark import JanusBenchmark, TaskKind
from assay.benchmarks.janus.facts import FACTS
from assay.domain.benchmark import Row
from assay.engine.planning.card import load_card

_TYPES = ("fact_verification", "current_events", "comparative", "synthesis", "deep_dive")


def _kind(task: Row) -> TaskKind:
    """Tasks of users may have facts in place of an answer; ours have none."""
    return ANSWER_LINES if "expected_answer" in task else FACTS


_KIND = TaskKind(
    lambda task: _kind(task).protocol(task),
    lambda task, completion: _kind(task).grade(task, completion),
    lambda task: _kind(task).cue(task),
)
benchmark = JanusBenchmark(load_card(Path(__file__).parent), dict.fromkeys(_TYPES, _KIND))
