"""A stored run of Expert QA in the words of the harness: questions by number, and the judge's decisions."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from assay.domain.json_value import Json
from assay.engine.code_harness.attempts import CodeAttempt, attempt_document
from assay.engine.code_harness.summary import CodeRun, attempt_manifest, summary_document

_SHARED = (
    "model", "provider", "sample_index", "status", "error", "error_type", "is_transient",
    "thinking_level_requested", "thinking_level_supported", "thinking_level_applied", "usage",
    "api_latency_seconds", "duration_seconds", "cost_usd",
)  # fmt: skip
# What only runs of code tasks have, or have in other words.
_OF_CODE = frozenset(
    {
        *("tasks", "task_status", "run_dir", "patch_fallbacks_used", "install_deps", "include_tests"),
        *("allow_incomplete_diffs", "allow_diff_rewrite_fallback"),
    }
)


def question_number(item_id: str) -> int:
    return int(item_id)


def by_number(attempts: Iterable[CodeAttempt]) -> list[CodeAttempt]:
    """The store has them in the order of their ids as texts."""
    return sorted(attempts, key=lambda one: question_number(one.attempt.item_id))


def question_document(one: CodeAttempt) -> dict[str, Json]:
    attempt, details = one.attempt, one.attempt.details
    document = attempt_document(one)
    cost = attempt.judge_cost_usd
    return {
        "question_number": question_number(attempt.item_id),
        **{name: document[name] for name in _SHARED},
        "model_answer": attempt.extracted,
        "expected_answer": attempt.expected,
        "judge_decision": details.get("decision"),
        "judge_rationale": details.get("reason"),
        "judge_cost_usd": None if cost is None else float(cost),
    }


def questions_summary(found: CodeRun) -> dict[str, Json]:
    """As `summary_document`, about questions; the cost of judges stands beside that of the models."""
    document = summary_document(found)
    usage = document["token_usage"]
    judged = [one.attempt.judge_cost_usd for one in found.attempts]
    known = [cost for cost in judged if cost is not None]
    return {
        **{name: value for name, value in document.items() if name not in _OF_CODE},
        "questions": [question_number(task) for task in found.task_ids],
        "question_count": len(found.task_ids),
        "attempts": [question_document(one) for one in by_number(found.attempts)],
        "question_status": document["task_status"],
        "attempt_manifest": [_planned(entry) for entry in attempt_manifest(found)],
        "token_usage": {
            **(usage if isinstance(usage, Mapping) else {}),
            "judge_cost_usd": float(sum(known, Decimal(0))) if known else None,
        },
    }


def _planned(entry: Json) -> Json:
    if not isinstance(entry, Mapping):
        return entry
    kept = {name: value for name, value in entry.items() if name not in {"task_id", "attempt_dir"}}
    return {"question_number": question_number(str(entry["task_id"])), **kept}
