import pytest

from assay.benchmarks.scicode.splitting import REPORT, VALUES, split_tests
from assay.domain.errors import DataError

DEPENDENCIES = "import numpy as np\nfrom scipy.integrate import simps"


def split(*tests: str) -> tuple[str, list[tuple[str, list[tuple[tuple[int, ...], str]]]]]:
    """The model's part, and each assertion with its goals; the name of the values shortened."""
    found = split_tests(DEPENDENCIES, tests)
    assertions = [
        (
            one.source.replace(VALUES, "V"),
            [(goal.path, goal.source.replace(VALUES, "V")) for goal in one.goals],
        )
        for one in found.assertions
    ]
    return found.model_source.replace(REPORT, "R"), assertions


@pytest.mark.parametrize(
    ("test", "reported", "asserted", "goals"),
    [
        ("assert np.allclose(f(1), target)", "R(0, f(1))", "np.allclose(V[0], target)", [((), "V[0]")]),
        ("assert (f(1) == 0) == target", "R(0, f(1))", "(V[0] == 0) == target", [((), "V[0] == 0")]),
        (
            "assert (f(1) > 0).all() == target",
            "R(0, f(1))",
            "(V[0] > 0).all() == target",
            [((), "(V[0] > 0).all()")],
        ),
        (
            "a, b = target\nassert np.allclose(x, a) and y == b",
            "R(0, x, y)",
            "np.allclose(V[0], a) and V[1] == b",
            [((0,), "V[0]"), ((1,), "V[1]")],
        ),
        (
            "assert np.allclose(f(1)[0], target[0]) and np.allclose(f(1)[1], target[1])",
            "R(0, f(1), f(1))",
            "np.allclose(V[0][0], target[0]) and np.allclose(V[1][1], target[1])",
            [((0,), "V[0][0]"), ((1,), "V[1][1]")],
        ),
        ("assert np.allclose(b.size, target)", "R(0, b.size)", "np.allclose(V[0], target)", [((), "V[0]")]),
        ("assert all(i > 1 for i in f()) == target", "R(0, f())", None, [((), "all((i > 1 for i in V[0]))")]),
        ("assert np.random.rand() < 1", "R(0, np.random.rand())", "V[0] < 1", []),
        ("np = 3\nassert np == target", "np = 3\nR(0, np)", "V[0] == target", [((), "V[0]")]),
        ("assert np.isclose(f(), np.pi) == target", "R(0, f())", "np.isclose(V[0], np.pi) == target", None),
    ],
)
def test_an_assertion_is_computed_from_reported_values(
    test: str, reported: str, asserted: str | None, goals: list[tuple[tuple[int, ...], str]] | None
) -> None:
    source, [(assertion, found)] = split(test)
    assert source == reported
    assert assertion == asserted or asserted is None
    assert found == goals or goals is None


def test_pure_functions_of_the_tests_are_computed_away_from_the_model() -> None:
    tests = split_tests(
        DEPENDENCIES,
        [
            "def same(a, b):\n    return np.allclose(a, b)\nassert same(f(1), target)",
            "def measured(x):\n    return f(x) - 2\nassert measured(1) == target",
        ],
    )
    assert [one.source.replace(VALUES, "V") for one in tests.assertions] == [
        "same(V[0], target)",
        "V[0] == target",
    ]
    assert "def same" in tests.setups[0]
    assert "def measured" not in tests.setups[1]
    assert [one.test for one in tests.assertions] == [0, 1]


def test_assertions_within_functions_are_reported_too() -> None:
    source, assertions = split("def case():\n    out = f(1)\n    assert np.isclose(out, 2)\ncase()")
    assert source == "def case():\n    out = f(1)\n    R(0, out)\ncase()"
    assert assertions == [("np.isclose(V[0], 2)", [])]


@pytest.mark.parametrize(
    "test",
    [
        "assert f(target) == 1",
        "x = f(target)\nassert x",
        "assert [f(i) for i in (1, 2)] == target",
        "assert (",
    ],
)
def test_what_cannot_be_parted_is_a_data_error(test: str) -> None:
    with pytest.raises(DataError):
        split(test)


HELPER = "def check():\n    return f(1) == 3 and g(f(2)) != 4"


def test_a_helper_that_compares_by_itself_runs_where_the_model_is_not() -> None:
    found = split_tests(DEPENDENCIES, [f"{HELPER}\nassert check() == target"])
    [assertion] = found.assertions
    assert assertion.source.replace(VALUES, "V") == "__assay_replay__(V[0], ('f', 'g'), check) == target"
    assert found.model_source.endswith(
        "R(0, __assay_record__(globals(), ('f', 'g'), check))".replace("R", REPORT)
    )
    assert found.setups == (HELPER,)


@pytest.mark.parametrize(
    "helper",
    [
        "def check(x):\n    return f(x)",
        "def check():\n    return map(f, [1])",
        "def check():\n    return other",
    ],
)
def test_other_helpers_tell_what_they_give(helper: str) -> None:
    call = "check(1)" if "x" in helper else "check()"
    found = split_tests(DEPENDENCIES, [f"{helper}\nassert {call} == target"])
    assert found.assertions[0].source == f"{VALUES}[0] == target"
    assert found.setups == ("",)
