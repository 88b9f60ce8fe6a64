"""Benchmark any model. Prove every score.

    import assay

    result = assay.evaluate("openrouter/google/gemini-2.5-flash", "mmlu_pro", subset=5)
    print(result.score, result.interval)

    def pipeline(messages):
        return my_own_code(messages[-1]["content"])

    other = assay.evaluate(pipeline, "mmlu_pro", subset=5)
    print(assay.compare(result, other))

Runs are stored in the same data folder, by the same engine, as those of the command `assay`: `assay show`,
the web UI and `assay.load` find them all. What `__all__` names is public, and nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.domain import errors
    from assay.domain.benchmark import Grade
    from assay.domain.calls.messages import Completion, Usage
    from assay.domain.errors import AssayError
    from assay.domain.outcome import Outcome
    from assay.engine.one_file.declaration import benchmark
    from assay.python_api.comparison import ComparedPair, Comparison, compare
    from assay.python_api.evaluate import evaluate, evaluate_async, resume, resume_async
    from assay.python_api.result import EvaluationResult, ItemResult, Result, load

__all__ = [
    "AssayError",
    "ComparedPair",
    "Comparison",
    "Completion",
    "EvaluationResult",
    "Grade",
    "ItemResult",
    "Outcome",
    "Result",
    "Usage",
    "benchmark",
    "compare",
    "errors",
    "evaluate",
    "evaluate_async",
    "load",
    "resume",
    "resume_async",
]

# Imported when they are asked for: `import assay` and `assay --help` must answer at once.
_PLACES = {
    "AssayError": "assay.domain.errors",
    "Completion": "assay.domain.calls.messages",
    "Usage": "assay.domain.calls.messages",
    "Grade": "assay.domain.benchmark",
    "Outcome": "assay.domain.outcome",
    "benchmark": "assay.engine.one_file.declaration",
    "ComparedPair": "assay.python_api.comparison",
    "Comparison": "assay.python_api.comparison",
    "compare": "assay.python_api.comparison",
    "evaluate": "assay.python_api.evaluate",
    "evaluate_async": "assay.python_api.evaluate",
    "resume": "assay.python_api.evaluate",
    "resume_async": "assay.python_api.evaluate",
    "EvaluationResult": "assay.python_api.result",
    "ItemResult": "assay.python_api.result",
    "Result": "assay.python_api.result",
    "load": "assay.python_api.result",
}


def __getattr__(name: str) -> object:
    if name == "errors":
        return import_module("assay.domain.errors")
    if name not in _PLACES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return __all__
