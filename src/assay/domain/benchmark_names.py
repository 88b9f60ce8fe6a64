"""Names that other tools give to benchmarks: accepted wherever one is named, and shown by ours."""

from collections.abc import Mapping

# The older bench runner calls it so; the other names of its catalogue are the same here.
ALIASES: Mapping[str, str] = {
    "if-bench": "ifbench",
    "if_bench": "ifbench",
    "tau_bench_telecom": "tau2_telecom",
}


def own_name(name: str) -> str:
    """The name that the benchmark, or its variant after a colon, has here; any other name as it is."""
    family, colon, variant = name.partition(":")
    known = ALIASES.get(family.strip().casefold())
    return name if known is None else f"{known}{colon}{variant}"


def aliases_of(name: str) -> tuple[str, ...]:
    return tuple(alias for alias, known in ALIASES.items() if known == name)
