"""Steps run in a real sandbox: right code passes, and nothing that only looks right does."""

import asyncio
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assay.benchmarks.scicode.task import benchmark
from assay.domain.benchmark import Environment, Grade, Item, Services
from assay.domain.calls.messages import Completion
from assay.domain.outcome import Outcome
from tests.conftest import PREPARED, REPOSITORY, prepared

DEMO: dict[str, Item] = {item.id: item for item in benchmark.load(benchmark.demo_tables()).items}
HEADER = "def ring_walk(n, p):\n"
ALWAYS_EQUAL = """
class Equal(float):
    __eq__ = __le__ = __lt__ = __ge__ = __gt__ = lambda self, other: True
    __hash__ = None
    __array_ufunc__ = lambda self, *args, **kwargs: True
    __array__ = lambda self, *args, **kwargs: self
    __abs__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = sum = lambda self, *args, **kwargs: self
"""
# Each in place of a function that is tested with np.allclose.
ATTACKS = {
    "exit at once": "__import__('sys').exit(0)",
    "exit when called": f"{HEADER}    raise SystemExit(0)",
    "_exit at once": "__import__('os')._exit(0)",
    "_exit when called": f"{HEADER}    __import__('os')._exit(0)",
    "always equal": f"{ALWAYS_EQUAL}\n{HEADER}    return Equal(0)",
    "replaced comparison": f"np.allclose = lambda *args, **kwargs: True\n{HEADER}    return np.eye(n)",
    "no reports": f"__assay_report__ = lambda *args: None\n{HEADER}    return np.eye(n)",
    "fake reports": (
        "def forged():\n"
        "    probe = __import__('assay_probe')\n"
        "    for number in range(3):\n"
        "        probe._report([number, [1.0]])\n"
        "    probe._report('end')\n"
        "    __import__('os')._exit(0)\n"
        "forged()"
    ),
    "reports that cannot be read": (
        "def nested():\n"
        "    probe = __import__('assay_probe')\n"
        "    for number, text in enumerate(['[' * 900 + ']' * 900, '{\"array\": 1}', '{\"none\": 1}']):\n"
        "        probe._REPORTS.write(f'[{number}, [{text}]]' + chr(10))\n"
        "    probe._report('end')\n"
        "    __import__('os')._exit(0)\n"
        "nested()"
    ),
    "more than can be compared": (f"{HEADER}    return np.zeros((3_000_000, 1, 1)) if n == 5 else np.eye(n)"),
    "fake verdicts": (
        'print(\'{"word": "", "results": {"0": null, "1": null, "2": null}}\', flush=True)\n'
        f"{HEADER}    return np.eye(n)"
    ),
    "the target of a frame above": (
        f"{HEADER}"
        "    frame = __import__('sys')._getframe()\n"
        "    while frame:\n"
        "        for scope in (frame.f_globals, frame.f_locals):\n"
        "            if 'target' in scope:\n"
        "                return scope['target']\n"
        "        frame = frame.f_back\n"
        "    return np.eye(n)"
    ),
    "a daemon": f"__import__('os').fork()\n{HEADER}    return np.eye(n)",
}


def right(item: Item) -> dict[str, str]:
    item_set = benchmark.load(benchmark.demo_tables())
    replies: dict[str, str] = json.loads(item_set.cue(item).right or "")
    return replies


async def graded(item: Item, replies: Mapping[str, str], services: Services) -> Grade:
    prepared("scicode", benchmark)
    return await benchmark.grade(item, Completion(benchmark.whole(item, replies)), services)


async def test_no_attack_passes(code_services: Services) -> None:
    together = asyncio.Semaphore(2)

    async def attacked(code: str) -> Grade:
        async with together:
            return await graded(DEMO["902"], {"902.1": f"```python\n{code}\n```"}, code_services)

    grades = await asyncio.gather(*map(attacked, ATTACKS.values()))
    for name, grade in zip(ATTACKS, grades, strict=True):
        assert grade.outcome is Outcome.INCORRECT, name
        assert grade.details["steps"] == {"902.1": "fail", "902.2": "fail"}, (name, grade.explanation)


async def test_an_object_that_is_equal_to_everything_fails_a_comparison_too(code_services: Services) -> None:
    """The last test of this step is `(…) == target`."""
    item = DEMO["905"]
    code = f"{ALWAYS_EQUAL}\ndef is_more_like(strand, ours, theirs):\n    return Equal(0)"
    grade = await graded(item, right(item) | {"905.2": f"```python\n{code}\n```"}, code_services)
    assert grade.details["steps"] == {"905.1": "pass", "905.2": "fail"}, grade.explanation


HELPED = """
def check():
    given = [ring_walk(3, 0.5), ring_walk(2, 1.0)]
    return given[0].shape == (3, 3) and bool(np.allclose(given[1], ring_walk(2, 1.0)))
assert check() == target
"""


async def test_no_helper_of_the_tests_can_be_replaced_by_one_that_is_content(code_services: Services) -> None:
    """What `check` says in the model's process counts for nothing: it runs again where the target is."""
    steps = DEMO["902"].fields["sub_steps"]
    assert isinstance(steps, list)
    assert isinstance(steps[0], dict)
    item = replace(
        DEMO["902"],
        fields={**DEMO["902"].fields, "sub_steps": [{**steps[0], "test_cases": [HELPED]}]},
    )
    reply = right(DEMO["902"])["902.1"]
    grade = await graded(item, {"902.1": reply}, code_services)
    assert grade.details["steps"] == {"902.1": "pass"}, grade.explanation
    for forged in (
        f"{HEADER}    return np.eye(n + 1)",
        f"__assay_record__ = lambda *args: [True] * 3\n{HEADER}    return np.eye(n + 1)",
    ):
        grade = await graded(item, {"902.1": f"```python\n{forged}\n```"}, code_services)
        assert grade.details["steps"] == {"902.1": "fail"}, forged


