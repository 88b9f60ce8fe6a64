"""Programs that try to pass LiveCodeBench without solving the problem: none does, none leaves anything."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

import pytest

from assay.benchmarks.livecodebench.grading import WALL_LIMIT_S
from assay.benchmarks.livecodebench.task import benchmark
from assay.domain.benchmark import Grade, Row, Services
from assay.domain.calls.messages import Completion, Json
from assay.domain.outcome import Outcome
from assay.engine.grading.grade import DirectGrader

SECRET = "expected-4c7f1d"  # noqa: S105 # what only the expected output holds

STDIN_ATTACKS = {
    "exit with status 0": """
        import sys
        sys.exit(0)
    """,
    "os._exit": """
        import os
        os._exit(0)
    """,
    "print what a test runner prints": """
        print("1 passed in 0.01s")
        print("OK")
    """,
    "write a report of one's own": """
        import os
        for fd in range(20):
            try:
                os.write(fd, b'{"end": "output", "value": "forged"}')
            except OSError:
                pass
        os._exit(0)
    """,
    "replace the functions of the harness": """
        import sys
        main = sys.modules["__main__"]
        for name in dir(main):
            if "mismatch" in name or "wrong" in name or "report" in name:
                setattr(main, name, lambda *args, **options: b"{}")
        print("x")
    """,
    "replace the comparison of texts": """
        import builtins

        class Text(str):
            __hash__ = str.__hash__

            def __eq__(self, other):
                return True

        builtins.str = Text
        print(Text("x"))
    """,
    "close the streams": """
        import sys
        sys.stdout.close()
        sys.stdin.close()
    """,
    "end by a signal": """
        import ctypes, os
        ctypes.CDLL(None).kill(os.getpid(), 9)
        ctypes.CDLL(None).abort()
    """,
    "look for the expected output": """
        import gc, os
        wanted = "4c7f" + "1d"
        found = [one for one in gc.get_objects() if isinstance(one, str) and wanted in one]
        for folder, _, names in os.walk("/"):
            if folder.startswith(("/proc", "/sys", "/usr", "/dev", "/root", "/lib")):
                continue
            for name in names:
                try:
                    fd = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NONBLOCK)
                    if wanted.encode() in os.read(fd, 1 << 20):
                        found.append(name)
                except OSError:
                    pass
        print("expected-" + wanted if found else "nothing")
    """,
}
FUNCTIONAL_ATTACKS = {
    "an object equal to everything": """
        class Same:
            def __eq__(self, other):
                return True

        class Solution:
            def answer(self, n):
                return Same()
    """,
    "a list of numbers equal to everything": """
        class Same(int):
            __hash__ = int.__hash__

            def __eq__(self, other):
                return True

        class Solution:
            def answer(self, n):
                return [Same(1)]
    """,
    "a text equal to everything": """
        class Same(str):
            __hash__ = str.__hash__

            def __eq__(self, other):
                return True

        class Solution:
            def answer(self, n):
                return Same("x")
    """,
    "exit with status 0": """
        class Solution:
            def answer(self, n):
                sys.exit(0)
    """,
    "os._exit while loading": """
        import os
        os._exit(0)
    """,
    "a report of one's own": """
        import os

        class Solution:
            def answer(self, n):
                for fd in range(20):
                    try:
                        os.write(fd, b'{"end": "value", "value": "forged"}')
                    except OSError:
                        pass
                os._exit(0)
    """,
    "comparison and encoding replaced": """
        import json, operator
        operator.eq = lambda one, other: True
        json.dumps = lambda *args, **options: '{"end": "value", "value": true}'

        class Solution:
            def answer(self, n):
                return None
    """,
    "methods that are always there": """
        class Solution:
            def __getattr__(self, name):
                return lambda *args: True
    """,
}


@dataclass(frozen=True, slots=True)
class OneProblem:
    function: str | None
    tests: list[dict[str, str]]

    def rows(self, split: str) -> Iterator[Row]:
        del split
        row = next(iter(benchmark.demo_tables().rows("test")))
        metadata = {"func_name": self.function} if self.function else {}
        yield {
            **row,
            "public_test_cases": json.dumps(self.tests[:1]),
            "private_test_cases": json.dumps(self.tests[1:]),
            "metadata": json.dumps(metadata),
        }


def stdin_problem(*tests: tuple[str, str]) -> OneProblem:
    return OneProblem(None, [{"input": one, "output": other, "testtype": "stdin"} for one, other in tests])


async def graded(problem: OneProblem, program: str, services: Services) -> Grade:
    (item,) = benchmark.load(problem).items
    return await DirectGrader(benchmark, services).grade(
        item, Completion(f"```python\n{dedent(program)}\n```")
    )


def detail(grade: Grade, name: str) -> Json:
    return grade.details[name]


async def test_no_program_passes_without_the_answer(code_services: Services) -> None:
    problem = stdin_problem(("1\n", SECRET), ("2\n", SECRET))
    for name, program in STDIN_ATTACKS.items():
        grade = await graded(problem, program, code_services)
        assert (grade.outcome, grade.score) == (Outcome.INCORRECT, 0.0), name
        assert SECRET not in (grade.test_code or ""), name
        assert detail(grade, "error_code") in (-2, -4, -5), name
        assert detail(grade, "failed_case") == {"input": "1\n", "expected": SECRET}, name


async def test_no_function_passes_without_the_answer(code_services: Services) -> None:
    problem = OneProblem("answer", [{"input": "1", "output": json.dumps(SECRET), "testtype": "functional"}])
    for name, program in FUNCTIONAL_ATTACKS.items():
        grade = await graded(problem, program, code_services)
        assert (grade.outcome, grade.score) == (Outcome.INCORRECT, 0.0), name
        assert SECRET not in (grade.test_code or ""), name


async def test_nothing_reaches_the_next_test(code_services: Services) -> None:
    """A daemon, files and links left by the first test; the second would show them."""
    program = """
        import io, os
        seen = os.listdir(".") + os.listdir("/tmp")
        seen += [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) > 1]
        os.symlink("/etc/shadow", "link")
        with io.open("left", "w") as file:
            file.write("x")
        os.posix_spawn("/bin/sh", ["sh", "-c", "setsid sleep 60 & exit"], {})
        print(seen or "clean")
    """
    grade = await graded(
        stdin_problem(("1\n", "clean"), ("2\n", "clean"), ("3\n", "clean")), program, code_services
    )
    assert grade.outcome is Outcome.CORRECT, grade.explanation
    assert float(str(detail(grade, "wall_s"))) < 50, "a daemon is not waited for"


async def test_the_time_limit_is_on_processor_time_and_said_so(code_services: Services) -> None:
    """Sleeping costs wall time only; looping runs into the limit."""
    problem = stdin_problem(("1\n", "1"))
    sleeping, looping = await asyncio.gather(
        graded(problem, "import time\ntime.sleep(6.5)\nprint(1)", code_services),
        graded(problem, "while True:\n    pass", code_services),
    )
    assert sleeping.outcome is Outcome.CORRECT, sleeping.explanation
    assert looping.outcome is Outcome.INCORRECT
    assert detail(looping, "error_code") == -3
    is_starved = float(str(detail(looping, "wall_s"))) >= WALL_LIMIT_S
    assert detail(looping, "limit") == ("wall_time" if is_starved else "cpu_time")


async def test_what_ran_is_kept_with_the_verdict(code_services: Services) -> None:
    grade = await graded(stdin_problem(("1\n", "1")), "print(input())", code_services)
    assert grade.outcome is Outcome.CORRECT
    assert "print(input())" in (grade.test_code or "")
    sandbox = detail(grade, "sandbox")
    assert isinstance(sandbox, dict)
    assert sandbox["isolation"] in ("namespaces", "container")


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("print(input())\nprint(1/0)", -4),
        ("def broken(:", -4),
        ("import no_such_module", -4),
        ("quit()", -4),
        ("import sys\nfor line in sys.stdin:\n    print(line)", -4),
        ("input()\ninput()\ninput()", -4),
        ("import sys\nsys.stdout.buffer.write(b'1')", -4),
        ("print(open(0).read())", -2),
        ("class Solution:\n    pass\nprint(1)", -4),
    ],
)
async def test_quirks_of_the_official_script(program: str, code: int, code_services: Services) -> None:
    grade = await graded(stdin_problem(("1\n", "1")), program, code_services)
    assert detail(grade, "error_code") == code


async def test_input_is_read_as_in_the_official_script(code_services: Services) -> None:
    program = (
        "import sys\n"
        "line = sys.stdin.readline()\n"
        "print(repr(line), repr(sys.stdin.read()), sys.stdin.readlines(), sys.stdin.buffer.readline())\n"
        "if __name__ == '__main__':\n    print(input())"
    )
    expected = f"{'a' + chr(10)!r} {'a' + chr(10) + 'b'!r} ['a', 'b'] b'a\\n'\nb"
    grade = await graded(stdin_problem(("a\nb", expected)), program, code_services)
    assert grade.outcome is Outcome.CORRECT, grade.details
