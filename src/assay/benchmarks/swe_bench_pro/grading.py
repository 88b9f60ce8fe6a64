"""The verdict on a patch."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.benchmarks.swe_bench_pro.evaluation import Evaluation
from assay.domain.benchmark import Grade
from assay.domain.calls.messages import Json
from assay.domain.calls.transcript import transcript_in
from assay.domain.outcome import Outcome

_FACTS = ("agent_ended", "steps", "agent_s", "sandbox_s", "sandbox", "exit_code", "limit_reached")
_MOST_PATCH = 200_000
_MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class FoundPatch:
    """`is_attempt` is False for an answer that is neither a conversation nor a patch."""

    patch: str
    facts: Mapping[str, Json]
    is_attempt: bool = True


def patch_in(answer: str) -> FoundPatch:
    """The patch of a conversation, or an answer that is a patch."""
    transcript = transcript_in(answer)
    if transcript is not None and "patch" in transcript.facts:
        facts = {name: transcript.facts[name] for name in _FACTS if name in transcript.facts}
        return FoundPatch(str(transcript.facts["patch"]), facts)
    is_patch = answer.startswith("diff --git ")
    return FoundPatch(answer if is_patch else "", {}, is_patch)


def nothing_changed(found: FoundPatch) -> Grade:
    if not found.is_attempt:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer holds no patch")
    return Grade(Outcome.INCORRECT, 0.0, explanation="nothing was changed", details=found.facts)


def graded(found: FoundPatch, evaluation: Evaluation) -> Grade:
    """Solved if every required test passed; tests that were ended by a limit passed nothing."""
    tests, details = evaluation.tests, dict(found.facts)
    details |= {
        "passed": len(tests.passed),
        "missing": list(tests.missing[:_MOST_LISTED]),
        "ended": evaluation.ended,
        "evaluation_s": round(evaluation.seconds, 3),
        "sandbox": evaluation.confinement.to_json(),
    }
    patch = found.patch[:_MOST_PATCH]
    if evaluation.ended == "ok" and tests.is_solved:
        return Grade(Outcome.CORRECT, 1.0, patch, "every required test passed", details)
    details["output"] = evaluation.tail
    if evaluation.ended != "ok":
        reason = f"the tests were ended by the {evaluation.ended.replace('_', ' ')}"
    else:
        listed = ", ".join(tests.missing[:3])
        reason = f"{len(tests.missing)} required tests did not pass: {listed}"
    return Grade(Outcome.INCORRECT, 0.0, patch, reason, details)
