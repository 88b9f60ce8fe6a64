"""Which instructions of an item a response follows, to the letter and with the usual forgiveness."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assay.domain.errors import DataError
from assay.engine.graders.instructions.arguments import Arguments, Check


@dataclass(frozen=True, slots=True)
class Instruction:
    """One verifiable instruction of an item; `kwargs` whose value is None count as absent."""

    id: str
    kwargs: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The instructions that a benchmark knows, with the check for each."""

    title: str
    checks: Mapping[str, Check]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(self.checks)

    def followed(self, instruction: Instruction, response: str) -> bool:
        check = self.checks.get(instruction.id)
        if check is None:
            known = sorted(self.checks)
            raise DataError(f"no {self.title} instruction {instruction.id!r}; the known ones are {known}")
        # Blank responses are checked all the same, so that broken arguments show with every model.
        return check(response, Arguments(instruction.id, instruction.kwargs)) and bool(response.strip())

    def strict(self, instructions: Iterable[Instruction], response: str) -> tuple[bool, ...]:
        return tuple(self.followed(instruction, response) for instruction in instructions)

    def loose(self, instructions: Iterable[Instruction], response: str) -> tuple[bool, ...]:
        """Forgives Markdown stars and an introduction or closing in the first or last line."""
        return self.verdicts(instructions, response)[1]

    def verdicts(
        self, instructions: Iterable[Instruction], response: str
    ) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Strict and loose: what is followed strictly is followed loosely as well."""
        instructions = tuple(instructions)
        strictly = self.strict(instructions, response)
        others = _variants(response)[1:]
        loosely = tuple(
            is_strict or any(self.followed(instruction, other) for other in others)
            for instruction, is_strict in zip(instructions, strictly, strict=True)
        )
        return strictly, loosely


def _variants(response: str) -> tuple[str, ...]:
    """The response; without its first line, its last, both; and each of these without stars."""
    lines = response.split("\n")
    parts = ("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))
    plain = (response, *parts)
    return tuple(dict.fromkeys((*plain, *(text.replace("*", "") for text in plain))))
