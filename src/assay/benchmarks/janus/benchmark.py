"""What the Janus benchmarks share: tasks to items, prompts, and grading by the type of a task."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from assay.benchmarks.janus.task_file import PACKAGED, SPLIT, task_data
from assay.domain.benchmark import Card, Cue, Grade, Item, ItemId, ItemSet, Row, Services, Tables
from assay.domain.calls.messages import Audio, Completion, Image, Message, Prompt, Role
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json
from assay.engine.ports import BenchmarkData


@dataclass(frozen=True, slots=True)
class TaskKind:
    """How tasks of one type are asked and graded; each function gets the task as it stands in its file."""

    # Follows the question: which form the reply must have.
    protocol: Callable[[Row], str]
    grade: Callable[[Row, Completion], Grade]
    cue: Callable[[Row], Cue]


@dataclass(frozen=True, slots=True)
class JanusBenchmark:
    card: Card
    kinds: Mapping[str, TaskKind]

    def own_data(self, where: str) -> BenchmarkData:
        return self.checked(task_data(self.card, where, self.kinds), where)

    def checked(self, data: BenchmarkData, where: str) -> BenchmarkData:
        """Raises InvalidValueError for a task of the user's that its own expected answer does not solve."""
        own = () if where in PACKAGED else self.load(data.tables).items
        for item in own:
            kind = self._kind(item)
            grade = kind.grade(item.fields, Completion(kind.cue(item.fields).right or ""))
            if grade.score < 1:
                raise InvalidValueError(
                    f"task {item.id!r} of {where!r} cannot be solved: its expected answer is graded"
                    f" {grade.outcome.value} ({grade.explanation})"
                )
        return data

    def demo_tables(self) -> Tables:
        return self.own_data("demo").tables

    def load(self, tables: Tables) -> ItemSet:
        def prompt(item: Item) -> Prompt:
            return task_prompt(item.fields, self._kind(item).protocol(item.fields))

        def cue(item: Item) -> Cue:
            return self._kind(item).cue(item.fields)

        return ItemSet(tuple(map(task_item, tables.rows(SPLIT))), prompt, cue)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        del services  # every kind is graded by rules
        return self._kind(item).grade(item.fields, completion)

    def _kind(self, item: Item) -> TaskKind:
        return self.kinds[str(item.fields["task_type"])]


def task_item(task: Row) -> Item:
    return Item(ItemId(str(task["id"])), task, expected=shown_answer(task), category=str(task["task_type"]))


def shown_answer(task: Row) -> str | None:
    """The expected answer for people; None if the task is graded by rules alone."""
    expected = task.get("expected_answer")
    if isinstance(expected, Mapping):
        return "\n".join(f"{label}: {value_text(value)}" for label, value in expected.items())
    if expected is not None:
        return value_text(expected)
    return "; ".join(wordings[0] for wordings in expected_facts(task)) or None


def expected_facts(task: Row) -> list[list[str]]:
    """For each fact the wordings of which one is enough."""
    facts = cast("Sequence[str | list[str]]", task.get("expected_facts", task.get("expected_keywords", ())))
    return [[fact] if isinstance(fact, str) else fact for fact in facts]


def value_text(value: Json) -> str:
    """A value as a right reply writes it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "; ".join(map(value_text, value))
    return str(value)


def task_prompt(task: Row, protocol: str) -> Prompt:
    """Pictures and sound, documents under their titles, the question, and the form of the reply."""
    text = "\n\n".join([*_documents(task), question(task), *([protocol] if protocol else [])])
    media: list[Image | Audio] = [
        Image(url) for url in _texts(task.get("images")) + _texts([task.get("image_url")])
    ]
    if "audio" in task:
        audio = cast("Mapping[str, str]", task["audio"])
        media.append(Audio(audio["data"], audio["format"]))
    earlier = [
        Message(cast("Role", one["role"]), one["content"])
        for one in cast("Sequence[Mapping[str, str]]", task.get("messages", ()))
    ]
    return Prompt((*earlier, Message("user", (*media, text) if media else text)))


def question(task: Row) -> str:
    claim = task.get("claim")
    return f"Is this claim true?\n{claim}" if claim else str(task.get("query") or task["prompt"])


def _documents(task: Row) -> list[str]:
    documents = cast("Sequence[Mapping[str, str]]", task.get("documents", ()))
    return [
        f"Document {number}: {one['title']}\n{one['text']}" for number, one in enumerate(documents, start=1)
    ]


def _texts(value: Json) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
