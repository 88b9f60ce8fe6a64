"""The verdict on a trial, from the answer that holds it."""

from collections.abc import Mapping, Sequence

from assay.benchmarks.terminal_bench_hard.screen import (
    Failure,
    Results,
    is_resolved,
    summary_count,
    verdict,
)
from assay.domain.benchmark import Grade
from assay.domain.calls.messages import Json
from assay.domain.calls.transcript import transcript_in
from assay.domain.outcome import Outcome

_MOST_LISTED = 200
_FACTS = ("agent_ended", "steps", "agent_s", "sandbox_s", "sandbox", "exit_code", "limit_reached")
# Where pytest was told to skip tests, its summary names files instead of tests.
_SKIPPED = "["


def graded(answer: str, test_names: Sequence[str]) -> Grade:
    """Resolved by the official rule, and only if the tests were ours and really ran."""
    transcript = transcript_in(answer)
    tests = transcript.facts.get("tests") if transcript is not None else None
    if transcript is None or not isinstance(tests, Mapping):
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer holds no trial")
    details: dict[str, Json] = {name: transcript.facts[name] for name in _FACTS if name in transcript.facts}
    if tests.get("status", "ok") != "ok":
        ended = str(tests["status"])
        said = str(tests.get("reason", "")) or ended
        return _unresolved(details, f"the container could not run the tests ({ended}): {said}", ended)
    if transcript.facts.get("layout") == "harbor":
        return _rewarded(tests, details)
    return _screened(transcript.facts, tests, details, test_names)


def _screened(
    facts: Mapping[str, Json], tests: Mapping[str, Json], details: dict[str, Json], test_names: Sequence[str]
) -> Grade:
    screen = str(tests.get("screen", ""))
    failure: Failure | None = "agent_timeout" if facts.get("agent_ended") == "time" else None
    if failure is None and tests.get("is_in_time") is not True:
        failure = "test_timeout"
    found = verdict(screen, parser=str(facts.get("parser", "pytest")), failure=failure)
    details |= {"failure": found.failure, "official_resolved": found.is_resolved}
    if found.results is None:
        reasons = {
            "test_timeout": "the tests did not end in time",
            "parse_error": "the tests printed no results",
        }
        return _unresolved(details, reasons.get(str(found.failure), str(found.failure)), str(found.failure))
    details["tests"] = [
        {"name": name, "result": result} for name, result in list(found.results.items())[:_MOST_LISTED]
    ]
    failed = [name for name, result in found.results.items() if result == "failed"]
    if not is_resolved(found.results):
        listed = ", ".join(failed[:5])
        return _unresolved(details, f"{len(failed)} of {len(found.results)} tests failed: {listed}", "failed")
    doubt = _doubt(found.results, screen, tests, test_names)
    if doubt is not None:
        return _unresolved(details, doubt, "not_proven")
    return Grade(Outcome.CORRECT, 1.0, explanation=f"passed all {len(found.results)} tests", details=details)


def _doubt(results: Results, screen: str, tests: Mapping[str, Json], test_names: Sequence[str]) -> str | None:
    """Why results that say that all is well prove nothing."""
    altered = tests.get("altered")
    if isinstance(altered, Sequence) and altered:
        return f"files of the tests were changed while they ran: {', '.join(map(str, altered[:5]))}"
    if not results:
        return "no test ran"
    if summary_count(screen) > 1:
        return "the screen shows more than one summary of tests"
    run = {name.partition("[")[0].rpartition("::")[2] for name in results}
    missing = sorted(set(test_names) - run)
    if missing and not any(name.startswith(_SKIPPED) for name in results):
        return f"these tests are not among the results: {', '.join(missing[:5])}"
    return None


def _rewarded(tests: Mapping[str, Json], details: dict[str, Json]) -> Grade:
    """Harbor's number; a task is solved with all of it."""
    if tests.get("is_in_time") is not True:
        return _unresolved(
            details | {"failure": "test_timeout"}, "the tests did not end in time", "test_timeout"
        )
    reward = tests.get("reward")
    if not isinstance(reward, int | float):
        return _unresolved(details | {"failure": "parse_error"}, "the tests wrote no reward", "parse_error")
    details["reward"] = reward
    altered = tests.get("altered")
    if reward >= 1 and isinstance(altered, Sequence) and altered:
        return _unresolved(details, "files of the tests were changed while they ran", "not_proven")
    if reward >= 1:
        return Grade(Outcome.CORRECT, 1.0, explanation="reward 1", details=details)
    return _unresolved(details, f"reward {reward:g}", "failed")


def _unresolved(details: Mapping[str, Json], explanation: str, ended: str) -> Grade:
    return Grade(Outcome.INCORRECT, 0.0, explanation=explanation, details={**details, "ended": ended})
