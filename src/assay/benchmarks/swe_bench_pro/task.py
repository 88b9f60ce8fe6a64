"""SWE-Bench Pro: changes to repositories, made by an agent and judged by the projects' own tests."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from assay.benchmarks.swe_bench_pro.agent import COMMAND_S
from assay.benchmarks.swe_bench_pro.evaluation import Evaluation, evaluated, image_of
from assay.benchmarks.swe_bench_pro.grading import graded, nothing_changed, patch_in
from assay.benchmarks.swe_bench_pro.instances import Instance, load_instances
from assay.benchmarks.swe_bench_pro.prompts import first_prompt
from assay.benchmarks.swe_bench_pro.repository import changes, forget_the_future
from assay.benchmarks.swe_bench_pro.working import LIMITS, official, own
from assay.domain.benchmark import Ask, Card, Cue, Grade, Item, ItemId, ItemSet, Row, Services, Tables
from assay.domain.calls.messages import Completion, Json, Prompt, Usage
from assay.domain.calls.transcript import transcript_text
from assay.domain.errors import DataError, DataMissingError, InvalidValueError
from assay.domain.json_value import digest
from assay.domain.programs.containers import Containers, ContainerSpec
from assay.engine.planning.card import load_card
from assay.engine.ports import BenchmarkData

_FOLDER = files("assay.benchmarks.swe_bench_pro")
_DEMO = Path(__file__).parent / "demo_tasks"


@dataclass(frozen=True, slots=True)
class InstanceTables:
    """Carries the instances from `own_data` to `load`."""

    instances: tuple[Instance, ...]

    def rows(self, split: str) -> Iterator[Row]:
        raise DataMissingError(f"the instances have no split {split!r}")


@dataclass(frozen=True, slots=True)
class SelfTests:
    """Whether the authors' own patch passes here, found once per instance and process."""

    found: dict[str, Evaluation] = field(default_factory=dict[str, Evaluation])
    locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def require(self, instance: Instance, containers: Containers, *, has_network: bool) -> None:
        """Raises DataError before anything is spent on an instance that nobody could solve here."""
        key = f"{instance.digest} {has_network}"
        async with self.locks[key]:
            if key not in self.found:
                self.found[key] = await evaluated(
                    instance, instance.patch, containers, has_network=has_network
                )
        one = self.found[key]
        if one.ended != "ok" or not one.tests.is_solved:
            missing = ", ".join(one.tests.missing[:3])
            raise DataError(
                f"the authors' own patch of {instance.id!r} does not pass its tests here"
                f" ({one.ended}; not passed: {missing}): the instance is left out"
            )


