"""What the screen after the tests says: the result of each test, and whether the task is resolved."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

TestStatus = Literal["passed", "failed"]
Results = Mapping[str, TestStatus]
# A trial without one of these ended as it should; the names are those of the official result files.
Failure = Literal["agent_timeout", "test_timeout", "parse_error", "unknown_agent_error"]

_SUMMARY = re.compile("short test summary info", re.IGNORECASE)
_STATUSES: Mapping[str, TestStatus] = {
    "PASSED": "passed",
    "XFAIL": "passed",
    "SKIPPED": "passed",
    "FAILED": "failed",
    "XPASS": "failed",
    "ERROR": "failed",
}
_REASON = " - "
_SWEBENCH_START, _SWEBENCH_END = "SWEBench results starts here", "SWEBench results ends here"


class UnreadableScreenError(ValueError):
    """The tests printed no results in the form of the task's parser."""


@dataclass(frozen=True, slots=True)
class ScreenVerdict:
    """`is_resolved` is None where there are no results, which counts as not resolved."""

    is_resolved: bool | None
    results: Results | None
    failure: Failure | None


def pytest_results(screen: str) -> Results:
    """The lines after the first banner of pytest's short summary; UnreadableScreenError without one."""
    ends = _banner_ends(screen)
    if not ends:
        raise UnreadableScreenError("no short test summary on the screen")
    results: dict[str, TestStatus] = {}
    for line in screen[ends[0] :].splitlines():
        parts = _without_reason(line).split(maxsplit=1)
        status = _STATUSES.get(parts[0].strip(":")) if len(parts) > 1 else None
        name = parts[1].strip().split("::", maxsplit=1)[-1] if len(parts) > 1 else ""
        if status is not None and name:
            results[name] = status
    return results


def summary_count(screen: str) -> int:
    """How many summaries of pytest the screen shows."""
    return len(_banner_ends(screen))


def swebench_results(screen: str) -> Results:
    """One result, `tests`, by the text between the two marks; UnreadableScreenError without them."""
    if _SWEBENCH_START not in screen or _SWEBENCH_END not in screen:
        raise UnreadableScreenError("no results of SWE-bench on the screen")
    block = screen.split(_SWEBENCH_START, 1)[-1].rsplit(_SWEBENCH_END, 1)[0]
    return {"tests": "passed" if block.strip() == "PASSED" else "failed"}


PARSERS: Mapping[str, Callable[[str], Results]] = {"pytest": pytest_results, "swebench": swebench_results}


def is_resolved(results: Results) -> bool:
    """Whether all listed tests passed: the official rule, by which an empty list is resolved."""
    return all(status == "passed" for status in results.values())


def verdict(screen: str, *, parser: str, failure: Failure | None) -> ScreenVerdict:
    """The official verdict on a trial, given how its agent or its tests failed.

    A test time-out ends the trial without results, unless the agent failed before it: then the screen counts.
    """
    if failure == "test_timeout":
        return ScreenVerdict(None, None, failure)
    try:
        results = PARSERS[parser](screen)
    except UnreadableScreenError:
        return ScreenVerdict(None, None, "parse_error")
    return ScreenVerdict(is_resolved(results), results, failure)


def summary_start(screen: str) -> int:
    """Where the first summary begins, with the line of its banner; the end of the screen if there is none."""
    ends = _banner_ends(screen)
    if not ends:
        return len(screen)
    words = max(found.start() for found in _SUMMARY.finditer(screen, 0, ends[0]))
    return _past(screen, _past(screen, words, str.isspace, step=-1, stop=0), "=".__eq__, step=-1, stop=0)


def _banner_ends(screen: str) -> Sequence[int]:
    """Where the banners end: the words between `=` signs, with white space at will.

    Looks outwards from the words, since one expression for it takes quadratic time on a screen of `=` signs.
    """
    ends: list[int] = []
    reached = 0
    for words in _SUMMARY.finditer(screen):
        left = _past(screen, words.start(), str.isspace, step=-1, stop=reached)
        right = _past(screen, words.end(), str.isspace, step=1, stop=len(screen))
        if left > reached and screen[left - 1] == "=" and screen[right : right + 1] == "=":
            reached = _past(screen, right, "=".__eq__, step=1, stop=len(screen))
            ends.append(reached)
    return ends


def _past(text: str, start: int, is_skipped: Callable[[str], bool], *, step: int, stop: int) -> int:
    """The place next to the run of such characters that begins at `start`."""
    place = start
    while place != stop and is_skipped(text[place if step > 0 else place - 1]):
        place += step
    return place


def _without_reason(line: str) -> str:
    return line.rpartition(_REASON)[0] if line.startswith("FAILED") and _REASON in line else line
