"""A compiler or interpreter of this machine, as a sandbox needs it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.domain.programs.sandbox import Mount


@dataclass(frozen=True, slots=True)
class Toolchain:
    """`program` is its path inside the sandbox, where `mounts` make it visible."""

    name: str
    version: str
    program: str
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
