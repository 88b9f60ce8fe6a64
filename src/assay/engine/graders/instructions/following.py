"""Which instructions of an item a response follows, to the letter and with the usual forgiveness."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assay.domain.errors import DataError
from assay.engine.graders.instructions.answer import Answer, variants, whole
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
        return self._followed(instruction, whole(response))

    def strict(self, instructions: Iterable[Instruction], response: str) -> tuple[bool, ...]:
        answer = whole(response)
        return tuple(self._followed(one, answer) for one in instructions)

    def loose(self, instructions: Iterable[Instruction], response: str) -> tuple[bool, ...]:
        """Forgives Markdown stars and an introduction or closing in the first or last line."""
        return self.verdicts(instructions, response)[1]

    def verdicts(
        self, instructions: Iterable[Instruction], response: str
    ) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Strict and loose at once: what is followed to the letter is followed loosely, and read once."""
        instructions = tuple(instructions)
        answer, *others = variants(response)
        strictly = tuple(self._followed(one, answer) for one in instructions)
        loosely = tuple(
            is_strict or any(self._followed(one, other) for other in others if not other.is_blank)
            for one, is_strict in zip(instructions, strictly, strict=True)
        )
        return strictly, loosely

    def _followed(self, instruction: Instruction, answer: Answer) -> bool:
        check = self.checks.get(instruction.id)
        if check is None:
            known = sorted(self.checks)
            raise DataError(f"no {self.title} instruction {instruction.id!r}; the known ones are {known}")
        # Blank responses are checked all the same, so that broken arguments show with every model.
        return check(answer, Arguments(instruction.id, instruction.kwargs)) and not answer.is_blank
