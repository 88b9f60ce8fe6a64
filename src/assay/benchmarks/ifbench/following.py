"""The official IFBench verdicts: which instructions of an item a response follows."""

from assay.benchmarks.ifbench.checks import CHECKS
from assay.engine.graders.instructions.following import Rulebook

RULEBOOK = Rulebook("IFBench", CHECKS)
