"""Standard streams and errors of LiveCodeBench's programs, as the official script gives them."""

import pytest

from assay.benchmarks.livecodebench.grading import Code, run_tests, source_of
from assay.benchmarks.livecodebench.rows import Test
from assay.domain.benchmark import Services

CASES = [
    pytest.param(
        "import sys\nn = 0\nwhile True:\n    line = sys.stdin.readline()\n    if not line:\n        break\n"
        "    n += int(line)\nprint(n)",
        Test("1\n2", "3"),
        None,
        id="readline returns an empty text at the end",
    ),
    pytest.param(
        "import sys\nprint(sys.stdin.readline()[:-1] + '!')",
        Test("ab\n", "ab!"),
        None,
        id="readline keeps the end of the line",
    ),
    pytest.param(
        "import sys\nr = sys.stdin.readline\nprint(r() + r())",
        Test("1\n2", "12"),
        Code.WRONG_ANSWER,
        id="the end of a line is printed with it",
    ),
    pytest.param("print(repr(input()), input())", Test("\nx", "'' x"), None, id="input of an empty line"),
    pytest.param(
        "n = 0\ntry:\n    while True:\n        n += int(input())\nexcept EOFError:\n    print(n)",
        Test("1\n2", "3"),
        None,
        id="input at the end without a final newline",
    ),
    pytest.param(
        "from sys import stdin\ninput = stdin.readline\nprint(input() + input() + stdin.read())",
        Test("1\n2", "121\n2"),
        None,
        id="an input imported by name gives lines without ends",
    ),
    pytest.param(
        "print(stdin.readlines(), sum(1 for _ in stdin), stdin.buffer.read())",
        Test("1\n2\n", "['1', '2', ''] 0 b''"),
        None,
        id="an input taken from the preamble",
    ),
    pytest.param(
        "from sys import stdin\nwhile line := stdin.readline():\n    print(line)",
        Test("1\n2", "1\n2"),
        Code.RUNTIME_ERROR,
        id="an input imported by name has no end",
    ),
    pytest.param("print(1)\nsys.stdout.close()", Test("", "1"), Code.RUNTIME_ERROR, id="closing the output"),
    pytest.param(
        "import subprocess\nprint(subprocess.run(['echo', '1'], capture_output=True, text=True).stdout)",
        Test("", "1"),
        Code.RUNTIME_ERROR,
        id="starting another program",
    ),
    pytest.param(
        "class TimeoutException(Exception):\n    pass\nraise TimeoutException",
        Test("", "1"),
        Code.TIME_LIMIT,
        id="an error with the name of the official alarm",
    ),
]


@pytest.mark.parametrize(("program", "test", "code"), CASES)
async def test_a_program_ends_as_it_does_officially(
    program: str, test: Test, code: Code | None, code_services: Services
) -> None:
    ran = await run_tests(source_of(program, None), None, [test], code_services)
    assert (ran.failure and ran.failure.code) == code
