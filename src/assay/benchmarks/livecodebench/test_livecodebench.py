"""LiveCodeBench's pure parts: rows, hidden tests, prompts, extraction, comparison, releases."""

import base64
import pickle
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.livecodebench.comparison import Mismatch, json_value, output_mismatch, value_mismatch
from assay.benchmarks.livecodebench.extraction import program_in
from assay.benchmarks.livecodebench.private_tests import packed_bytes, unpacked
from assay.benchmarks.livecodebench.releases import Selection, selection_named
from assay.benchmarks.livecodebench.rows import Test, problems, read_tests
from assay.benchmarks.livecodebench.task import LiveCodeBench, benchmark
from assay.domain.benchmark import ItemId, Result, Row, Services
from assay.domain.calls.messages import Completion
from assay.domain.errors import BadRowError, DataError, UnknownNameError
from assay.domain.outcome import Outcome
from assay.engine.planning.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Rows:
    found: list[Row]

    def rows(self, split: str) -> Iterator[Row]:
        assert split == "test"
        return iter(self.found)


def demo_row(**changes: str) -> Row:
    return {**next(iter(benchmark.demo_tables().rows("test"))), **changes}


def packed(value: object) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value))).decode()


@pytest.mark.parametrize(
    ("reply", "program"),
    [
        ("```python\nprint(1)\n```", "print(1)"),
        ("```\nfirst\n```\ntext\n```python\nlast\n```\n", "last"),
        ("no fence", ""),
        ("```python\nprint(1)", ""),
        ("a ```b\nc\nd``` e", "c"),
        ("```\n```", ""),
        ("```\none\n```\n```", ""),
    ],
)
def test_the_program_stands_between_the_last_two_fences(reply: str, program: str) -> None:
    assert program_in(reply) == program


@given(st.lists(st.sampled_from(["```", "```python", "x = 1", "", "  ``` "]), max_size=12))
def test_extraction_is_the_official_rule(lines: list[str]) -> None:
    fences = [index for index, line in enumerate(lines) if "```" in line]
    expected = "\n".join(lines[fences[-2] + 1 : fences[-1]]) if len(fences) > 1 else ""
    assert program_in("\n".join(lines)) == expected


@pytest.mark.parametrize(
    ("given_output", "expected"),
    [
        ("1\n2\n", "1\n2"),
        ("  1 \r\n2", "1\n2\n"),
        ("1.0 2", "1 2.00"),
        ("1e3", "1000"),
        ("", "\n"),
        ("x y", "x y"),
    ],
)
def test_outputs_that_are_equal(given_output: str, expected: str) -> None:
    assert output_mismatch(given_output, expected) is None


@pytest.mark.parametrize(
    ("given_output", "expected", "reason"),
    [
        ("1", "1\n2", "Wrong answer: mismatched output length"),
        ("1\n\n2", "1\n2", "Wrong answer: mismatched output length"),
        ("1 2", "1  2 3", "Wrong answer at output_line_idx=0: 1 2 != 1  2 3"),
        ("a\nYes", "a\nYES", "Wrong answer at output_line_idx=1: Yes != YES"),
        ("0.30000000000000004", "0.3", "Wrong answer at output_line_idx=0: 0.30000000000000004 != 0.3"),
        ("50000000000000001", "50000000000000000", "output_line_idx=0"),
        ("x  y", "x y", "output_line_idx=0"),
    ],
)
def test_outputs_that_differ(given_output: str, expected: str, reason: str) -> None:
    found = output_mismatch(given_output, expected)
    assert found is not None
    assert reason in found.reason
    assert found.kind == "wrong"


def test_a_signalling_nan_is_the_fault_that_it_is_officially() -> None:
    found = output_mismatch("sNaN", "1")
    assert found is not None
    assert found.kind == "fault"


def test_values_compare_as_python_compares_them() -> None:
    assert value_mismatch([1, True, 2.0], "[1.0, 1, 2]") is None
    assert value_mismatch({"a": [None]}, '{"a": [null]}') is None
    assert value_mismatch([1, 2], "[2, 1]") == Mismatch("Wrong Answer")
    assert value_mismatch("1", "1") == Mismatch("Wrong Answer")


def test_whole_numbers_of_any_length_are_compared_digit_by_digit() -> None:
    digits = "9" * 20_000
    assert value_mismatch(cast("Decimal", json_value(digits)), digits) is None
    assert value_mismatch(cast("Decimal", json_value(digits)), digits[:-1] + "8") is not None


@given(st.text(max_size=200))
def test_hidden_tests_come_back_from_their_packing(text: str) -> None:
    assert unpacked(packed_bytes(packed(text))) == text


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("this pickle was executed",)


@pytest.mark.parametrize("value", [Evil(), Decimal(1), [1], 5, None, {"a": print}])
def test_a_pickle_of_anything_but_text_is_refused(value: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="something other than text"):
        unpacked(packed_bytes(packed(value)))
    assert "executed" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "data", [b"", b"x", zlib.compress(b""), zlib.compress(b"junk"), zlib.compress(b"\x80")]
)
def test_damaged_packing_is_said_so(data: bytes) -> None:
    with pytest.raises(ValueError, match="tests"):
        unpacked(data)


