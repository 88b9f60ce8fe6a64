"""What must be equal for two scores to be comparable."""

from dataclasses import asdict, dataclass, fields
from functools import lru_cache

from assay.domain.json_value import Json, digest

_LATER = ("user", "agent", "headers", "stop")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """One field per thing that a score depends on, except the model: models are what is compared."""

    benchmark: str
    benchmark_version: str
    mode: str
    data_revision: str
    data_checksum: str
    items_checksum: str
    prompts_checksum: str
    grader: str
    generation: str
    limits: str
    samples: int
    judge: str | None = None
    # The model that plays the user; where there is none the field is left out, as before it existed.
    user: str | None = None
    # A user's own agent, left out in the same way.
    agent: str | None = None
    # The run's own request headers, hashed; likewise.
    headers: str | None = None
    # The rule by which a run stops early, left out in the same way.
    stop: str | None = None

    @property
    def value(self) -> str:
        return _value(self)

    def to_json(self) -> dict[str, Json]:
        parts: dict[str, Json] = asdict(self)
        for name in _LATER:
            if parts[name] is None:
                del parts[name]
        return parts


# A page of runs needs the value for every evaluation, and most evaluations share one.
@lru_cache(maxsize=4096)
def _value(fingerprint: Fingerprint) -> str:
    return digest(fingerprint.to_json())


def differences(ours: Fingerprint, theirs: Fingerprint) -> tuple[str, ...]:
    """Names of the fields that differ, which make the two scores incomparable."""
    return tuple(f.name for f in fields(Fingerprint) if getattr(ours, f.name) != getattr(theirs, f.name))
