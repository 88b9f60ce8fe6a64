"""Verifies a bundle or a proof, and says in words what is proven by it and what is not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import typer

from assay.adapters.signing.ed25519 import is_signed_by
from assay.bootstrap import benchmark_files, data_library, grading_services
from assay.cli.actions.trust import trust_of
from assay.cli.event_loop import run_async
from assay.cli.output.write import percent, write_file, write_json, write_note
from assay.domain.errors import InvalidValueError
from assay.domain.stats import plural
from assay.engine.exports.archive import ZIP_START
from assay.engine.exports.reading import Document
from assay.engine.exports.verification.checks import (
    Check,
    Finding,
    RecomputedScore,
    Report,
    not_proven,
    proven,
)
from assay.engine.exports.verification.proof import MAX_PROOF_BYTES, AttemptSelector, make_proof, verify_proof
from assay.engine.exports.verification.rescore import Rescorer
from assay.engine.exports.verification.verify import Verifier
from assay.engine.exports.writing import readable
from assay.engine.planning.catalogue import Catalogue
from assay.settings import Settings, load_settings

PROVEN, REFUTED, UNDECIDED = 0, 1, 2
_MARKS = {"passed": "✓", "failed": "✗", "unknown": "?"}
_ATTEMPT_SHOWN = ("benchmark", "model", "item_id", "sample", "outcome", "score", "response")


@dataclass(frozen=True, slots=True)
class Asked:
    keys: tuple[str, ...]
    rescore: bool
    data: str | None
    benchmark_files: tuple[Path, ...]
    item: str | None
    sample: int
    benchmark: str | None
    model: str | None
    proof: Path | None
    as_json: bool

    @property
    def wanted(self) -> AttemptSelector | None:
        if self.item is None:
            return None
        return AttemptSelector(self.item, self.sample, self.benchmark, self.model)


def verify_files(paths: Sequence[Path], asked: Asked) -> int:
    """The exit code: that of the worst verdict."""
    if asked.proof is not None and asked.item is None:
        raise InvalidValueError("--proof writes the proof of one attempt: name its item with --item")
    if asked.item is not None and len(paths) > 1:
        raise InvalidValueError("--item names an attempt in one export: name one file")
    settings = load_settings()
    catalogue, files = Catalogue.installed(), benchmark_files(settings)
    for path in asked.benchmark_files:
        catalogue = catalogue.extended(files.load(str(path)).benchmarks)
    verifier = Verifier(is_signed_by, trust_of(settings, asked.keys), catalogue)
    codes, documents = set[int](), list[dict[str, object]]()
    for place, path in enumerate(paths):
        report, attempt = _verified(path, asked, verifier, settings)
        codes.add(_exit_code(report))
        if asked.as_json:
            documents.append(_document(path, report, attempt))
        else:
            _print(path, report, attempt, is_first=place == 0)
    if asked.as_json:
        write_json(documents[0] if len(paths) == 1 else documents)
    return next((code for code in (REFUTED, UNDECIDED) if code in codes), PROVEN)


def _verified(path: Path, asked: Asked, verifier: Verifier, settings: Settings) -> tuple[Report, Document]:
    try:
        with path.open("rb") as file:
            is_bundle = file.read(len(ZIP_START)) == ZIP_START
            file.seek(0)
            if is_bundle:
                return run_async(_bundle(file, asked, verifier, settings)), {}
            return verify_proof(verifier, file.read(MAX_PROOF_BYTES), item_id=asked.item)
    except OSError as error:
        raise InvalidValueError(f"cannot read {str(path)!r}: {error.strerror}") from error


async def _bundle(file: BinaryIO, asked: Asked, verifier: Verifier, settings: Settings) -> Report:
    report = await verifier.verify(file)
    if asked.rescore and report.status(Check.ATTEMPTS) == "passed":
        async with grading_services(settings) as services:
            rescorer = Rescorer(verifier.catalogue, data_library(settings), services, asked.data)
            report = replace(report, findings=(*report.findings, await rescorer.rescore(file)))
    if asked.wanted is not None and report.is_export and not report.is_refuted:
        document = make_proof(file, asked.wanted)
        held = Finding(Check.ITEM, "passed", f"item {asked.item!r} is among the signed attempts")
        report = replace(report, findings=(*report.findings, held))
        if asked.proof is not None:
            write_file(asked.proof, readable(document))
    return report


def _exit_code(report: Report) -> int:
    if report.is_refuted:
        return REFUTED
    return PROVEN if report.is_proven else UNDECIDED


def _verdict(report: Report) -> str:
    return ("PROVEN", "REFUTED", "NOT DECIDED")[_exit_code(report)] if report.is_export else "NOT AN EXPORT"


def _document(path: Path, report: Report, attempt: Document) -> dict[str, object]:
    return {
        "file": str(path),
        "verdict": _verdict(report).lower().replace(" ", "-"),
        "checks": [
            {"check": one.check.value, "status": one.status, "detail": one.detail} for one in report.findings
        ],
        "proven": list(proven(report)),
        "not_proven": list(not_proven(report)),
        "run_id": report.manifest.get("run_id"),
        "run_status": report.manifest.get("run_status"),
        "models": report.run.get("models"),
        "overall_score": report.run.get("overall_score"),
        "attempts": report.attempts,
        "public_key_fingerprint": report.manifest.get("public_key_fingerprint"),
        "merkle": report.manifest.get("merkle"),
        "attempt": dict(attempt) or None,
    }


def _print(path: Path, report: Report, attempt: Document, *, is_first: bool) -> None:
    if not is_first:
        typer.echo("")
    write_note(f"{path}: {_verdict(report)}")
    for line in _about(report, attempt):
        write_note(line, indent="  ")
    typer.echo("")
    for one in report.findings:
        write_note(f"{_MARKS[one.status]} {one.check.value}: {one.detail}", indent="  ")
    for title, lines in (("Proven", proven(report)), ("Not proven", not_proven(report))):
        if lines:
            typer.echo(f"\n{title}:")
        for line in lines:
            write_note(f"- {line}", indent="  ")


def _about(report: Report, attempt: Document) -> list[str]:
    if attempt:
        return [f"{name}: {attempt[name]}" for name in _ATTEMPT_SHOWN if attempt.get(name) is not None]
    if not report.run:
        return []
    score = report.run.get("overall_score")
    shown = f", overall score {percent(score)}{_coverage(report.run)}" if isinstance(score, float) else ""
    status = report.manifest.get("run_status")
    return [
        f"run {report.manifest.get('run_id')} ({status}) of {report.run.get('model_slug')}{shown}",
        f"{plural(report.benchmarks, 'evaluation')}, {plural(report.attempts, 'attempt')}",
        *(_score_line(one) for one in report.scores if report.is_passed(Check.AGGREGATES)),
    ]


def _score_line(found: RecomputedScore) -> str:
    score = found.score
    shown = "no score"
    if score is not None:
        interval = score.interval
        shown = percent(score.value)
        shown += f" ({percent(interval.low)} to {percent(interval.high)})" if interval else ""
    return f"{found.model} on {found.benchmark}: {shown}, {found.scored:,} of {found.total:,} scored"


def _coverage(run: Document) -> str:
    counted, total = run.get("scored_evaluations"), run.get("total_evaluations")
    return "" if counted == total else f" over {counted} of {total} evaluations"