def test_both_packings_give_the_same_tests() -> None:
    text = '[{"input": "1", "output": "2", "testtype": "stdin"}]'
    assert read_tests(text) == [Test("1", "2")]
    plain, *_ = problems(Rows([demo_row(private_test_cases=text)]))
    zipped, *_ = problems(Rows([demo_row(private_test_cases=packed(text))]))
    assert plain.private_tests == text
    assert isinstance(zipped.private_tests, bytes)
    assert unpacked(zipped.private_tests) == text


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("question_id", "", "'question_id' must be a text"),
        ("contest_date", "yesterday", "'contest_date' must be a date"),
        ("private_test_cases", "no base64!", "'private_test_cases' neither JSON nor base64"),
        ("metadata", "[", "'metadata' is not JSON"),
        ("metadata", '{"func_name": 7}', "'metadata' must name a function"),
    ],
)
def test_a_row_that_cannot_be_used_names_its_field(field: str, value: str, fault: str) -> None:
    with pytest.raises(BadRowError, match=re.escape(fault)):
        benchmark.load(Rows([demo_row(), demo_row(**{"question_id": "other", field: value})]))


def test_a_missing_field_and_a_repeated_id_are_said_so() -> None:
    with pytest.raises(BadRowError, match="'question_content' is missing"):
        benchmark.load(Rows([{k: v for k, v in demo_row().items() if k != "question_content"}]))
    with pytest.raises(BadRowError, match="is repeated"):
        benchmark.load(Rows([demo_row(), demo_row()]))


@pytest.mark.parametrize("tests", ["[]", '[{"input": "1"}]', '{"input": "1", "output": "2"}', "[1]"])
async def test_no_tests_or_unusable_ones_are_an_error_of_the_data(tests: str) -> None:
    row = demo_row(public_test_cases=tests, private_test_cases=tests if tests.startswith("[") else "[]")
    (item,) = benchmark.load(Rows([row])).items
    with pytest.raises(DataError):
        await benchmark.grade(item, Completion("```\nprint(1)\n```"), Services())


async def test_a_reply_without_a_program_is_unparsed_and_not_run() -> None:
    item = benchmark.load(benchmark.demo_tables()).items[0]
    grade = await benchmark.grade(item, Completion("I cannot solve this."), Services())
    assert (grade.outcome, grade.score) == (Outcome.UNPARSED, 0.0)


async def test_a_program_beyond_the_limit_of_source_is_wrong_and_not_run() -> None:
    item = benchmark.load(benchmark.demo_tables()).items[0]
    grade = await benchmark.grade(item, Completion(f"```python\n{'x = 1 ' * 180_000}\n```"), Services())
    assert (grade.outcome, grade.score) == (Outcome.INCORRECT, 0.0)


def test_prompts_are_the_official_ones() -> None:
    items = benchmark.load(benchmark.demo_tables())
    plain = next(item for item in items.items if not item.fields["starter_code"])
    starter = next(item for item in items.items if item.fields["starter_code"])
    system, user = items.prompt(plain).messages
    assert system.text.startswith("You are an expert Python programmer.")
    assert user.text == (
        f"### Question:\n{plain.fields['question']}\n\n### Format: Read the inputs from stdin solve the"
        " problem and write the answer to stdout (do not directly test on the sample inputs). Enclose your"
        " code within delimiters as follows.\n```python\n# YOUR CODE HERE\n```\n\n"
        "### Answer: (use the provided format with backticks)\n\n"
    )
    assert f"enclose your code within delimiters.\n```python\n{starter.fields['starter_code']}\n```\n\n" in (
        items.prompt(starter).text
    )


def test_names_of_releases_and_windows() -> None:
    july, january = datetime(2024, 7, 1), datetime(2025, 1, 1)  # noqa: DTZ001 # contests have no time zone
    assert selection_named("v5") == Selection(5)
    assert selection_named("v5_2024-07-01_2025-01-01") == Selection(5, july, january)
    assert selection_named("2024-07-01_") == Selection(6, july, None)
    assert selection_named("_2025-01-01") == Selection(6, None, january)
    for name in ("v0", "v7", "v5_", "_", "2024-13-01_", "2024-07-01", "v5_2024-07-01", "aa", ""):
        assert selection_named(name) is None


def test_a_window_is_inclusive_at_midnight() -> None:
    window = selection_named("2024-07-01_2025-01-01")
    assert window is not None
    first, last = datetime(2024, 7, 1), datetime(2025, 1, 1)  # noqa: DTZ001
    assert window.has(first)
    assert window.has(last)
    assert not window.has(last.replace(hour=20))
    assert not window.has(datetime(2024, 6, 30, 23, 59))  # noqa: DTZ001


def test_a_variant_asks_what_its_name_says() -> None:
    catalogue = Catalogue.installed()
    early = catalogue.get("livecodebench:v2")
    assert (early.card.name, early.card.size) == ("livecodebench:v2", 511)
    assert [file.path for file in early.card.source.files] == ["test.jsonl", "test2.jsonl"]
    window = catalogue.get("livecodebench:2024-08-01_2024-09-30")
    assert isinstance(window, LiveCodeBench)
    dates = {str(item.fields["contest_date"])[:7] for item in window.load(window.demo_tables()).items}
    assert dates == {"2024-08", "2024-09"}
    with pytest.raises(UnknownNameError):
        catalogue.get("livecodebench:v9")


def test_rows_of_the_official_runner_are_answers() -> None:
    assert benchmark.replies({"question_id": "a", "output_list": ["one", "two"]}) == ("a", ["one", "two"])
    others: list[Row] = [
        {"item": "a", "response": "b"},
        {"question_id": "a"},
        {"question_id": "a", "output_list": "b"},
    ]
    assert [benchmark.replies(row) for row in others] == [None, None, None]


def test_pass_at_k_of_the_official_script() -> None:
    row = Result(ItemId("a"), 0, Outcome.CORRECT, 1.0, None, None, {})
    wrong = replace(row, outcome=Outcome.INCORRECT, score=0.0)
    results = [row, *[replace(wrong, sample=n) for n in range(1, 5)], replace(wrong, item_id=ItemId("b"))]
    found = {name: one.value for name, one in benchmark.metrics(results).items()}
    assert found == {"pass@1": pytest.approx(0.1), "pass@5": 1.0}
