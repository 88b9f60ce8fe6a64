"""The official IFEval verdicts: which instructions of an item a response follows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assay.benchmarks.ifeval.checks import CHECKS
from assay.benchmarks.ifeval.checks.arguments import Arguments
from assay.domain.errors import DataError

INSTRUCTION_IDS = frozenset(CHECKS)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One verifiable instruction of an item; `kwargs` whose value is None count as absent."""

    id: str
    kwargs: Mapping[str, object] = field(default_factory=dict[str, object])


def followed(instruction: Instruction, response: str) -> bool:
    check = CHECKS.get(instruction.id)
    if check is None:
        raise DataError(f"no IFEval instruction {instruction.id!r}; the known ones are {sorted(CHECKS)}")
    # Blank responses are checked all the same, so that broken arguments show with every model.
    return check(response, Arguments(instruction.id, instruction.kwargs)) and bool(response.strip())


def strict(instructions: Iterable[Instruction], response: str) -> tuple[bool, ...]:
    return tuple(followed(instruction, response) for instruction in instructions)


def loose(instructions: Iterable[Instruction], response: str) -> tuple[bool, ...]:
    """Forgives Markdown stars and an introduction or closing in the first or last line."""
    variants = _variants(response)
    return tuple(any(followed(instruction, variant) for variant in variants) for instruction in instructions)


def _variants(response: str) -> tuple[str, ...]:
    lines = response.split("\n")
    parts = ("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))
    plain = (response, *parts)
    return tuple(dict.fromkeys((*plain, *(text.replace("*", "") for text in plain))))
