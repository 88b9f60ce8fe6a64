"""The verdict on a stored conversation."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from assay.benchmarks.tau2_telecom.arguments import parsed_arguments
from assay.benchmarks.tau2_telecom.environment import Requestor
from assay.benchmarks.tau2_telecom.release import World
from assay.benchmarks.tau2_telecom.reward import MadeCall, Reward, reward
from assay.benchmarks.tau2_telecom.tasks import TelecomTask
from assay.domain.benchmark import Grade, Result
from assay.domain.calls.messages import Json
from assay.domain.calls.transcript import Transcript, transcript_in
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate, pass_hat_k, score_estimate


def graded(task: TelecomTask, world: World, answer: str) -> Grade:
    transcript = transcript_in(answer)
    if transcript is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is not a transcript of a conversation")
    ended = transcript.facts.get("ended")
    ended = ended if isinstance(ended, str) else None
    calls = tuple(made_calls(transcript))
    found = reward(task, world, calls, tuple(_said(transcript)), ended=ended)
    outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(found.value, Outcome.PARTIAL)
    details = {**_details(found), "ended": ended, "calls": len(calls)}
    for name in ("steps", "tool_errors"):
        details[name] = transcript.facts.get(name)
    return Grade(outcome, found.value, explanation=_explanation(found, ended), details=details)


def made_calls(transcript: Transcript) -> Iterator[MadeCall]:
    """Calls without a stored answer were not carried out."""
    answers = {
        str(message["tool_call_id"]): str(message.get("content", ""))
        for message in transcript.messages
        if isinstance(message.get("tool_call_id"), str)
    }
    for message in transcript.messages:
        requestor: Requestor = "user" if message.get("role") == "user" else "assistant"
        for call in _list(message.get("tool_calls")):
            function = call.get("function")
            answer = answers.get(str(call.get("id")))
            if isinstance(function, Mapping) and answer is not None:
                name, text = str(function.get("name")), str(function.get("arguments"))
                yield MadeCall(requestor, name, _arguments(text), answer)


def _arguments(text: str) -> Mapping[str, Json] | None:
    try:
        return parsed_arguments(text)
    except ValueError:
        return None


def _said(transcript: Transcript) -> Iterator[str]:
    for message in transcript.messages:
        text = message.get("content")
        if message.get("role") == "assistant" and isinstance(text, str):
            yield text


def _list(value: Json) -> Sequence[Mapping[str, Json]]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return [one for one in value if isinstance(one, Mapping)]


def _details(found: Reward) -> dict[str, Json]:
    return {
        "reward_basis": None if found.basis is None else list(found.basis),
        "reward_breakdown": dict(found.breakdown or {}),
        "db_match": found.is_db_equal,
        "env_assertions": None if found.assertions is None else list(found.assertions),
        "action_checks": None if found.actions is None else list(found.actions),
    }


def _explanation(found: Reward, ended: str | None) -> str:
    if found.basis is None and found.value == 0:
        return f"the conversation ended with {ended}: no reward"
    failed = [name for name, part in (found.breakdown or {}).items() if part == 0]
    return f"not met: {', '.join(failed)}" if failed else f"met: {', '.join(found.breakdown or {})}"


def pass_hat_ks(results: Sequence[Result]) -> Mapping[str, Estimate]:
    """pass^k, up to the number of samples that every task has; attempts without a verdict are left out."""
    by_task: dict[str, list[bool]] = defaultdict(list)
    for result in results:
        by_task[result.item_id].append(is_success(result.score))
    fewest = min(map(len, by_task.values()), default=0)
    rates = {k: [pass_hat_k(len(one), sum(one), k) for one in by_task.values()] for k in range(1, fewest + 1)}
    estimates = {f"pass^{k}": score_estimate(values) for k, values in rates.items()}
    return {name: estimate for name, estimate in estimates.items() if estimate is not None}


def is_success(value: float) -> bool:
    return abs(value - 1) <= 1e-6  # noqa: PLR2004 # as the harness
