"""IFEval: prompts whose instructions a program can verify, such as "use no commas" or "answer in French"."""

from importlib.resources import files

from assay.benchmarks.ifeval.following import RULEBOOK
from assay.domain.benchmark import ItemId, Row
from assay.domain.errors import DataError
from assay.engine.graders.instructions.benchmark import InstructionBenchmark


def _key(row: Row) -> ItemId:
    key = row.get("key")
    if not isinstance(key, int) or isinstance(key, bool):
        raise DataError(f"field 'key' must be a whole number, not {key!r}")
    return ItemId(str(key))


benchmark = InstructionBenchmark.in_folder(
    files("assay.benchmarks.ifeval"), RULEBOOK, id_of=_key, decided_by="strict"
)
