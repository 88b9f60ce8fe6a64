"""IFEval: prompts whose instructions a program can verify, such as "use no commas" or "answer in French"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from assay.benchmarks.ifeval.following import INSTRUCTION_IDS, Instruction, loose, strict
from assay.domain.benchmark import Card, Cue, Grade, Item, ItemId, ItemSet, Result, Row, Services, Tables
from assay.domain.errors import BadRowError, DataError
from assay.domain.messages import Completion, Json, Prompt
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate, score_estimate
from assay.engine.card import load_card
from assay.engine.samples import SampleTables

_FOLDER = files("assay.benchmarks.ifeval")
_SPLIT = "train"


@dataclass(frozen=True, slots=True)
class IFEval:
    card: Card

    def load(self, tables: Tables) -> ItemSet:
        items: list[Item] = []
        cues: dict[ItemId, Cue] = {}
        for number, row in enumerate(tables.rows(_SPLIT), start=1):
            try:
                item = _item(row)
                cues[item.id] = Cue(right=_example(row, "_right"), wrong=_example(row, "_wrong"))
            except DataError as error:
                raise BadRowError(f"{self.card.name}, split {_SPLIT!r}", number, error.message) from error
            items.append(item)
        return ItemSet(tuple(items), _prompt, lambda item: cues.get(item.id, Cue()))

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:  # noqa: ARG002 - protocol
        instructions = _instructions(item.fields)
        ids = [instruction.id for instruction in instructions]
        strictly = strict(instructions, completion.answer)
        loosely = loose(instructions, completion.answer)
        return Grade(
            Outcome.CORRECT if all(strictly) else Outcome.INCORRECT,
            float(all(strictly)),
            explanation=_explanation(ids, strictly, loosely),
            details={"instructions": ids, "strict": list(strictly), "loose": list(loosely)},
        )

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        """The four official figures; the instructions of one prompt are not independent of each other."""
        estimates: dict[str, Estimate | None] = {}
        for mode in ("strict", "loose"):
            verdicts = [(result.item_id, _verdicts(result, mode)) for result in results]
            estimates[f"prompt_{mode}"] = score_estimate(
                [float(all(followed)) for _, followed in verdicts], [item_id for item_id, _ in verdicts]
            )
            estimates[f"instruction_{mode}"] = score_estimate(
                [float(one) for _, followed in verdicts for one in followed],
                [item_id for item_id, followed in verdicts for _ in followed],
            )
        return {name: estimate for name, estimate in estimates.items() if estimate is not None}

    def samples(self) -> Tables:
        return SampleTables(_FOLDER, {_SPLIT: "samples.jsonl"})


def _prompt(item: Item) -> Prompt:
    return Prompt.of_user(_text(item.fields, "prompt"))


def _item(row: Row) -> Item:
    key = row.get("key")
    if not isinstance(key, int) or isinstance(key, bool):
        raise DataError(f"field 'key' must be a whole number, not {key!r}")
    instructions = _instructions(row)
    # Wrong arguments, or a checker that is not installed, show here: before a model is paid for answers.
    strict(instructions, "")
    fields: Row = {
        "prompt": _text(row, "prompt"),
        "instruction_id_list": list(_list(row, "instruction_id_list")),
        "kwargs": [_given(arguments) for arguments in _list(row, "kwargs")],
    }
    return Item(
        ItemId(str(key)),
        fields,
        expected="follows " + ", ".join(instruction.id for instruction in instructions),
        category=_category(len(instructions)),
    )


def _instructions(row: Row) -> tuple[Instruction, ...]:
    ids, arguments = _list(row, "instruction_id_list"), _list(row, "kwargs")
    if not ids:
        raise DataError("field 'instruction_id_list' must name at least one instruction")
    if len(arguments) != len(ids):
        raise DataError(f"field 'kwargs' must have an entry for each of {len(ids)}, not {len(arguments)}")
    return tuple(map(_instruction, ids, arguments))


def _instruction(name: Json, arguments: Json) -> Instruction:
    if not isinstance(name, str) or name not in INSTRUCTION_IDS:
        raise DataError(f"field 'instruction_id_list' names no IFEval instruction with {name!r}")
    return Instruction(name, _given(arguments))


def _given(arguments: Json) -> Mapping[str, Json]:
    """The arguments with a value: Parquet rows name those of every other instruction as well."""
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise DataError(f"field 'kwargs' must hold objects, not {arguments!r}")
    return {name: value for name, value in arguments.items() if value is not None}


def _list(row: Row, field: str) -> Sequence[Json]:
    value = row.get(field)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise DataError(f"field {field!r} must be a list, not {value!r}")
    return value


def _text(row: Row, field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"field {field!r} must be a text that is not empty, not {value!r}")
    return value


def _example(row: Row, field: str) -> str | None:
    """The answer that our own rows carry for the simulated models; official rows have none."""
    return _text(row, field) if row.get(field) is not None else None


def _category(count: int) -> str:
    return "1 instruction" if count == 1 else f"{count} instructions"


def _explanation(ids: Sequence[str], strictly: Sequence[bool], loosely: Sequence[bool]) -> str:
    if all(strictly):
        return f"followed {'the instruction' if len(ids) == 1 else f'all {len(ids)} instructions'}"
    broken = [
        f"{name} (only loosely followed)" if is_loose else name
        for name, is_strict, is_loose in zip(ids, strictly, loosely, strict=True)
        if not is_strict
    ]
    return f"followed {sum(strictly)} of {_category(len(ids))}; not followed: {', '.join(broken)}"


def _verdicts(result: Result, mode: Literal["strict", "loose"]) -> Sequence[bool]:
    verdicts = result.details.get(mode)
    if isinstance(verdicts, Sequence) and verdicts:
        return [verdict is True for verdict in verdicts]
    # Refused and cut replies are not graded: none was followed, and only the category tells of how many.
    count = int(result.category.split()[0]) if result.category else 1
    return [False] * count


benchmark = IFEval(load_card(_FOLDER))
