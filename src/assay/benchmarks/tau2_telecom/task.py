"""tau2-Bench Telecom: an agent of a phone company helps a simulated user, who has a phone of his own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from assay.benchmarks.tau2_telecom.dialogue import MOST_ERRORS, MOST_STEPS, Dialogue, tools_offered
from assay.benchmarks.tau2_telecom.grading import graded, pass_hat_ks
from assay.benchmarks.tau2_telecom.release import Release, World, load_release
from assay.benchmarks.tau2_telecom.reward import unsolvable
from assay.benchmarks.tau2_telecom.script import cue_of, whole_cue
from assay.benchmarks.tau2_telecom.tasks import TelecomTask, parse_task
from assay.domain.benchmark import (
    Ask,
    Card,
    Cue,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Judge,
    Result,
    Row,
    Services,
    Tables,
)
from assay.domain.calls.messages import Completion, Generation, Message, Prompt
from assay.domain.errors import DataError, DataMissingError, GraderError, InvalidValueError
from assay.domain.json_value import digest
from assay.domain.stats import Estimate
from assay.engine.planning.card import load_card
from assay.engine.ports import BenchmarkData

_FOLDER = Path(__file__).parent
_DEMO = _FOLDER / "demo"
_USER_GENERATION = Generation(temperature=0.0)


@dataclass(frozen=True, slots=True)
class ReleaseTables:
    """Carries the tasks and their world from `own_data` to `load`."""

    release: Release

    def rows(self, split: str) -> Iterator[Row]:
        raise DataMissingError(f"the tasks have no split {split!r}")


@dataclass(frozen=True, slots=True)
class _Known:
    """A task with the world that it belongs to."""

    task: TelecomTask
    world: World
    fault: str | None


@dataclass(frozen=True, slots=True)
class Tau2Telecom:
    """`split` is a list of the official file of splits; `policy` is `manual` or `workflow`."""

    card: Card
    split: str = "base"
    policy: str = "manual"
    # By content, since runs of different folders may be graded at the same time; variants share it.
    known: dict[str, _Known] = field(default_factory=dict[str, _Known])
    variants: Mapping[str, "Tau2Telecom"] = field(default_factory=dict[str, "Tau2Telecom"])

    @property
    def limits(self) -> str:
        return f"at most {MOST_STEPS} steps and {MOST_ERRORS} failed tool calls"

    def own_data(self, where: str) -> BenchmarkData:
        """`demo`, or a folder with the official files."""
        if where == "official":
            raise DataMissingError(
                "the tasks of tau2-bench come from their authors: get github.com/sierra-research/tau2-bench"
                " and name its folder with --data, or use --data demo"
            )
        if where == "demo":
            return _data(_demo(self.policy), f"demo:{self.card.version}")
        folder = Path(where).expanduser()
        release = load_release(folder, split=self.split, policy=self.policy)
        return _data(release, f"file:{folder.resolve().name}")

    def demo_tables(self) -> Tables:
        return ReleaseTables(_demo(self.policy))

    def load(self, tables: Tables) -> ItemSet:
        if not isinstance(tables, ReleaseTables):
            raise InvalidValueError(f"{self.card.name!r} reads a folder of the official files, not tables")
        world = tables.release.world
        items = tuple(_items(tables.release))
        for item in items:
            if item.content_hash not in self.known:
                task = parse_task(item.fields)
                self.known[item.content_hash] = _Known(task, world, unsolvable(task, world))
        first = Prompt((Message("system", world.agent_prompt),), tools_offered("assistant"))

        def cue(item: Item) -> Cue:
            one = self.known[item.content_hash]
            return whole_cue(one.task, world) if one.fault is None else Cue()

        async def conversation(item: Item, ask: Ask, services: Services) -> Completion:
            one = self.known[item.content_hash]
            if one.fault is not None:
                raise DataError(f"the task {one.task.id!r} cannot be run: {one.fault}")
            return await _converse(Dialogue(one.task, world), ask, services.required_user_model())

        return ItemSet(items, lambda _item: first, cue, converse=conversation)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:  # noqa: ARG002 - protocol
        one = self.known[item.content_hash]
        if one.fault is not None:
            raise DataError(f"the task {one.task.id!r} cannot be graded: {one.fault}")
        return graded(one.task, one.world, completion.answer)

    def unsupported(self, items: Sequence[Item]) -> Mapping[ItemId, str]:
        faults = {item.id: self.known[item.content_hash].fault for item in items}
        return {item_id: fault for item_id, fault in faults.items() if fault is not None}

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return pass_hat_ks(results)


async def _converse(dialogue: Dialogue, ask: Ask, user: Judge) -> Completion:
    """The transcript, once the user has ended the conversation or a limit is reached."""
    reasoning: list[str] = []
    last = Completion("")
    while dialogue.ended is None:
        prompt, cue = dialogue.prompt, cue_of(dialogue)
        if dialogue.speaker == "user":
            said = await user.ask(prompt, generation=_USER_GENERATION, cue=cue)
            if not said.answer.strip() and not said.tool_calls:
                raise GraderError(f"the model {user.model!r}, which plays the user, said nothing")
        else:
            said = last = await ask(prompt, cue=cue)
            reasoning += [said.reasoning] if said.reasoning else []
            if said.is_refused:
                break
        dialogue.take(said.answer, said.tool_calls)
    return replace(last, answer=dialogue.transcript(), reasoning="\n\n".join(reasoning), tool_calls=())


def _data(release: Release, revision: str) -> BenchmarkData:
    checksum = digest([item.content_hash for item in _items(release)])
    return BenchmarkData(ReleaseTables(release), revision, checksum)


def _items(release: Release) -> Iterator[Item]:
    world = release.world.digest()
    for row in release.rows:
        name = str(row.get("id"))
        kind = name[1:].partition("]")[0] if name.startswith("[") else None
        yield Item(ItemId(name), {**row, "world": world}, expected="a reward of 1", category=kind)


@cache
def _demo(policy: str) -> Release:
    return load_release(_DEMO, split="base", policy=policy)


def _variant(name: str, *, split: str = "base", policy: str = "manual") -> Tau2Telecom:
    return Tau2Telecom(load_card(_FOLDER, variant=name), split, policy)


benchmark = Tau2Telecom(
    load_card(_FOLDER),
    variants={
        "full": _variant("full", split="full"),
        "small": _variant("small", split="small"),
        "test": _variant("test", split="test"),
        "train": _variant("train", split="train"),
        "workflow": _variant("workflow", policy="workflow"),
    },
)
