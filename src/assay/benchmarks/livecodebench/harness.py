"""Runs one test of a program inside the sandbox; sent there as text and never imported by Assay.

The program runs as in the official script, quirks included: the same imports, a standard input whose `read`
always returns everything, a standard output without a buffer. It gets the input of the test alone. Its
output is reported on standard output and compared outside: a program can forge an answer, not a verdict.
"""
# ruff: noqa: BLE001, S102 # any error of the program is a result, and running it is the purpose

import ast
import builtins
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any, cast

_PLAIN = [
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics"),
    *("itertools", "functools", "operator", "io", "sys", "json"),
]
PREAMBLE = "".join(
    [
        *(f"from {name} import *\n" for name in [*_PLAIN, "builtins", "typing"]),
        *(f"import {name}\n" for name in _PLAIN),
        "sys.setrecursionlimit(50000)\n",
    ]
)
_WRAPPER = "wrapped_function"
_MAX_DIGITS = 50_000
_SHOWN = 300
# The official script removes these from every program: calling one is a runtime error.
_REMOVED_FUNCTIONS = {
    builtins: "quit help",
    shutil: "rmtree move chown",
    subprocess: "Popen",
    os: "kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames truncate"
    " replace unlink fchmod fchown chmod chown chroot lchflags lchmod lchown getcwd chdir",
}
_REMOVED_MODULES = "ipdb joblib resource psutil tkinter"


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, *_sizes: int) -> bytes:
        return self._data

    def readline(self, *_sizes: int) -> bytes:
        return self._data.split(b"\n")[0] + b"\n"


