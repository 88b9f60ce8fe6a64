"""A dataclass decorator for values that are created thousands of times per second."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """A dataclass that is frozen for the type checker only.

    A dataclass that is frozen at run time sets each field through `object.__setattr__`: for the values of one
    attempt that took longer than grading it.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
