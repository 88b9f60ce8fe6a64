"""Renders a report as PDF with Typst, which is installed as a wheel and needs nothing else."""

import json
from importlib.resources import files

from assay.domain.calls.messages import Json
from assay.domain.errors import MissingExtraError

_TEMPLATE = "report.typ"


def render_pdf(report: Json) -> bytes:
    """Raises MissingExtraError if the extra `pdf` is not installed."""
    try:
        # Imported here: only this export needs its ten megabytes.
        import typst  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("the PDF report", "pdf") from error
    template = files("assay.adapters.typesetting").joinpath(_TEMPLATE).read_bytes()
    return typst.compile(template, sys_inputs={"report": json.dumps(report)}, ignore_system_fonts=True)
