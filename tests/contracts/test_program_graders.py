"""Tests of a model's code and a user's function, in a real sandbox."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from assay.adapters.sandbox.local_backend import LocalBackend, LocalOptions
from assay.domain.benchmark import Grade, Services
from assay.domain.calls.messages import Completion
from assay.domain.errors import GraderError
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.engine.graders.rules.combined import Asked, grade_by_rules
from assay.engine.graders.rules.reading import read_rules

TESTS = "assert add(2, 3) == 5\nassert add(-1, 1) == 0"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services() -> AsyncGenerator[Services]:
    backend = LocalBackend("landlock", LocalOptions.default(slots=1))
    yield Services(sandbox=backend)
    await backend.close()


async def graded(services: Services, rule: Json, expected: Json, answer: str) -> Grade:
    return await grade_by_rules(read_rules(rule), Asked("", expected), Completion(answer), services)


@pytest.mark.asyncio(loop_scope="module")
async def test_code_is_right_where_every_test_passes(services: Services) -> None:
    right = "Here it is:\n```python\ndef add(a, b):\n    return a + b\n```\nDone."
    for answer, is_right in (
        (right, True),
        ("def add(a, b):\n    return a + b", True),
        ("```python\ndef add(a, b):\n    return a - b\n```", False),
        ("```python\nimport os\nos._exit(0)\n```", False),
        ("```python\nimport sys\nsys.exit(0)\n```", False),
        ("def add(a, b): return (", False),
    ):
        grade = await graded(services, "code_tests", TESTS, answer)
        assert (grade.outcome is Outcome.CORRECT) is is_right, (answer, grade.explanation)
    assert (
        "AssertionError"
        in (await graded(services, "code_tests", TESTS, "def add(a, b):\n    return 0")).explanation
    )


@pytest.mark.asyncio(loop_scope="module")
async def test_a_function_grades_the_answer(services: Services) -> None:
    rule: Json = {
        "name": "python",
        "function": "def grade(answer, expected):\n    print('noise')\n    return len(answer) / expected",
    }
    assert (await graded(services, rule, 10, "12345")).score == 0.5
    with pytest.raises(GraderError, match="ZeroDivisionError"):
        await graded(services, rule, 0, "12345")
    with pytest.raises(GraderError, match="must be named grade"):
        await graded(services, {"name": "python", "function": "x = 1"}, 0, "12345")
