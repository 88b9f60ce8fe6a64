"""What must be equal for two scores to be comparable."""

from dataclasses import asdict, dataclass, fields
from functools import lru_cache

from assay.domain.canonical import digest


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """One field per thing a score depends on; the model is what is compared, so it is not among them."""

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

    @property
    def value(self) -> str:
        return _value(self)


# A page of runs needs it for every evaluation, and most have one in common with others.
@lru_cache(maxsize=4096)
def _value(fingerprint: Fingerprint) -> str:
    return digest(asdict(fingerprint))


def differences(ours: Fingerprint, theirs: Fingerprint) -> tuple[str, ...]:
    """Names of the fields that keep the two scores from being compared."""
    return tuple(f.name for f in fields(Fingerprint) if getattr(ours, f.name) != getattr(theirs, f.name))
