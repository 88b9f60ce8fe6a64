"""Janus streaming: 50 replies of a stated form, short, long or reasoned."""

from pathlib import Path

from assay.benchmarks.janus.answer_lines import ANSWER_LINES
from assay.benchmarks.janus.benchmark import JanusBenchmark
from assay.benchmarks.janus.streaming.lines import LINES
from assay.engine.planning.card import load_card

benchmark = JanusBenchmark(
    load_card(Path(__file__).parent), {"short": LINES, "long": LINES, "reasoning": ANSWER_LINES}
)
