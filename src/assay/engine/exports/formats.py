"""Every format a run can be exported in, behind one call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO

from assay.engine.exports.bundle import Signer, write_bundle
from assay.engine.exports.content import RunContent
from assay.engine.exports.csv_rows import CsvWriter
from assay.engine.exports.documents import settled_at
from assay.engine.exports.evaleval import EvalEvalWriter
from assay.engine.exports.inspect_log import InspectWriter
from assay.engine.exports.jsonl import JsonlWriter, OpenAIBatchWriter
from assay.engine.exports.kinds import ExportFormat, Paper
from assay.engine.exports.lm_eval import LmEvalWriter
from assay.engine.exports.report import RenderPdf, write_report
from assay.engine.exports.writing import Writer, write_run

_ZIP, _LINES = "application/zip", "application/jsonl"
_MEDIA: Mapping[ExportFormat, str] = {
    ExportFormat.ZIP: _ZIP,
    ExportFormat.PDF: "application/pdf",
    ExportFormat.CSV: "text/csv",
    ExportFormat.JSONL: _LINES,
    ExportFormat.OPENAI_BATCH: _LINES,
    ExportFormat.EVALEVAL: _ZIP,
    ExportFormat.INSPECT: _ZIP,
    ExportFormat.LM_EVAL: _ZIP,
}
_ENDINGS: Mapping[ExportFormat, str] = {
    ExportFormat.ZIP: ".zip",
    ExportFormat.PDF: ".pdf",
    ExportFormat.CSV: ".csv",
    ExportFormat.JSONL: ".jsonl",
    ExportFormat.OPENAI_BATCH: "_openai_batch.jsonl",
    ExportFormat.EVALEVAL: "_evaleval.zip",
    ExportFormat.INSPECT: "_inspect.zip",
    ExportFormat.LM_EVAL: "_lm_eval.zip",
}
_WRITERS: Mapping[ExportFormat, Callable[[RunContent, IO[bytes]], Writer]] = {
    ExportFormat.CSV: CsvWriter,
    ExportFormat.JSONL: lambda _content, target: JsonlWriter(target),
    ExportFormat.OPENAI_BATCH: OpenAIBatchWriter,
    ExportFormat.EVALEVAL: EvalEvalWriter,
    ExportFormat.INSPECT: InspectWriter,
    ExportFormat.LM_EVAL: LmEvalWriter,
}
MEDIA_TYPES = tuple(dict.fromkeys(_MEDIA.values()))


@dataclass(frozen=True, slots=True)
class ExportedFile:
    name: str
    media_type: str


@dataclass(frozen=True, slots=True)
class ExportOptions:
    paper: Paper = "a4"


@dataclass(frozen=True, slots=True)
class Exporter:
    """`signer` is asked for only by what is signed: it may have to make a key."""

    signer: Callable[[], Signer]
    render_pdf: RenderPdf

    async def export(
        self,
        content: RunContent,
        wanted: ExportFormat,
        target: IO[bytes],
        options: ExportOptions | None = None,
    ) -> ExportedFile:
        """Write to a seekable file; the same run gives the same bytes."""
        if wanted is ExportFormat.ZIP:
            await write_bundle(content, target, signer=self.signer())
        elif wanted is ExportFormat.PDF:
            paper = (options or ExportOptions()).paper
            await write_report(content, target, paper=paper, render=self.render_pdf)
        else:
            await write_run(content, _WRITERS[wanted](content, target))
        return ExportedFile(file_name(content, wanted), _MEDIA[wanted])


def file_name(content: RunContent, wanted: ExportFormat) -> str:
    moment = (settled_at(content.run) or "").replace("-", "").replace(":", "")
    is_one_log = wanted is ExportFormat.INSPECT and len(content.evaluations) == 1
    return f"benchmark_results_{content.run.id}_{moment}{'.eval' if is_one_log else _ENDINGS[wanted]}"
