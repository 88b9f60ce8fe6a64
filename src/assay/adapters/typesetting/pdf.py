"""Sets a report in type with Typst, which comes as a wheel and needs nothing else on the machine."""

import json
from importlib.resources import files

from assay.domain.errors import MissingExtraError
from assay.domain.messages import Json

_TEMPLATE = "report.typ"


def render_pdf(report: Json) -> bytes:
    """Raises MissingExtraError where the extra `pdf` is not installed."""
    try:
        # Ten megabytes that only this export needs.
        import typst  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("the PDF report", "pdf") from error
    template = files("assay.adapters.typesetting").joinpath(_TEMPLATE).read_bytes()
    return typst.compile(template, sys_inputs={"report": json.dumps(report)}, ignore_system_fonts=True)
