"""Values that are made by the thousand per second."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """A frozen dataclass to the type checker, which is who keeps it so.

    A class that is frozen while running sets each field through `object.__setattr__`: for the values of one
    attempt that took longer than grading it.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
