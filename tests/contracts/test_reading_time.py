"""Whatever an answer is, it takes linear time to read; instructions are tested apart."""

import pytest

from assay.benchmarks.aime_2025.extraction import aa_answer, gpt_oss_answer, matharena_answer
from assay.benchmarks.gpqa_diamond.extraction import (
    labelled_letter,
    nine_pattern_letter,
    simple_evals_letter,
)
from assay.benchmarks.mmlu_pro.extraction import chain_letter, official_letter
from benchmarks.perf.graders import Reader, graders, took_ms
from benchmarks.perf.hostile_texts import PIECES, REPLY_PIECES, between_lines, repeated, varied_replies

# Tens of times what they take here, but less than anything quadratic.
MOST_MS = 300.0
BYTES = 100_000
TEXTS = {**{repr(one): repeated(one, BYTES) for one in PIECES + REPLY_PIECES}, **varied_replies(BYTES)}
OFFICIAL: list[Reader] = [
    official_letter,
    chain_letter,
    simple_evals_letter,
    labelled_letter,
    nine_pattern_letter,
    gpt_oss_answer,
    aa_answer,
    matharena_answer,
]
# These read officially and robustly; the robust readings are graders of data sets too.
TWOFOLD = ("aime_2025", "gpqa_diamond", "mmlu_pro")
READERS = [
    *((read.__name__, read) for read in OFFICIAL),
    *(one for one in graders() if not one[0].startswith(TWOFOLD)),
]


@pytest.mark.parametrize("read", [pytest.param(read, id=name) for name, read in READERS])
def test_a_long_answer_is_read_in_little_time(read: Reader) -> None:
    read("A word, é.")  # reads what is read once
    took = {name: took_ms(read, between_lines(text)) for name, text in TEXTS.items()}
    assert not {name: ms for name, ms in took.items() if ms > MOST_MS}
