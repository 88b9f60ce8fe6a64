"""What verification found out, check by check, and what it amounts to in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from assay.domain.messages import Json

_SHOWN = 3


class Check(StrEnum):
    """In the order they are made."""

    ARCHIVE = "archive"
    KEY = "key"
    SIGNATURE = "signature"
    RESULTS_HASH = "results-hash"
    RUN_ID = "run-id"
    ATTEMPTS = "attempts"
    MERKLE = "merkle"
    FINGERPRINTS = "fingerprints"
    AGGREGATES = "aggregates"
    ITEM = "item"
    RESCORE = "rescore"


Status = Literal["passed", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`unknown` is a check that could not be made; it neither proves nor refutes."""

    check: Check
    status: Status
    detail: str


class Problems:
    """What one check found wrong: all counted, a few told."""

    def __init__(self) -> None:
        self.count = 0
        self._told: list[str] = []

    def add(self, problem: str) -> None:
        self.count += 1
        if len(self._told) < _SHOWN:
            self._told.append(problem)

    @property
    def text(self) -> str:
        more = f"; {self.count - len(self._told):,} more" if self.count > len(self._told) else ""
        return "; ".join(self._told) + more


def finding(check: Check, problems: Problems, passed: str) -> Finding:
    return Finding(check, "failed", problems.text) if problems.count else Finding(check, "passed", passed)


@dataclass(frozen=True, slots=True)
class Report:
    """`run` and `manifest` are what the bundle says of itself; believe them only where nothing failed."""

    findings: tuple[Finding, ...]
    manifest: Mapping[str, Json] = field(default_factory=dict[str, Json])
    run: Mapping[str, Json] = field(default_factory=dict[str, Json])
    exported_at: str | None = None
    benchmarks: int = 0
    attempts: int = 0

    def status(self, check: Check) -> Status | None:
        return next((one.status for one in self.findings if one.check is check), None)

    def is_passed(self, check: Check) -> bool:
        return self.status(check) == "passed"

    @property
    def is_refuted(self) -> bool:
        return any(one.status == "failed" for one in self.findings)

    @property
    def is_proven(self) -> bool:
        """Everything that was asked for was checked, and held."""
        return bool(self.findings) and all(one.status == "passed" for one in self.findings)

    @property
    def errors(self) -> tuple[str, ...]:
        return tuple(f"{one.check.value}: {one.detail}" for one in self.findings if one.status != "passed")


_PROVEN = {
    Check.KEY: "the bundle was signed with the key that you trust",
    Check.SIGNATURE: "the manifest is, byte for byte, what the holder of that key signed",
    Check.RESULTS_HASH: "no attempt, score or setting was changed, added or removed since",
    Check.MERKLE: "the signature covers each attempt, so any one of them can be proven alone",
    Check.AGGREGATES: "every score, interval, count, cost and percentile follows from the attempts",
    Check.ITEM: "this attempt, as it stands here, is one of those that were signed",
    Check.RESCORE: "the named graders, run again on the stored answers, give the same verdicts",
}
_NEVER_PROVEN = (
    "that the endpoint served the model it names: its name and fingerprint are the endpoint's own words",
    "that this run was not chosen among several: a bundle says nothing of runs that were not exported",
    "when it was signed: the times in it are the word of the signer's clock",
)
_NOT_RESCORED = "that the verdicts are right: the answers were not graded again (--rescore does)"


def proven(report: Report) -> tuple[str, ...]:
    """Nothing is proven by a bundle of which any part is refuted, or by a key that nobody vouches for."""
    if report.is_refuted or not report.is_passed(Check.SIGNATURE):
        return ()
    return tuple(text for check, text in _PROVEN.items() if report.is_passed(check))


def not_proven(report: Report) -> tuple[str, ...]:
    unsure = [one.detail for one in report.findings if one.status == "unknown"]
    not_rescored = [] if report.status(Check.RESCORE) else [_NOT_RESCORED]
    return (*unsure, *not_rescored, *_NEVER_PROVEN)
