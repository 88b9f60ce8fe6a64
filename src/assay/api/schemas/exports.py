"""Exports and their verification as responses."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Literal, Protocol, Self

from pydantic import Field

from assay.api.schemas.evaluations import Estimate
from assay.api.schemas.fields import FreeText, Schema
from assay.domain.calls.messages import Json
from assay.engine.exports.verification.checks import (
    Check,
    Finding,
    RecomputedScore,
    Report,
    not_proven,
    proven,
)

Verdict = Literal["proven", "refuted", "undecided", "not_an_export"]


_LONGEST_TEXT = 1_000


class SigningKey(Protocol):
    @property
    def public_key(self) -> bytes: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def key_id(self) -> str: ...

    @property
    def is_current(self) -> bool: ...


class PublicKey(Schema):
    key_id: str
    public_key: str = Field(description="Base64 of the 32 raw bytes")
    fingerprint: str = Field(description="SHA-256 of the raw bytes, in hex")
    is_current: bool

    @classmethod
    def of(cls, key: SigningKey) -> Self:
        return cls(
            key_id=key.key_id,
            public_key=b64encode(key.public_key).decode(),
            fingerprint=key.fingerprint,
            is_current=key.is_current,
        )


class PublicKeys(Schema):
    """The key that signs exports, and all keys that this server verifies exports with."""

    algorithm: Literal["ed25519"] = "ed25519"
    key_id: str
    public_key: str
    public_key_fingerprint: str
    fingerprint: str = Field(description="The same value, named as in `keys`")
    keys: tuple[PublicKey, ...]


class CheckResult(Schema):
    """`unknown` means that the check could not be made: it neither proves nor refutes."""

    check: Check
    status: Literal["passed", "failed", "unknown"]
    detail: FreeText

    @classmethod
    def of(cls, finding: Finding) -> Self:
        return cls(check=finding.check, status=finding.status, detail=finding.detail)


class ProvenScore(Schema):
    model: FreeText
    benchmark: FreeText
    score: Estimate | None
    scored: int
    total: int

    @classmethod
    def of(cls, found: RecomputedScore) -> Self:
        return cls(
            model=found.model[:_LONGEST_TEXT],
            benchmark=found.benchmark[:_LONGEST_TEXT],
            score=Estimate.of(found.score) if found.score else None,
            scored=found.scored,
            total=found.total,
        )


class VerificationResult(Schema):
    """Values that cannot be read from the file are null."""

    valid: bool
    signature_valid: bool = Field(description="Signed by a key of this server")
    hash_match: bool
    errors: tuple[FreeText, ...]
    run_id: FreeText | None
    model_slug: FreeText | None
    subset_pct: int | None
    subset_count: int | None
    subset_seed: FreeText | None
    named_items: int | None = Field(description="Number of items that the run named; 0 if it named none")
    overall_score: float | None
    scores: tuple[ProvenScore, ...] = Field(
        description="Recomputed from the attempts, up to 200; empty unless the file states the same"
    )
    exported_at: FreeText | None
    benchmark_count: int
    public_key_fingerprint: FreeText | None
    verdict: Verdict
    run_status: FreeText | None
    attempts: int
    checks: tuple[CheckResult, ...]
    proven: tuple[str, ...]
    not_proven: tuple[FreeText, ...]

    @classmethod
    def of(cls, report: Report) -> Self:
        run, manifest = report.run, report.manifest
        is_signed = report.is_passed(Check.SIGNATURE) and report.is_passed(Check.KEY)
        return cls(
            valid=not report.is_refuted and is_signed and report.is_passed(Check.RESULTS_HASH),
            signature_valid=is_signed,
            hash_match=report.is_passed(Check.RESULTS_HASH),
            errors=report.errors,
            run_id=_text(manifest, "run_id"),
            model_slug=_text(run, "model_slug"),
            subset_pct=_integer(run, "subset_pct"),
            subset_count=_integer(run, "subset_count"),
            subset_seed=_text(run, "subset_seed"),
            named_items=_length(run, "items"),
            overall_score=_number(run, "overall_score"),
            scores=tuple(map(ProvenScore.of, report.scores)) if report.is_passed(Check.AGGREGATES) else (),
            exported_at=None if report.exported_at is None else report.exported_at[:_LONGEST_TEXT],
            benchmark_count=report.benchmarks,
            public_key_fingerprint=_text(manifest, "public_key_fingerprint"),
            verdict=_verdict(report),
            run_status=_text(manifest, "run_status"),
            attempts=report.attempts,
            checks=tuple(map(CheckResult.of, report.findings)),
            proven=proven(report),
            not_proven=not_proven(report),
        )


def _verdict(report: Report) -> Verdict:
    if not report.is_export:
        return "not_an_export"
    if report.is_refuted:
        return "refuted"
    return "proven" if report.is_proven else "undecided"


# The file is not trusted: values of a wrong type are left out, and long ones cut.
def _text(document: Mapping[str, Json], name: str) -> str | None:
    value = document.get(name)
    return value[:_LONGEST_TEXT] if isinstance(value, str) else None


def _integer(document: Mapping[str, Json], name: str) -> int | None:
    value = document.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _length(document: Mapping[str, Json], name: str) -> int | None:
    value = document.get(name)
    return len(value) if isinstance(value, list) else None


def _number(document: Mapping[str, Json], name: str) -> float | None:
    value = document.get(name)
    return value if isinstance(value, float | int) and not isinstance(value, bool) else None
