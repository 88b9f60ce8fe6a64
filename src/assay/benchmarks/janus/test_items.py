"""The tasks that come with Assay: as many as the suite has, and not answered by their own prompts."""

import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import pytest

from assay.benchmarks.janus.answer_lines import answer_cue, expected_values
from assay.benchmarks.janus.benchmark import JanusBenchmark, expected_facts, value_text
from assay.benchmarks.janus.cost.task import benchmark as cost
from assay.benchmarks.janus.facts import Statements
from assay.benchmarks.janus.multimodal.task import benchmark as multimodal
from assay.benchmarks.janus.research.task import benchmark as research
from assay.benchmarks.janus.streaming.task import benchmark as streaming
from assay.benchmarks.janus.tool_use.task import benchmark as tool_use
from assay.benchmarks.janus.tools.calls import final_text
from assay.domain.benchmark import Services
from assay.domain.calls.messages import Completion, Message
from assay.domain.calls.transcript import transcript_in, transcript_text
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome

COUNTS = {
    "janus_cost": {
        "concise_response": 15,
        "efficient_explanation": 10,
        "minimal_tools": 10,
        "direct_answer": 5,
    },
    "janus_research": dict.fromkeys(
        ("fact_verification", "current_events", "comparative", "synthesis", "deep_dive"), 20
    ),
    "janus_streaming": {"short": 20, "long": 20, "reasoning": 10},
}
# Figures below stand in any text.
_SMALL = 10
every_benchmark = pytest.mark.parametrize(
    "benchmark", [cost, research, streaming], ids=lambda one: one.card.name
)


@every_benchmark
def test_there_are_as_many_tasks_of_each_type_as_the_suite_has(benchmark: JanusBenchmark) -> None:
    items = benchmark.load(benchmark.demo_tables()).items
    assert Counter(item.category for item in items) == COUNTS[benchmark.card.name]
    assert len(items) == benchmark.card.size


def test_half_of_the_claims_are_false_and_their_figures_are_not_in_the_documents() -> None:
    item_set = research.load(research.demo_tables())
    claims = [item for item in item_set.items if item.category == "fact_verification"]
    assert Counter(expected_values(item.fields)["Verdict"] for item in claims) == {True: 10, False: 10}
    for item in claims:
        figure, _ = expected_values(item.fields).values()
        text = item_set.prompt(item).text
        is_stated = figure in text if isinstance(figure, str) else Statements(text).state(str(figure))
        assert not is_stated, item.id


def test_most_figures_of_research_must_be_worked_out() -> None:
    item_set = research.load(research.demo_tables())
    figures: list[bool] = []
    for item in item_set.items:
        statements = Statements(item_set.prompt(item).text)
        values = expected_values(item.fields).values()
        figures += [
            statements.state(str(value))
            for value in values
            if isinstance(value, int | float) and value >= _SMALL
        ]
    assert len(figures) > 100
    assert sum(figures) / len(figures) < 0.2


@every_benchmark
def test_no_prompt_states_the_facts_that_its_reply_must_state(benchmark: JanusBenchmark) -> None:
    item_set = benchmark.load(benchmark.demo_tables())
    for item in item_set.items:
        statements = Statements(item_set.prompt(item).text)
        for wordings in expected_facts(item.fields):
            assert not any(map(statements.state, wordings)), (item.id, wordings)


@every_benchmark
def test_no_task_depends_on_the_day_or_on_the_network(benchmark: JanusBenchmark) -> None:
    item_set = benchmark.load(benchmark.demo_tables())
    for item in item_set.items:
        text = item_set.prompt(item).text.casefold()
        assert "http" not in text
        assert not re.search(r"\b(current|currently|latest news|nowadays)\b", text), item.id


@every_benchmark
async def test_a_general_reply_earns_nothing(benchmark: JanusBenchmark) -> None:
    item_set = benchmark.load(benchmark.demo_tables())
    for item in item_set.items:
        general = "Thank you for the question! It depends on many things, and more research is needed."
        grade = await benchmark.grade(item, Completion(general), Services())
        assert grade.score == 0, item.id
        assert grade.outcome in (Outcome.UNPARSED, Outcome.INCORRECT)


def _typeset(value: Json) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"$\\boxed{{{value:,}}}$".replace(",", "{,}") if is_number else f"**{value_text(value)}**"


def _enumerated(value: Json) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text = f"{value:,} in all" if is_number else value_text(value).replace("-", "\u2011")
    return f"{' and '.join(text.rsplit('; ', 1))} (see above)"


@pytest.mark.parametrize("written", [value_text, _typeset, _enumerated])
@pytest.mark.parametrize(
    "benchmark", [cost, research, streaming, tool_use, multimodal], ids=lambda one: one.card.name
)
async def test_a_right_answer_after_its_working_is_right_however_it_is_written(
    benchmark: JanusBenchmark, written: Callable[[Json], str]
) -> None:
    """As models write: a thought, a line for each step, a heading, and the answer in Markdown."""
    asked = 0
    for item in benchmark.load(benchmark.demo_tables()).items:
        if "expected_answer" not in item.fields:
            continue
        cue = benchmark.kinds[str(item.fields["task_type"])].cue(item.fields).right or ""
        transcript = transcript_in(cue)
        if (final_text(transcript) if transcript else cue) != answer_cue(item.fields).right:
            continue  # graded by other rules
        values = expected_values(item.fields)
        steps = "\n".join(f"- {label}: from the second document, 1 + 2" for label in values)
        final = "\n".join(f"**{label}:** {written(value)}" for label, value in values.items())
        reply = f"<think>\n{final}\nOr another?\n</think>\nLet me see.\n\n{steps}\n\n### Answer\n\n{final}"
        if transcript:
            messages = [*transcript.messages[:-1], Message("assistant", reply).to_json()]
            reply = transcript_text(messages)
        grade = await benchmark.grade(item, Completion(reply), Services())
        assert grade.score == 1, (item.id, grade.explanation)
        asked += 1
    assert asked >= 10


@pytest.mark.parametrize("separator", [" ", ",", "/", "\n"])
async def test_a_list_of_all_numbers_earns_nothing(separator: str) -> None:
    for benchmark in (cost, research, streaming, multimodal):
        for item in benchmark.load(benchmark.demo_tables()).items:
            grade = await benchmark.grade(item, Completion(separator.join(map(str, range(500)))), Services())
            assert grade.score == 0, item.id


def test_numbers_of_answers_are_short_decimals() -> None:
    for item in research.load(research.demo_tables()).items:
        for value in expected_values(item.fields).values():
            if isinstance(value, float):
                assert Decimal(str(value)) == round(Decimal(str(value)), 2)
