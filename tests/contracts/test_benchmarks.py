"""What every installed benchmark must keep, whoever wrote it."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Sequence
from dataclasses import fields
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.benchmark import (
    Benchmark,
    Card,
    Grade,
    HasDemoItems,
    HasEnvironment,
    Item,
    ItemId,
    ItemSet,
    Need,
    Services,
)
from assay.domain.calls.messages import Completion
from assay.domain.judging import Judging
from assay.engine.clock import SystemClock
from assay.engine.grading.grade import DirectGrader, verdict
from assay.engine.judging.judges import new_limiters, open_judges
from assay.engine.models.limits import CallLimits
from assay.engine.models.retry import RetryPolicy
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import Request
from tests.conftest import prepared

CATALOGUE = Catalogue.installed()
SNAPSHOTS = Path(__file__).parent / "prompt_snapshots.json"
LEAST_DEMO_ITEMS = 20
LEAST_CONVERSATIONS = 3

every_benchmark = pytest.mark.parametrize("name", CATALOGUE.names)
# Running programs takes long, and the variants of a benchmark that does so grade as it does.
# Graded in containers by tests of its own.
IN_CONTAINERS = "swe_bench_pro"
GRADED = [
    name
    for name in CATALOGUE.names
    if (":" not in name or Need.SANDBOX not in CATALOGUE.get(name).card.needs)
    and name.partition(":")[0] != IN_CONTAINERS
]
every_grader = pytest.mark.parametrize("name", GRADED)


@cache
def loaded(name: str) -> tuple[Benchmark, ItemSet]:
    benchmark = CATALOGUE.get(name)
    data = FileDataLibrary(Path("unused")).open(benchmark, "demo")
    return benchmark, benchmark.load(data.tables)


RUNNING: list[Services] = []


@pytest.fixture(autouse=True)
async def running_code(code_services: Services) -> AsyncGenerator[None]:
    """Where the programs of a test run, for graders that need it."""
    RUNNING.append(code_services)
    yield
    RUNNING.clear()


def grader(name: str) -> DirectGrader:
    benchmark = CATALOGUE.get(name)
    if Need.SANDBOX in benchmark.card.needs:
        if isinstance(benchmark, HasEnvironment):
            prepared(name, benchmark)
        return DirectGrader(benchmark, RUNNING[0])
    return judging_grader(name)


@cache
def judging_grader(name: str) -> DirectGrader:
    """With a simulated judge where one is needed; it compares with the expected answer."""
    benchmark = CATALOGUE.get(name)
    if Need.JUDGE not in benchmark.card.needs:
        return DirectGrader(benchmark, Services())
    clock = SystemClock()
    judges = open_judges(
        Judging(("sim/judge",)),
        HttpModelDirectory({}),
        clock=clock,
        limiter_of=new_limiters(CallLimits(), clock, maximum=1),
        retries=RetryPolicy(),
    )
    return DirectGrader(benchmark, Services(), judges=judges)


# Several tests give the same answers, and running programs takes long.
GRADES: dict[tuple[str, ItemId, str], Grade] = {}


async def graded(name: str, item: Item, answer: str) -> Grade:
    key = name, item.id, answer
    if key not in GRADES:
        GRADES[key] = await verdict(grader(name), item, Completion(answer))
    return GRADES[key]


def graded_items(name: str) -> Sequence[Item]:
    """All but where a test of its own solves each of them, which takes long."""
    items = loaded(name)[1].items
    return items[10::8] if name == "code_catalogue" else items


async def scores(name: str, answers: Sequence[str]) -> dict[ItemId, float]:
    """Score an answer to each item; side by side, since programs are waited for."""
    items = graded_items(name)
    pairs = zip(items, answers, strict=True)
    grades = await asyncio.gather(*(graded(name, item, answer) for item, answer in pairs))
    return {item.id: grade.score for item, grade in zip(items, grades, strict=True)}


def test_something_is_installed_and_nothing_is_broken() -> None:
    assert {"mmlu_pro", "ifeval"} <= set(CATALOGUE.names)
    assert CATALOGUE.broken == {}


@every_benchmark
def test_the_card_is_complete(name: str) -> None:
    card = CATALOGUE.get(name).card
    for field in fields(Card):
        value: object = getattr(card, field.name)
        if field.name not in {"paper", "needs", "deviations", "judge"}:
            assert value not in ("", None), field.name
    assert (card.judge is not None) is bool(card.needs & {Need.JUDGE, Need.USER_MODEL})
    assert card.source.is_included or len(card.source.revision) == 40
    assert 0 <= card.chance < 1
    assert card.typical_output_tokens[0] <= card.typical_output_tokens[1]
    assert card.mode == "official" or card.deviations, "a variant says how it differs"


@every_benchmark
def test_demo_items_are_enough_and_distinct(name: str) -> None:
    benchmark, item_set = loaded(name)
    assert isinstance(benchmark, HasDemoItems)
    assert len(item_set.items) >= (LEAST_DEMO_ITEMS if item_set.converse is None else LEAST_CONVERSATIONS)
    assert len({item.id for item in item_set.items}) == len(item_set.items)
    assert len({item.content_hash for item in item_set.items}) == len(item_set.items)
    # One question may be asked several times, with its options in orders that are drawn.
    questions = {item.cluster or item.id for item in item_set.items}
    # An agent learns from the user what the item is about.
    if Need.USER_MODEL not in benchmark.card.needs:
        assert len({item_set.prompt(item).text for item in item_set.items}) >= len(questions)


@every_grader
async def test_the_right_answer_scores_1_and_the_wrong_one_0(name: str) -> None:
    _, item_set = loaded(name)
    items = graded_items(name)
    cues = [item_set.cue(item) for item in items]
    right = [cue.right for cue in cues if cue.right is not None]
    wrong = [cue.wrong for cue in cues if cue.wrong is not None]
    ids = [item.id for item in items]
    assert await scores(name, right) == dict.fromkeys(ids, 1.0)
    assert await scores(name, wrong) == dict.fromkeys(ids, 0.0)


@every_grader
@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \n",
        "A" * 1_000_000,
        "answer is (" * 90_000,
        "word " * 200_000,
        "\n" * 1_000_000,
        "é\u0000🙂" * 200_000,
    ],
    ids=["empty", "blank", "one-letter-1MB", "phrase-1MB", "words-1MB", "newlines-1MB", "unicode-1MB"],
)
async def test_odd_answers_are_graded_and_do_not_raise(name: str, answer: str) -> None:
    item = loaded(name)[1].items[0]
    assert (await graded(name, item, answer)).outcome.is_verdict


async def mean_score(name: str, model: str) -> float:
    _, item_set = loaded(name)
    client = HttpModelDirectory({}).open(model)
    answers: list[str] = []
    for item in graded_items(name):
        cue = partial(item_set.cue, item)
        request = Request(item_set.prompt(item), CATALOGUE.get(name).card.generation, cue=cue)
        answers.append((await client.complete(request)).answer)
    await client.close()
    found = await scores(name, answers)
    return sum(found.values()) / len(found)


@every_grader
async def test_null_scores_nothing_and_the_oracle_everything(name: str) -> None:
    assert await mean_score(name, "sim/null") == 0.0
    assert await mean_score(name, "sim/oracle") == 1.0


@every_grader
@pytest.mark.parametrize("model", ["sim/echo", "sim/refuse", "sim/random"])
async def test_baselines_stay_at_or_below_chance(name: str, model: str) -> None:
    assert await mean_score(name, model) <= CATALOGUE.get(name).card.chance


@every_benchmark
def test_prompts_change_only_with_the_version(name: str) -> None:
    """Set ASSAY_UPDATE_SNAPSHOTS=1 to accept prompts that changed together with the card's version."""
    benchmark, item_set = loaded(name)
    digest = sha256(b"".join(prompts(item_set, item_set.items))).hexdigest()
    known: dict[str, dict[str, str]] = json.loads(SNAPSHOTS.read_text()) if SNAPSHOTS.exists() else {}
    snapshot = {"version": benchmark.card.version, "prompts_sha256": digest}
    if os.environ.get("ASSAY_UPDATE_SNAPSHOTS"):
        SNAPSHOTS.write_text(json.dumps(known | {name: snapshot}, indent=2, sort_keys=True) + "\n")
    else:
        assert known.get(name) == snapshot


def prompts(item_set: ItemSet, items: Sequence[Item]) -> list[bytes]:
    return [item_set.prompt(item).to_json().encode() for item in items]


def test_every_folder_has_its_entry_point() -> None:
    root = Path("src/assay/benchmarks")
    folders = {"_".join(path.parent.relative_to(root).parts) for path in root.rglob("card.toml")}
    assert folders == {name for name in CATALOGUE.names if ":" not in name}
