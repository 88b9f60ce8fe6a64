"""Runs one test of a Python task; standard input holds {"nonce", "test", "folder"} as JSON.

The test is a function of `tests.py` that takes `observe` and reports values with it. Every line of the report
begins with the nonce, which is read before any code of the workspace is imported.
"""

import sys

# A file of the workspace must not stand in for a module that is imported here.
sys.path = [one for one in sys.path if one and one != "/workspace"]

import asyncio  # noqa: E402
import inspect  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
from collections.abc import Awaitable, Callable  # noqa: E402

_MOST_CHARACTERS = 500


class Observe:
    """Reports what a test observed; the values are compared with the expected ones outside."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def __call__(self, value: object) -> None:
        self._write("value " + json.dumps(value, default=_unexpected))

    def raises(self, error: type[Exception], function: Callable[..., object], *arguments: object) -> None:
        """Report the name of `error` if the call raises it, else what happened instead."""
        try:
            function(*arguments)
        except error:
            self(error.__name__)
        except Exception as other:  # noqa: BLE001 # the observation is what was raised
            self(f"raised {type(other).__name__}")
        else:
            self("raised nothing")

    async def raises_async(self, error: type[Exception], awaitable: Awaitable[object]) -> None:
        """As `raises`, for an awaitable."""
        try:
            await awaitable
        except error:
            self(error.__name__)
        except Exception as other:  # noqa: BLE001 # the observation is what was raised
            self(f"raised {type(other).__name__}")
        else:
            self("raised nothing")


def _unexpected(value: object) -> str:
    return f"<{type(value).__qualname__}>"


def _writer(nonce: str) -> Callable[[str], None]:
    out = os.dup(1)

    def write(text: str) -> None:
        sys.stdout.flush()
        # One call per line, which begins with a line break: prints of other threads cannot split it.
        os.write(out, f"\n@{nonce} {text}\n".encode())

    return write


def main() -> None:
    order = json.loads(sys.stdin.read())
    write = _writer(order.pop("nonce"))
    name = order["test"]
    sys.path[:0] = [order["folder"], "/workspace"]
    write(f"start {name}")
    try:
        import tests  # pyright: ignore[reportMissingImports] # noqa: PLC0415 # the tests of the task

        result: object = getattr(tests, name)(Observe(write))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        if inspect.iscoroutine(result):
            asyncio.run(result)
    except BaseException as error:  # noqa: BLE001 # a test fails by whatever it raises
        write("error " + json.dumps(f"{type(error).__name__}: {error}"[:_MOST_CHARACTERS]))
    else:
        write(f"end {name}")
    write("done")


main()
