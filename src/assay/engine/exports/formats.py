"""The formats a run can be exported in.

This module imports nothing else of the package, because the command line needs the names to show its help.
"""

from enum import StrEnum
from typing import Literal, Self

Paper = Literal["a4", "us-letter"]


class ExportFormat(StrEnum):
    """Name, file suffix, media type, and the function that writes the format."""

    suffix: str
    media_type: str
    writer: str

    def __new__(cls, name: str, suffix: str, media_type: str, writer: str) -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.suffix = suffix
        member.media_type = media_type
        member.writer = f"assay.engine.exports.{writer}"
        return member

    ZIP = "zip", ".zip", "application/zip", "bundle:export_bundle"
    PDF = "pdf", ".pdf", "application/pdf", "report:export_report"
    HTML = "html", ".html", "text/html", "html.run_page:export_html"
    MARKDOWN = "markdown", ".md", "text/markdown", "markdown:export_markdown"
    CSV = "csv", ".csv", "text/csv", "csv_rows:export_csv"
    JSONL = "jsonl", ".jsonl", "application/jsonl", "jsonl:export_jsonl"
    OPENAI_BATCH = "openai-batch", "_openai_batch.jsonl", "application/jsonl", "jsonl:export_openai_batch"
    EVALEVAL = "evaleval", "_evaleval.zip", "application/zip", "external.evaleval:export_evaleval"
    INSPECT = "inspect", "_inspect.zip", "application/zip", "external.inspect_log:export_inspect"
    LM_EVAL = "lm-eval", "_lm_eval.zip", "application/zip", "external.lm_eval:export_lm_eval"
