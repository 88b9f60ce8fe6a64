"""The benchmarks that one request with thinking levels stands for."""

from dataclasses import dataclass, replace

from assay.domain.errors import InvalidValueError
from assay.engine.code_harness.names import BENCHMARK
from assay.engine.code_harness.options import Options

_DEFAULT_LEVEL = "medium"
_SWEEP = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Thinking:
    """Without a level, the model is asked as it is; with variants or a sweep, at several levels."""

    level: str | None = None
    include_variants: bool = False
    sweep: bool = False

    @property
    def levels(self) -> tuple[str | None, ...]:
        """Each once; None is the base, without any."""
        if not self.include_variants and not self.sweep:
            return (self.level,)
        found: list[str | None] = [None]
        found += _SWEEP if self.sweep else [self.level or _DEFAULT_LEVEL]
        found += [self.level] if self.level is not None else []
        return tuple(dict.fromkeys(found))


def benchmark_names(options: Options, thinking: Thinking, *, benchmark: str = BENCHMARK) -> tuple[str, ...]:
    """One for each level, with the other options; raises InvalidValueError."""
    if thinking.level is not None and thinking.level.startswith("budget_seconds="):
        raise InvalidValueError(
            "no provider takes a thinking budget in seconds: give a word such as 'high', or budget_tokens=N"
        )
    return tuple(_name(benchmark, replace(options, thinking=level)) for level in thinking.levels)


def _name(benchmark: str, options: Options) -> str:
    text = options.name
    if text and Options.parse(text) != options:
        given = [one for one in (options.thinking, options.provider) if one is not None]
        raise InvalidValueError(
            f"{' or '.join(map(repr, given))} cannot be used: a thinking level is a word such as 'high' or"
            " budget_tokens=N, and a provider is a name without spaces"
        )
    return f"{benchmark}:{text}" if text else benchmark
