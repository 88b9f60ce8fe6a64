"""The policy of a gate, from a TOML file: defaults, and rules for single benchmarks."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.domain.benchmark_names import own_name
from assay.domain.errors import InvalidValueError
from assay.engine.planning.toml_table import Table

DEFAULT_MAX_DROP = 0.02


@dataclass(frozen=True, slots=True)
class Rules:
    """Shares are from 0 to 1; None switches a rule off."""

    # A smaller drop is not a regression.
    max_drop: float = DEFAULT_MAX_DROP
    min_score: float | None = None
    # Judged by the score alone, whatever its interval.
    threshold: float | None = None
    # The share of attempts that must have a verdict.
    min_scored: float | None = None
    max_cost_usd: float | None = None
    max_ttft_p90_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    defaults: Rules = Rules()
    benchmarks: Mapping[str, Rules] = field(default_factory=dict[str, Rules])
    # Benchmarks that must be in the run; by default those of the baseline.
    required: tuple[str, ...] = ()

    def rules(self, benchmark: str) -> Rules:
        return self.benchmarks.get(benchmark, self.defaults)

    def with_threshold(self, threshold: float) -> "Policy":
        """This policy with the threshold set for every benchmark."""
        if not 0 <= threshold <= 1:
            raise InvalidValueError(f"threshold must be a share from 0 to 1, not {threshold:g}")
        own = {name: replace(rules, threshold=threshold) for name, rules in self.benchmarks.items()}
        return Policy(replace(self.defaults, threshold=threshold), own, self.required)


def read_policy(path: Path) -> Policy:
    """Raises InvalidValueError, which names the file and the key."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidValueError(f"cannot read the policy {str(path)!r}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidValueError(f"the policy {str(path)!r} is not TOML: {error}") from error
    table = Table(path.name, content)
    defaults = _rules(table.table("defaults", default={}), Rules())
    benchmarks = table.table("benchmarks", default={})
    own = {own_name(name): _rules(benchmarks.table(name), defaults) for name in benchmarks.names}
    policy = Policy(defaults, own, tuple(map(own_name, table.texts("required", default=()))))
    table.finish()
    return policy


def _rules(table: Table, fallback: Rules) -> Rules:
    found = {
        "max_drop": table.optional_number("max_drop", at_least=0.0, at_most=1.0),
        "min_score": table.optional_number("min_score", at_least=0.0, at_most=1.0),
        "threshold": table.optional_number("threshold", at_least=0.0, at_most=1.0),
        "min_scored": table.optional_number("min_scored", at_least=0.0, at_most=1.0),
        "max_cost_usd": table.optional_number("max_cost_usd", at_least=0.0),
        "max_ttft_p90_ms": table.optional_number("max_ttft_p90_ms", at_least=0.0),
    }
    table.finish()
    return replace(fallback, **{name: value for name, value in found.items() if value is not None})