async def test_a_step_is_tested_with_the_models_own_code_of_the_step_before(code_services: Services) -> None:
    item = DEMO["901"]
    replies = right(item)
    broken = replies["901.1"].replace("0.5 * dt * k * x\n", "0.7 * dt * k * x\n")
    grade = await graded(item, replies | {"901.1": broken}, code_services)
    assert grade.details["steps"] == {"901.1": "fail", "901.2": "fail"}
    assert grade.explanation.startswith(
        "passed 0 of 2 steps; failed 901.1: assertion 1 of 2: the values differ"
    )
    assert grade.test_code is not None
    assert "0.7 * dt" in grade.test_code


async def test_steps_without_code_fail_and_what_never_ends_times_out(
    code_services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = DEMO["903"]
    grade = await graded(item, {"903.1": right(item)["903.1"]}, code_services)
    assert grade.explanation == "passed 1 of 2 steps; failed 903.2: no code in the reply"
    # What the authors' code gives is known from before: only the endless program is run.
    monkeypatch.setattr("assay.benchmarks.scicode.task.TIME_LIMIT_S", 2.0)
    grade = await graded(item, {"903.1": "while True:\n    pass"}, code_services)
    assert grade.details["steps"] == {"903.1": "time out", "903.2": "fail"}


# What the authors' code gives, in the layout of the official file: a variable, several of them, a dictionary.
MAKE_TARGETS = """
import json, sys
import h5py, numpy as np
problem = json.loads(sys.stdin.read())
scope = {}
exec(problem["required_dependencies"], scope)
for step in problem["sub_steps"]:
    exec(step["ground_truth_code"], scope)
ring, wide = scope["ring_walk"], scope["where_and_how_wide"]
with h5py.File(sys.argv[1], "w") as file:
    file["902.1/test1/var1"] = ring(5, 0.7)
    file["902.1/test2/var1"] = ring(6, 0.25).sum(axis=1)
    file["902.1/test3/var1"] = ring(4, 0.9) @ ring(4, 0.9)
    for test, arguments in (("test1", (7, 0.6, 12)), ("test2", (3, 0.5, 1))):
        file[f"902.2/{test}/var1"], file[f"902.2/{test}/var2"] = wide(*arguments)
"""
READ_BACK = """
import sys
import h5py, numpy as np, scipy.sparse
sys.path.insert(0, sys.argv[2])
from targets import assembled, from_hdf5
with h5py.File(sys.argv[1], "w") as file:
    file["1.1/test1/var1"] = "text"
    file["1.1/test2/var1/list/var1"] = np.arange(2)
    file["1.1/test2/var1/list/var2"] = 3.0
    file["1.1/test3/var1/red"] = 1.0
    file["1.1/test3/var1/2.5"] = np.ones(2)
    matrix = scipy.sparse.csr_matrix([[0, 1], [2, 0]])
    for name, value in (("data", matrix.data), ("indices", matrix.indices), ("indptr", matrix.indptr)):
        file[f"1.1/test4/var1/sparse_matrix/{name}"] = value
    file["1.1/test4/var1/sparse_matrix/shape"] = (2, 2)
text, listed, named, sparse = from_hdf5(sys.argv[1], "1.1", 4)
assert text == "text"
assert listed[0].tolist() == [0, 1] and listed[1] == 3.0
assert named["red"] == 1.0 and named[2.5].tolist() == [1, 1]
assert sparse.toarray().tolist() == [[0, 1], [2, 0]]
assert assembled([([1], "b"), ([0], "a")]) == ("a", "b") and assembled([([], 3)]) == 3
"""


async def test_targets_come_from_the_official_file_where_there_is_no_code(
    code_services: Services, tmp_path: Path
) -> None:
    prepared("scicode", benchmark)
    item = DEMO["902"]
    made = made_targets(item, tmp_path / "test_data.h5")
    official = without_code(item)
    services = replace(code_services, prepared=WithFile(made))
    grade = await graded(official, right(item), services)
    assert grade.details["steps"] == {"902.1": "pass", "902.2": "pass"}, grade.explanation
    wrong = json.loads(benchmark.load(benchmark.demo_tables()).cue(item).wrong or "")
    grade = await graded(official, wrong, services)
    assert grade.details["steps"] == {"902.1": "fail", "902.2": "fail"}


def made_targets(item: Item, path: Path) -> Path:
    python = PREPARED.python("scicode", benchmark.environment)
    given = json.dumps(item.fields).encode()
    subprocess.run([python, "-c", MAKE_TARGETS, str(path)], input=given, check=True)
    return path


def test_the_official_file_is_read_in_all_its_forms(tmp_path: Path) -> None:
    prepared("scicode", benchmark)
    python = PREPARED.python("scicode", benchmark.environment)
    inside = REPOSITORY / "src" / "assay" / "benchmarks" / "scicode" / "inside"
    subprocess.run([python, "-c", READ_BACK, str(tmp_path / "forms.h5"), str(inside)], check=True)


@dataclass(frozen=True, slots=True)
class WithFile:
    targets: Path

    def python(self, benchmark: str, environment: Environment) -> str:
        return PREPARED.python(benchmark, environment)

    def file(self, benchmark: str, name: str) -> Path | None:
        assert (benchmark, name) == ("scicode", "test_data.h5")
        return self.targets


def without_code(item: Item) -> Item:
    steps = item.fields["sub_steps"]
    assert isinstance(steps, list)
    bare = [{**step, "ground_truth_code": None} for step in steps if isinstance(step, dict)]
    return replace(item, fields={**item.fields, "sub_steps": bare})
