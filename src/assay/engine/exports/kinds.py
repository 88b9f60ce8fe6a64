"""What a run can be exported as; apart from what does it, because the command line names them at once."""

from enum import StrEnum
from typing import Literal

Paper = Literal["a4", "us-letter"]


class ExportFormat(StrEnum):
    ZIP = "zip"
    PDF = "pdf"
    CSV = "csv"
    JSONL = "jsonl"
    OPENAI_BATCH = "openai-batch"
    EVALEVAL = "evaleval"
    INSPECT = "inspect"
    LM_EVAL = "lm-eval"
