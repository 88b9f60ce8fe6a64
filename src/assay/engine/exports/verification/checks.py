"""The findings of a verification, and what they prove."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Self

from assay.domain.calls.messages import Json
from assay.domain.stats import Estimate

_SHOWN = 3
_LONGEST = 500


class Check(StrEnum):
    """In the order in which they are made."""

    ARCHIVE = "archive"
    KEY = "key"
    SIGNATURE = "signature"
    RESULTS_HASH = "results-hash"
    RUN_ID = "run-id"
    ATTEMPTS = "attempts"
    MERKLE = "merkle"
    FINGERPRINTS = "fingerprints"
    AGGREGATES = "aggregates"
    STOPPING = "stopping"
    ITEM = "item"
    RESCORE = "rescore"


Status = Literal["passed", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`unknown` means that the check could not be made; it neither proves nor refutes."""

    check: Check
    status: Status
    detail: str


class Problems:
    """The problems that one check found: all are counted, the first few are kept."""

    def __init__(self) -> None:
        self.count = 0
        self._texts: list[str] = []

    def add(self, problem: str) -> None:
        self.count += 1
        if len(self._texts) < _SHOWN:
            # A problem quotes the file, which may hold anything.
            self._texts.append(problem if len(problem) <= _LONGEST else f"{problem[:_LONGEST]}…")

    @property
    def text(self) -> str:
        more = f"; {self.count - len(self._texts):,} more" if self.count > len(self._texts) else ""
        return "; ".join(self._texts) + more


def finding(check: Check, problems: Problems, passed: str) -> Finding:
    return Finding(check, "failed", problems.text) if problems.count else Finding(check, "passed", passed)


@dataclass(frozen=True, slots=True)
class RecomputedScore:
    """What the attempts of one evaluation give, whatever the bundle states."""

    model: str
    benchmark: str
    score: Estimate | None
    scored: int
    total: int


@dataclass(frozen=True, slots=True)
class Report:
    """`run` and `manifest` are what the bundle states; do not rely on them if a check failed."""

    findings: tuple[Finding, ...]
    manifest: Mapping[str, Json] = field(default_factory=dict[str, Json])
    run: Mapping[str, Json] = field(default_factory=dict[str, Json])
    exported_at: str | None = None
    benchmarks: int = 0
    attempts: int = 0
    scores: tuple[RecomputedScore, ...] = ()
    # False for a file that does not even claim to be an export.
    is_export: bool = True

    @classmethod
    def of_other_file(cls, reason: str) -> Self:
        return cls((Finding(Check.ARCHIVE, "unknown", reason),), is_export=False)

    def status(self, check: Check) -> Status | None:
        return next((one.status for one in self.findings if one.check is check), None)

    def is_passed(self, check: Check) -> bool:
        return self.status(check) == "passed"

    @property
    def is_refuted(self) -> bool:
        return any(one.status == "failed" for one in self.findings)

    @property
    def is_proven(self) -> bool:
        """Whether every check passed."""
        return bool(self.findings) and all(one.status == "passed" for one in self.findings)

    @property
    def errors(self) -> tuple[str, ...]:
        return tuple(f"{one.check.value}: {one.detail}" for one in self.findings if one.status != "passed")


_PROVEN = {
    Check.KEY: "the bundle was signed with a key that you trust",
    Check.SIGNATURE: "the manifest is, byte for byte, what the holder of that key signed",
    Check.RESULTS_HASH: "no attempt, score or setting was changed, added or removed since",
    Check.MERKLE: "the signature covers each attempt, so any one of them can be proven alone",
    Check.AGGREGATES: "every score, interval, count, cost and percentile follows from the attempts",
    Check.STOPPING: "the run stopped where its rule says, and what it settled follows from the attempts",
    Check.ITEM: "this attempt, exactly as shown, is one of the signed attempts",
    Check.RESCORE: "the named graders, run again on the stored answers, give the same verdicts",
}
_NEVER_PROVEN = (
    "that the endpoint served the model it names: name and fingerprint are what the endpoint states",
    "that this run was not selected among several: a bundle says nothing about runs that were not exported",
    "when it was signed: the times in it come from the signer's clock",
)
_NOT_RESCORED = (
    "that the verdicts are right: the answers were not graded again (`assay verify --rescore` does)"
)


def proven(report: Report) -> tuple[str, ...]:
    """Empty if any check failed, or if the signature was not verified."""
    if report.is_refuted or not report.is_passed(Check.SIGNATURE):
        return ()
    return tuple(text for check, text in _PROVEN.items() if report.is_passed(check))


def not_proven(report: Report) -> tuple[str, ...]:
    if not report.is_export:
        return ()
    unknown = [one.detail for one in report.findings if one.status == "unknown"]
    not_rescored = [] if report.status(Check.RESCORE) else [_NOT_RESCORED]
    return (*unknown, *not_rescored, *_NEVER_PROVEN)
