"""Graders that run programs in the sandbox: tests of code that a model wrote, and a user's own function."""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import replace

from assay.domain.benchmark import Grade, Services
from assay.domain.errors import GraderError
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.domain.programs.sandbox import ExecResult, Limits, Spec, Status

_FENCED = re.compile(r"```[ \t]*(?:python|py)?[ \t]*\n(?P<code>.*?)```", re.DOTALL | re.IGNORECASE)
_TIMEOUT_S = 10.0
_SHOWN = 1_000
# The token is read before any code of the model runs, and printed after the last test: a program that ends
# early has not printed it.
_TESTING = """
import json, sys
_given = json.load(sys.stdin)
def _run(code, tests):
    names = {"__name__": "answer"}
    exec(compile(code, "answer.py", "exec"), names)
    exec(compile(tests, "tests.py", "exec"), names)
_run(_given.pop("code"), _given.pop("tests"))
sys.stdout.write("\\n" + _given["token"])
"""
_CALLING = """
import json, os, sys
_report = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
_given = json.load(sys.stdin)
_names = {"__name__": "grader"}
exec(compile(_given["function"], "grader.py", "exec"), _names)
_found = _names.get("grade")
if not callable(_found):
    sys.exit("the function must be named grade")
_value = _found(_given["answer"], _given["expected"])
_report.write(json.dumps(_value))
_report.close()
"""


async def grade_by_tests(options: Mapping[str, Json], tests: Json, answer: str, services: Services) -> Grade:
    """The last block of code in the answer, or all of it, and after it the tests, as one program."""
    blocks = _FENCED.findall(answer)
    code = blocks[-1] if blocks else answer
    if not code.strip():
        return Grade(Outcome.UNPARSED, 0.0, explanation="there is no code in the answer")
    source = "\n".join(map(str, tests)) if isinstance(tests, list | tuple) else str(tests)
    token = secrets.token_hex(16)
    result = await _run(_TESTING, {"code": code, "tests": source, "token": token}, options, services)
    has_passed = result.status is Status.OK and result.stdout.endswith(token.encode())
    return Grade(
        Outcome.CORRECT if has_passed else Outcome.INCORRECT,
        float(has_passed),
        extracted=code,
        explanation="the tests pass" if has_passed else _ending(result),
        test_code=source,
    )


async def grade_by_function(
    options: Mapping[str, Json], expected: Json, answer: str, services: Services
) -> Grade:
    """`grade(answer, expected)` returns true or false, or a number from 0 to 1."""
    given = {"function": options["function"], "answer": answer, "expected": expected}
    result = await _run(_CALLING, given, options, services)
    if result.status is not Status.OK:
        raise GraderError(f"the Python function of the data set failed: {_ending(result)}")
    try:
        value: Json = json.loads(result.stdout)
    except ValueError as error:
        raise GraderError("the Python function of the data set returned nothing that is JSON") from error
    return graded_by_value(value, "the Python function of the data set")


def graded_by_value(value: object, what: str) -> Grade:
    """The grade of a truth value or of a share; anything else is a GraderError."""
    if isinstance(value, bool | int | float) and 0 <= value <= 1:
        score = float(value)
        outcome = Outcome.CORRECT if score == 1 else Outcome.PARTIAL if score > 0 else Outcome.INCORRECT
        return Grade(outcome, score, explanation=f"{what} returned {value!r}")
    raise GraderError(f"{what} must return true, false or a number from 0 to 1, not {repr(value)[:_SHOWN]}")


async def _run(
    program: str, given: Mapping[str, Json], options: Mapping[str, Json], services: Services
) -> ExecResult:
    timeout = options.get("timeout_s", _TIMEOUT_S)
    seconds = float(timeout) if isinstance(timeout, int | float) else _TIMEOUT_S
    spec = Spec(profile="python", limits=replace(Limits(), cpu_s=seconds, wall_s=2 * seconds))
    case = json.dumps(given).encode("utf-8", "surrogatepass")
    async with await services.required_sandbox().open(spec) as session:
        results = [result async for result in session.exec_many(program, [case])]
    if len(results) != 1:
        raise GraderError(f"the sandbox gave {len(results)} results for one program")
    return results[0]


def _ending(result: ExecResult) -> str:
    said = result.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
    if result.status is Status.OK:
        return "the program ended before the last test"
    return f"the program ended with {result.status.value}" + (f": {said}" if said else "")