class _Input:
    """Standard input of the official script: not iterable, and only `readline` moves on."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rest = io.StringIO(text)
        self.buffer = _Bytes(text.encode("utf-8", "surrogatepass"))

    def read(self, *_sizes: int) -> str:
        return self._text

    def readline(self, *sizes: int) -> str:
        return self._rest.readline(*sizes)

    def readlines(self, *_sizes: int) -> list[str]:
        return self._text.split("\n")

    def __getattr__(self, name: str) -> object:
        return getattr(self._rest, name)


def _replace_methods(stdin: Any, taken: _Input) -> None:  # noqa: ANN401 # its methods are no attributes to set
    """Let a program that imports `stdin` by name read the input, as the official script does.

    Its mocks replace these methods of the process's own standard input, before that gives way to `_Input`.
    Lines come without ends here, and with an error after the last.
    """
    lines = iter(taken.readlines())

    def readline(*_sizes: int) -> str:
        return next(lines)

    stdin.read, stdin.readline, stdin.readlines = taken.read, readline, taken.readlines


def _output() -> io.StringIO:
    """Standard output of the official script: `close` takes an argument, so that `close()` is an error."""
    output = io.StringIO()

    def close(_ignored: object) -> int:
        return 1

    setattr(output, "close", close)  # noqa: B010 # a method cannot be assigned directly
    return output


def run(program: str, function: str | None) -> None:
    """Run the test on standard input, report the result, and end the process even if threads still run."""
    text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    report_to = os.dup(1)
    _remove_forbidden()
    data = _program_report(program, text) if function is None else _call_report(program, function, text)
    while data:
        data = data[os.write(report_to, data) :]
    os._exit(0)


def _remove_forbidden() -> None:
    sys.set_int_max_str_digits(_MAX_DIGITS)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    sys.stdin = io.open(0, encoding="utf-8", closefd=False)  # noqa: SIM115, UP020 # stays open
    sys.stdout = io.open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115, UP020 # stays open
    for module, names in _REMOVED_FUNCTIONS.items():
        for name in names.split():
            setattr(module, name, None)
    modules = cast("dict[str, ModuleType | None]", sys.modules)
    modules.update(dict.fromkeys(_REMOVED_MODULES.split()))


def _program_report(program: str, text: str) -> bytes:
    try:
        call = _wrapped(program)
    except Exception as error:
        return _failure("load", error)
    given, taken = _output(), _Input(text)
    _replace_methods(sys.stdin, taken)
    sys.stdin, sys.stdout = cast("Any", taken), given

    def opened(*_args: object, **_options: object) -> io.StringIO:
        return io.StringIO(text)

    setattr(builtins, "open", opened)  # noqa: B010 # a direct assignment is no error only at run time
    try:
        call()
    except SystemExit:
        pass
    except Exception as error:
        return _failure("call", error)
    return _encoded({"end": "output", "value": given.getvalue()})


def _wrapped(program: str) -> Callable[[], object]:
    """The program as a function; imports stay outside, a final `if __name__ == "__main__"` is inlined."""
    try:
        body = ast.parse(program).body
    except Exception:
        # Unchanged, it fails to compile, which is the error to report.
        return _function(_module(program), _WRAPPER)
    if body and isinstance(body[-1], ast.If) and ast.unparse(body[-1].test) == "__name__ == '__main__'":
        body = body[:-1] + body[-1].body
    imports = [one for one in body if isinstance(one, ast.Import | ast.ImportFrom)]
    others = [one for one in body if not isinstance(one, ast.Import | ast.ImportFrom)]
    whole = ast.parse(f"{PREAMBLE}def {_WRAPPER}(): pass")
    function = cast("ast.FunctionDef", whole.body.pop())
    function.body = others
    whole.body += [*imports, function]
    module = _module(ast.fix_missing_locations(whole))
    if "class Solution" in program and "class Solution" in ast.unparse(function):
        # The official script looks for the class next to the function, where it is not found.
        return _function(getattr(module, "Solution")(), _WRAPPER)  # noqa: B009 # no attribute of every module
    return _function(module, _WRAPPER)


def _call_report(program: str, name: str, text: str) -> bytes:
    code = f"{PREAMBLE}\n\n{program}"
    try:
        module = _module(code)
        owner = getattr(module, "Solution")() if "class Solution" in code else module  # noqa: B009
        method = _function(owner, name)
        arguments: list[object] = [json.loads(line) for line in text.split("\n")]
    except Exception as error:
        return _failure("load", error)
    try:
        value = method(*arguments)
        return _value_report([*cast("tuple[object]", value)] if isinstance(value, tuple) else value)
    except Exception as error:
        return _failure("call", error)


def _module(code: str | ast.Module) -> ModuleType:
    module = ModuleType("tmp_sol", "")
    exec(compile(code, "<program>", "exec"), module.__dict__)
    return module


def _function(owner: object, name: str) -> Callable[..., object]:
    found: Callable[..., object] | None = getattr(owner, name, None)
    if found is None:
        raise TypeError(f"the program defines no {name!r}")
    return found


class _ForeignError(Exception):
    """The value equals no JSON value."""


def _value_report(value: object) -> bytes:
    try:
        return _encoded({"end": "value", "value": _plain(value)})
    except _ForeignError:
        return _encoded({"end": "foreign", "value": str(value)[:_SHOWN]})


def _plain(value: object) -> object:
    """The JSON value that equals this one; the value's own `__eq__` is never called."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, list):
        return [_plain(one) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        return _plain_dict(cast("dict[object, object]", value))
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return _plain_array(value)
    return _plain_scalar(value)


def _plain_dict(value: dict[object, object]) -> object:
    if any(type(key) is not str for key in value):
        raise _ForeignError
    return {str(key): _plain(one) for key, one in value.items()}


def _plain_array(value: Any) -> object:  # noqa: ANN401 # numpy is there only if the program imported it
    if value.size != 1:
        raise ValueError("the truth value of an array with more than one element is ambiguous")
    return _plain(value.tolist())


def _plain_scalar(value: object) -> object:
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, str):
        return str.__str__(value)
    if type(value) in (Decimal, Fraction):
        number = cast("Fraction", value)
        kinds: Sequence[Callable[[Fraction], int | float]] = (int, float)
        for kind in kinds:
            if kind(number) == number:
                return kind(number)
    raise _ForeignError


def _failure(phase: str, error: Exception) -> bytes:
    try:
        shown = repr(error)
    except Exception:
        shown = type(error).__name__
    # The official script knows its own alarm by this name, and takes any error of that name for it.
    if phase == "call" and "timeoutexception" in shown.lower():
        phase = "time"
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    return _encoded({"end": "error", "phase": phase, "error": shown[:_SHOWN], "missing": missing})


def _encoded(report: dict[str, object]) -> bytes:
    return json.dumps(report).encode()
