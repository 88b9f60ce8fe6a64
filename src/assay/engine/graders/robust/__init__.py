"""Reading an answer however it is put: for data without an official rule, and beside the official rules."""

from assay.engine.graders.robust.beside import disagreement_metrics, with_robust
from assay.engine.graders.robust.choice import robust_choice
from assay.engine.graders.robust.number import robust_number, robust_value
from assay.engine.graders.robust.text import robust_text

__all__ = [
    "disagreement_metrics",
    "robust_choice",
    "robust_number",
    "robust_text",
    "robust_value",
    "with_robust",
]
