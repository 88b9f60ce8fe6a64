"""The official IFEval verdicts: which instructions of an item a response follows."""

from assay.benchmarks.ifeval.checks import CHECKS
from assay.engine.graders.instructions.following import Rulebook

RULEBOOK = Rulebook("IFEval", CHECKS)
