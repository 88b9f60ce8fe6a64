"""IFBench: 58 instructions that models have not trained on, verified by a program as IFEval's are."""

from importlib.resources import files

from assay.benchmarks.ifbench.following import RULEBOOK
from assay.domain.benchmark import ItemId, Row
from assay.domain.errors import DataError
from assay.engine.graders.instructions.benchmark import InstructionBenchmark


def _key(row: Row) -> ItemId:
    """A text in the official file; a copy that made it a number names the same item."""
    key = row.get("key")
    if isinstance(key, bool) or not isinstance(key, str | int) or not str(key):
        raise DataError(f"field 'key' must be a text that is not empty, not {key!r}")
    return ItemId(str(key))


benchmark = InstructionBenchmark.in_folder(
    files("assay.benchmarks.ifbench"), RULEBOOK, id_of=_key, decided_by="loose"
)