@dataclass(frozen=True, slots=True)
class SweBenchPro:
    card: Card
    has_network: bool = True
    self_tests: SelfTests = field(default_factory=SelfTests)
    # By content, since runs of different folders may be graded at the same time; variants share it.
    instances: dict[str, Instance] = field(default_factory=dict[str, Instance])
    variants: Mapping[str, "SweBenchPro"] = field(default_factory=dict[str, "SweBenchPro"])

    @property
    def limits(self) -> str:
        return f"at most {LIMITS.steps} replies, {LIMITS.wall_s:g} s, {COMMAND_S:g} s for a command"

    @property
    def agent_limits(self) -> str:
        return f"own agent, at most {LIMITS.steps} calls, {LIMITS.wall_s:g} s"

    def own_data(self, where: str) -> BenchmarkData:
        """`demo`, or a folder with the rows and the authors' scripts."""
        if where == "official":
            raise DataMissingError(
                "the instances of SWE-Bench Pro come from their authors: get"
                " github.com/scaleapi/SWE-bench_Pro-os, put the rows of ScaleAI/SWE-bench_Pro into its"
                " instances.jsonl and name the folder with --data, or use --data demo"
            )
        if where == "demo":
            return _data(_demo(), f"demo:{self.card.version}")
        folder = Path(where).expanduser()
        return _data(load_instances(folder), f"file:{folder.resolve().name}")

    def demo_tables(self) -> Tables:
        return InstanceTables(_demo())

    def load(self, tables: Tables) -> ItemSet:
        if not isinstance(tables, InstanceTables):
            raise InvalidValueError(f"{self.card.name!r} reads a folder of instances, not tables")
        by_id = {ItemId(one.id): one for one in tables.instances}
        self.instances.update({_item(one).content_hash: one for one in tables.instances})

        def prompt(item: Item) -> Prompt:
            return Prompt.of_user(first_prompt(by_id[item.id].problem, command_s=COMMAND_S))

        def cue(item: Item) -> Cue:
            return Cue(right=by_id[item.id].patch, wrong=transcript_text([], patch=""))

        async def conversation(item: Item, ask: Ask, services: Services) -> Completion:
            return await self._attempt(by_id[item.id], ask, services)

        return ItemSet(tuple(map(_item, tables.instances)), prompt, cue, converse=conversation)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        found = patch_in(completion.answer)
        if not found.patch.strip():
            return nothing_changed(found)
        instance = self.instances[item.content_hash]
        if instance.fault is not None:
            raise DataError(f"the instance {instance.id!r} cannot be evaluated: {instance.fault}")
        evaluation = await evaluated(
            instance, found.patch, services.required_containers(), has_network=self.has_network
        )
        return graded(found, evaluation)

    def unsupported(self, items: Sequence[Item]) -> Mapping[ItemId, str]:
        faults = {item.id: self.instances[item.content_hash].fault for item in items}
        return {item_id: fault for item_id, fault in faults.items() if fault is not None}

    def replies(self, row: Row) -> tuple[str, Sequence[str]] | None:
        """Rows of predictions as SWE-bench's tools write them."""
        patch = row.get("model_patch", row.get("patch"))
        if not isinstance(row.get("instance_id"), str) or not isinstance(patch, str):
            return None
        return str(row["instance_id"]), [patch]

    async def _attempt(self, instance: Instance, ask: Ask, services: Services) -> Completion:
        """The authors' patch is tried before the first call; then the agent works without a network."""
        if instance.fault is not None:
            raise DataError(f"the instance {instance.id!r} cannot be evaluated: {instance.fault}")
        containers = services.required_containers()
        await self.self_tests.require(instance, containers, has_network=self.has_network)
        working = official(instance, ask) if services.agent is None else own(instance, ask, services.agent)
        image = await image_of(instance, containers)
        began = time.monotonic()
        async with await containers.open(ContainerSpec(image, hostname="task", workdir="/app")) as container:
            base = await forget_the_future(container, instance.base_commit)
            worked = await working(container)
            patch = await changes(container, base)
        sandbox_s = time.monotonic() - began
        facts: dict[str, Json] = {
            "patch": patch,
            "agent_ended": worked.ended,
            "steps": worked.calls,
            "agent_s": round(worked.used_s, 3),
            "sandbox_s": round(sandbox_s, 3),
            "sandbox": container.confinement.to_json(),
            **worked.facts,
        }
        answer = transcript_text(worked.messages, **facts)
        return Completion(answer, finish_reason="stop", usage=Usage(sandbox_s=sandbox_s))


def _data(instances: tuple[Instance, ...], revision: str) -> BenchmarkData:
    return BenchmarkData(InstanceTables(instances), revision, digest([one.digest for one in instances]))


@cache
def _demo() -> tuple[Instance, ...]:
    return load_instances(_DEMO)


def _item(instance: Instance) -> Item:
    fields: Row = {
        "repo": instance.repo,
        "language": instance.language,
        "base_commit": instance.base_commit,
        "problem": instance.problem,
        "evaluation": instance.digest,
    }
    required = len({*instance.fail_to_pass, *instance.pass_to_pass})
    return Item(
        ItemId(instance.id),
        fields,
        expected=f"passes {required} required tests",
        category=instance.language,
    )


benchmark = SweBenchPro(load_card(_FOLDER))
benchmark = replace(
    benchmark,
    variants={"offline": replace(benchmark, card=load_card(_FOLDER, variant="offline"), has_network=False)},
)
