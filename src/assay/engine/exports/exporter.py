"""Exports a run in any format."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import IO

from assay.engine.exports.content import RunContent
from assay.engine.exports.documents import settled_at
from assay.engine.exports.formats import ExportFormat, Paper
from assay.engine.exports.writing import ExportTools, RenderPdf, Signer

Export = Callable[[RunContent, IO[bytes], ExportTools], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ExportedFile:
    name: str
    media_type: str


@dataclass(frozen=True, slots=True)
class Exporter:
    """`signer` is called only for signed formats, because it may have to create a key."""

    signer: Callable[[], Signer]
    render_pdf: RenderPdf

    async def export(
        self, content: RunContent, wanted: ExportFormat, target: IO[bytes], *, paper: Paper = "a4"
    ) -> ExportedFile:
        """Write to a seekable file; the same run gives the same bytes."""
        export: Export = resolve_name(wanted.writer)
        await export(content, target, ExportTools(self.signer, self.render_pdf, paper))
        return ExportedFile(file_name(content, wanted), wanted.media_type)


def file_name(content: RunContent, wanted: ExportFormat) -> str:
    moment = (settled_at(content.run) or "").replace("-", "").replace(":", "")
    is_single_log = wanted is ExportFormat.INSPECT and len(content.evaluations) == 1
    suffix = ".eval" if is_single_log else wanted.suffix
    return f"benchmark_results_{content.run.id}_{moment}{suffix}"
