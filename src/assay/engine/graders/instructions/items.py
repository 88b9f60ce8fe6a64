"""Rows in the layout that IFEval introduced: a prompt, the ids of its instructions, and their arguments."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from assay.domain.benchmark import Cue, Item, ItemId, ItemSet, Row
from assay.domain.calls.messages import Json, Prompt
from assay.domain.errors import BadRowError, DataError
from assay.engine.graders.instructions.following import Instruction, Rulebook


def item_set(
    rows: Iterable[Row], rulebook: Rulebook, *, where: str, id_of: Callable[[Row], ItemId]
) -> ItemSet:
    """The items of the rows; `where` names them in errors."""
    items: list[Item] = []
    cues: dict[ItemId, Cue] = {}
    for number, row in enumerate(rows, start=1):
        try:
            item = _item(row, rulebook, id_of(row))
            cues[item.id] = Cue(right=_example(row, "_right"), wrong=_example(row, "_wrong"))
        except DataError as error:
            raise BadRowError(where, number, error.message) from error
        items.append(item)
    return ItemSet(tuple(items), _prompt, lambda item: cues.get(item.id, Cue()))


def instructions_of(row: Row, rulebook: Rulebook) -> tuple[Instruction, ...]:
    ids, arguments = _list(row, "instruction_id_list"), _list(row, "kwargs")
    if not ids:
        raise DataError("field 'instruction_id_list' must name at least one instruction")
    if len(arguments) != len(ids):
        raise DataError(f"field 'kwargs' must have an entry for each of {len(ids)}, not {len(arguments)}")
    return tuple(_instruction(name, given, rulebook) for name, given in zip(ids, arguments, strict=True))


def count_category(count: int) -> str:
    return "1 instruction" if count == 1 else f"{count} instructions"


def _prompt(item: Item) -> Prompt:
    return Prompt.of_user(_text(item.fields, "prompt"))


def _item(row: Row, rulebook: Rulebook, item_id: ItemId) -> Item:
    instructions = instructions_of(row, rulebook)
    # Wrong arguments, or a checker that is not installed, show here: before a model is paid for answers.
    rulebook.strict(instructions, "")
    fields: Row = {
        "prompt": _text(row, "prompt"),
        "instruction_id_list": list(_list(row, "instruction_id_list")),
        "kwargs": [_given(arguments) for arguments in _list(row, "kwargs")],
    }
    return Item(
        item_id,
        fields,
        expected="follows " + ", ".join(instruction.id for instruction in instructions),
        category=count_category(len(instructions)),
    )


def _instruction(name: Json, arguments: Json, rulebook: Rulebook) -> Instruction:
    if not isinstance(name, str) or name not in rulebook.checks:
        raise DataError(f"field 'instruction_id_list' names no {rulebook.title} instruction with {name!r}")
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
