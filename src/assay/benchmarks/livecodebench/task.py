"""LiveCodeBench: problems of programming contests, solved by programs that must pass every test."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files

from assay.benchmarks.livecodebench.comparison import shortened
from assay.benchmarks.livecodebench.extraction import program_in
from assay.benchmarks.livecodebench.grading import ENVIRONMENT, NAME, Code, Ran, run_tests, source_of
from assay.benchmarks.livecodebench.packed_tests import PackedTests
from assay.benchmarks.livecodebench.prompts import chat_prompt
from assay.benchmarks.livecodebench.releases import SIZES, Selection, selection_named
from assay.benchmarks.livecodebench.rows import SPLIT, Problem, Test, problems
from assay.domain.benchmark import (
    Card,
    Cue,
    Environment,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Prepared,
    Result,
    Row,
    Services,
    Tables,
)
from assay.domain.calls.messages import Completion, Json, Prompt
from assay.domain.errors import BadRowError, DataError, GraderError
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate, pass_at_k, score_estimate
from assay.engine.planning.card import load_card
from assay.engine.planning.demo_items import DemoTables

_FOLDER = files("assay.benchmarks.livecodebench")
_MAX_PROGRAM_BYTES = 512 * 1024
_OFFICIAL_KS = (1, 5, 10)
# Shared by all variants, which ask the same problems.
_TESTS = PackedTests()


class LiveCodeBench:
    def __init__(self, card: Card, selection: Selection) -> None:
        self.card = card
        self._selection = selection

    @property
    def environment(self) -> Environment:
        return ENVIRONMENT

    @property
    def user_files(self) -> Mapping[str, str]:
        return {}

    def check_prepared(self, items: Sequence[Item], prepared: Prepared) -> None:
        """Never raises: few programs import numpy, and a container image may include it."""

    def variant(self, name: str) -> "LiveCodeBench | None":
        """The variant for any release and date range; None for other names."""
        selection = selection_named(name)
        return None if selection is None else _variant(self.card, name, selection)

    def load(self, tables: Tables) -> ItemSet:
        by_id: dict[str, Problem] = {}
        items: list[Item] = []
        for number, problem in enumerate(problems(tables), start=1):
            if problem.id in by_id:
                raise BadRowError(
                    f"split {SPLIT!r} of livecodebench",
                    number,
                    f"question_id {problem.id!r} is repeated",
                )
            if self._selection.has(problem.contest_date):
                items.append(_item(problem))
                by_id[problem.id] = replace(problem, public_tests="", private_tests="")

        def prompt(item: Item) -> Prompt:
            return chat_prompt(by_id[item.id])

        def cue(item: Item) -> Cue:
            return Cue(right=by_id[item.id].right, wrong=by_id[item.id].wrong)

        return ItemSet(tuple(items), prompt, cue)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        tests = _TESTS.of(item.id, str(item.fields["tests"]))
        if not tests:
            raise DataError(f"item {item.id!r} has no tests: any program would pass")
        program = program_in(completion.answer)
        unrun = _unrun(program)
        if unrun is not None:
            return unrun
        function = item.fields["function"]
        if function is not None and not isinstance(function, str):
            raise GraderError(f"item {item.id!r} names no function to call")
        source = source_of(program, function)
        ran = await run_tests(source, function, tests, services)
        return _graded(ran, program, source, tests)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        """pass@k for the k of the official script, over the items that have as many verdicts."""
        right: dict[ItemId, list[bool]] = defaultdict(list)
        for result in results:
            right[result.item_id].append(result.score == 1.0)
        estimates: dict[str, Estimate] = {}
        for k in _OFFICIAL_KS:
            values = [pass_at_k(len(one), sum(one), k) for one in right.values() if len(one) >= k]
            estimate = score_estimate(values, None)
            if estimate is not None:
                estimates[f"pass@{k}"] = estimate
        return estimates

    def replies(self, row: Row) -> tuple[str, Sequence[str]] | None:
        """Rows of the official runner's output: a problem with all replies to it."""
        item_id, found = row.get("question_id"), row.get("output_list")
        if not isinstance(item_id, str) or not isinstance(found, Sequence) or isinstance(found, str):
            return None
        return item_id, [str(reply) for reply in found]

    def demo_tables(self) -> Tables:
        return DemoTables(_FOLDER, {SPLIT: "demo.jsonl"})


def _item(problem: Problem) -> Item:
    return Item(
        ItemId(problem.id),
        {
            "title": problem.title,
            "question": problem.text,
            "starter_code": problem.starter_code,
            "platform": problem.platform,
            "contest_date": problem.contest_date.isoformat(),
            "function": problem.function,
            "tests": _TESTS.keep(problem),
        },
        category=problem.difficulty,
    )


def _unrun(program: str) -> Grade | None:
    if not program.strip():
        details: dict[str, Json] = {
            "error_code": Code.RUNTIME_ERROR.value,
            "error_message": "no program in the reply",
        }
        return Grade(
            Outcome.UNPARSED, 0.0, explanation="fewer than two lines with ``` in the reply", details=details
        )
    if len(program.encode("utf-8", "surrogatepass")) > _MAX_PROGRAM_BYTES:
        reason = f"the program is longer than {_MAX_PROGRAM_BYTES // 1024} KiB and was not run"
        details = {"error_code": Code.RUNTIME_ERROR.value, "error_message": reason}
        return Grade(Outcome.INCORRECT, 0.0, extracted=program, explanation=reason, details=details)
    return None


def _graded(ran: Ran, program: str, source: str, tests: Sequence[Test]) -> Grade:
    details: dict[str, Json] = {
        "tests": ran.tests,
        "passed": ran.passed,
        "cpu_s": ran.cpu_s,
        "wall_s": ran.wall_s,
    }
    if ran.failure is None:
        explanation = f"passed all {ran.tests} tests"
        return Grade(Outcome.CORRECT, 1.0, program, explanation, details, test_code=source)
    failure = ran.failure
    failed = tests[min(ran.passed, len(tests) - 1)]
    details["failed_case"] = {"input": shortened(failed.given), "expected": shortened(failed.expected)}
    details |= {"error_code": failure.code.value, "error_message": failure.message, **failure.details}
    explanation = f"test {ran.passed + 1} of {ran.tests}: {failure.message}"
    return Grade(Outcome.INCORRECT, 0.0, program, explanation, details, test_code=source)


def _variant(card: Card, name: str, selection: Selection) -> LiveCodeBench:
    renamed = replace(
        card,
        name=f"{NAME}:{name}",
        title=f"LiveCodeBench, {selection.title}",
        # The number of problems in a date range is known only with the data.
        size=SIZES[selection.release - 1],
        source=replace(card.source, files=card.source.files[: selection.release]),
    )
    return LiveCodeBench(renamed, selection)


benchmark = LiveCodeBench(load_card(_FOLDER), Selection())
