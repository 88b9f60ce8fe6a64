"""LiveCodeBench against official replies, and against the verdicts and error codes of the official script."""

import asyncio
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.benchmarks.livecodebench.extraction import program_in
from assay.benchmarks.livecodebench.grading import TIME_LIMIT_S, Code, Ran, run_tests, source_of
from assay.benchmarks.livecodebench.rows import Test
from assay.benchmarks.livecodebench.task import benchmark
from assay.domain.benchmark import ItemId, Result, Row, Services
from assay.domain.calls.messages import Json
from assay.domain.outcome import Outcome
from tests.conftest import prepared

pytestmark = pytest.mark.official
AT_ONCE = 2


@pytest.fixture(scope="module")
def folder(official: Path) -> Path:
    return official / "livecodebench"


def rows(path: Path) -> list[dict[str, Json]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def replies(folder: Path) -> list[dict[str, Json]]:
    return [row for path in sorted(folder.glob("official_eval_*.jsonl.gz")) for row in rows(path)]


def texts(row: dict[str, Json], field: str) -> list[str]:
    return cast("list[str]", row[field])


def test_every_reply_gives_the_official_program(replies: list[dict[str, Json]]) -> None:
    assert len(replies) >= 880
    for row in replies:
        assert [program_in(reply) for reply in texts(row, "output_list")] == texts(row, "code_list")


def test_pass_at_1_is_the_official_one(replies: list[dict[str, Json]]) -> None:
    results = [
        Result(ItemId(str(row["question_id"])), sample, Outcome.CORRECT, float(right), None, None, {})
        for row in replies
        for sample, right in enumerate(cast("list[bool]", row["graded_list"]))
    ]
    official = sum(float(str(row["pass@1"])) for row in replies) / len(replies)
    assert benchmark.metrics(results)["pass@1"].value == pytest.approx(official)


@dataclass(frozen=True, slots=True)
class Problems:
    """The official rows' dates and starter code, with tests of no consequence."""

    found: list[dict[str, Json]]

    def rows(self, split: str) -> Iterator[Row]:
        del split
        for row in self.found:
            absent = {"question_title": "t", "question_content": f"q {row['question_id']}"}
            no_tests = {"metadata": "{}", "public_test_cases": "[]", "private_test_cases": "[]"}
            yield {**absent, **row, **no_tests}


def test_the_window_that_is_reported_on_holds_315_problems_of_release_5(
    replies: list[dict[str, Json]],
) -> None:
    release = benchmark.variant("v5")
    window = benchmark.variant("v5_2024-07-01_2025-01-01")
    assert release is not None
    assert window is not None
    assert len(release.load(Problems(replies)).items) == release.card.size == 880
    assert len(window.load(Problems(replies)).items) == 315


def test_prompts_of_the_official_examples(folder: Path) -> None:
    """The examples of the official runner are rows with a question and, for functions, starter code."""
    for name, field in (("fewshot_func.json", "sample_code"), ("fewshot_stdin.json", None)):
        for number, example in enumerate(json.loads((folder / name).read_text(encoding="utf-8"))):
            row: dict[str, Json] = {
                **next(iter(benchmark.demo_tables().rows("test"))),
                "question_id": f"{name}-{number}",
                "question_content": example["question"],
                "starter_code": example[field] if field else "",
            }
            item_set = benchmark.load(Problems([row]))
            shown = item_set.prompt(item_set.items[0]).messages[-1].text
            assert shown.startswith(f"### Question:\n{example['question']}\n\n### Format: ")
            assert (f"```python\n{example[field]}\n```" if field else "# YOUR CODE HERE") in shown


async def test_programs_end_as_they_did_officially(folder: Path, code_services: Services) -> None:
    """Verdict, error code and message: of all that crashed or took too long, and of half of the others."""
    # A Python with numpy, which a few of the programs import.
    prepared(benchmark.card.name, benchmark)
    found = rows(folder / "executable_verdicts.jsonl.gz")
    assert len(found) >= 457
    common = (None, Code.WRONG_ANSWER)
    rare = [row for row in found if row["official_error_code"] not in common]
    found = [*rare, *[row for row in found if row["official_error_code"] in common][::2]]
    # Those that run into the time limit take longest: they are begun first.
    found.sort(key=lambda row: row["official_error_code"] != Code.TIME_LIMIT)
    wrong = await differences(found, code_services, at_once=AT_ONCE)
    # A second try, by itself, tells a slow program from a busy machine.
    assert await differences([row for row, _ in wrong], code_services, at_once=1) == []


async def differences(found: Sequence[Row], services: Services, *, at_once: int) -> list[tuple[Row, str]]:
    queue = iter(found)
    wrong: list[tuple[Row, str]] = []

    async def work() -> None:
        for row in queue:
            fault = await difference(row, services)
            if fault:
                wrong.append((row, fault))

    await asyncio.gather(*(work() for _ in range(at_once)))
    return wrong


async def difference(row: Row, services: Services) -> str | None:
    tests = cast("dict[str, list[str]]", row["io"])
    function = cast("str | None", cast("dict[str, Json]", row["io"])["fn_name"])
    pairs = [Test(one, other) for one, other in zip(tests["inputs"], tests["outputs"], strict=True)]
    program = str(row["code"])
    ran = await run_tests(source_of(program, function), function, pairs, services)
    if row["official_error_code"] == Code.TIME_LIMIT and ran.failure is None and is_near_limit(ran):
        return None
    code = ran.failure.code.value if ran.failure else None
    message = ran.failure.message if ran.failure else None
    if (ran.failure is None, code) != (row["official_verdict"], row["official_error_code"]):
        return f"{row['question_id']}: {code}, officially {row['official_error_code']}"
    if message != row.get("head_message"):
        return f"{row['question_id']}: {message!r}, officially {row.get('head_message')!r}"
    return None


def is_near_limit(ran: Ran) -> bool:
    """Whether only the speed of the machine, which the official script does not tell, decides."""
    return ran.cpu_s is not None and ran.cpu_s > TIME_LIMIT_S / 4


def test_a_file_in_the_official_layout_is_data(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    lines = [json.dumps(dict(row)) for row in benchmark.demo_tables().rows("test")]
    path.write_text("\n".join(lines), encoding="utf-8")
    data = FileDataLibrary(tmp_path, offline=True).open(benchmark, str(path))
    assert len(benchmark.load(data.tables).items) == len(lines)
