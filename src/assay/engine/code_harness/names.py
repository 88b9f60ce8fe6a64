"""What the name of a benchmark says about its options, and the names of folders with results."""

import re
from collections.abc import Mapping, Sequence

from assay.domain.attempt import AttemptKey
from assay.domain.json_value import digest
from assay.domain.run import Evaluation, Run

BENCHMARK = "code_catalogue"
QUESTIONS = "expert_qa"
# Models with this prefix answer from a file.
REPLAYED = "replay"
# The level where none was asked for.
BASE_LEVEL = "base"
_THINKING = "thinking"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST = 100


def is_variant_of(benchmark: str, family: str) -> bool:
    """Whether it is the benchmark itself or one of its variants."""
    return benchmark.partition(":")[0] == family


def options_of(benchmark: str) -> Mapping[str, str]:
    """The options in a benchmark's name, in order; those without a value have an empty one."""
    _, _, text = benchmark.partition(":")
    parts = (part.partition("=") for part in text.split("+") if part)
    return {name: value for name, _, value in parts}


def without_level(benchmark: str) -> str:
    """The benchmark's name with all options but the thinking level."""
    name, _, text = benchmark.partition(":")
    kept = [part for part in text.split("+") if part and part.partition("=")[0] != _THINKING]
    return f"{name}:{'+'.join(kept)}" if kept else name


def level_of(evaluation: Evaluation) -> str:
    """The thinking level that was sent: an effort, `budget_tokens=N`, or `base`."""
    # An effort takes the place of a budget in the request.
    effort = evaluation.generation.reasoning_effort
    return effort or options_of(evaluation.benchmark).get(_THINKING) or BASE_LEVEL


def run_folder(run: Run) -> str:
    return f"run_{run.created_at:%Y%m%dT%H%M%SZ}_{run.id[:6]}"


def model_names(models: Sequence[str]) -> Mapping[str, str]:
    """The models of a run as parts of file names, each another."""
    found: dict[str, str] = {}
    for model in models:
        name = _UNSAFE.sub("_", model)
        if len(name) > _LONGEST or name in found.values():
            name = f"{name[:_LONGEST]}-{digest(model)[:8]}"
        found[model] = name
    return found


def attempt_folder(key: AttemptKey, *, model_name: str, level: str) -> str:
    task = _UNSAFE.sub("_", key.item_id)
    return f"{task}__{model_name}__sample{key.sample:02d}__lvl_{_UNSAFE.sub('_', level)}"
