"""Lists of names in the rows."""

import pytest

from assay.benchmarks.swe_bench_pro.lists import names_in
from assay.benchmarks.swe_bench_pro.results import outcome_of
from assay.domain.errors import DataError


@pytest.mark.parametrize("value", ["['a', \"b's\"]", '["a", "b\'s"]', ["a", "b's"], "('a', \"b's\")"])
def test_literals_json_and_lists_are_read(value: object) -> None:
    assert names_in(value, where="fail_to_pass") == ("a", "b's")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "value",
    ["", "nan", "None", "__import__('os').getcwd()", "{'a': 1}", "['a', 1]", "[" * 10_000, 7, None, "'a'"],
)
def test_anything_else_is_an_error_and_never_an_empty_list(value: object) -> None:
    with pytest.raises(DataError, match="fail_to_pass"):
        names_in(value, where="fail_to_pass")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("output", [None, [], "x", {}, {"tests": None}, {"tests": "PASSED"}, {"tests": [1]}])
def test_an_output_in_another_form_passes_no_test(output: object) -> None:
    found = outcome_of(output, fail_to_pass=["a"], pass_to_pass=[])  # pyright: ignore[reportArgumentType]
    assert (found.is_solved, found.missing) == (False, ("a",))
