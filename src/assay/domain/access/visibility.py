"""Who sees a run."""

from dataclasses import dataclass
from enum import StrEnum


class Visibility(StrEnum):
    """Its owner and admins; also everybody who is let in; also whoever asks."""

    PRIVATE = "private"
    TEAM = "team"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who sees only some runs: the owners whose runs are theirs, and whether they were let in."""

    # None stands for runs without an owner.
    owners: tuple[str | None, ...] = ()
    is_known: bool = True

    @property
    def sees_of_others(self) -> frozenset[Visibility]:
        return frozenset({Visibility.TEAM, Visibility.PUBLIC} if self.is_known else {Visibility.PUBLIC})
