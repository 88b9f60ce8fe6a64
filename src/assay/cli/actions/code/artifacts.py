"""The files of a run of code tasks: its folder, with one for each attempt, and the latest results beside."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from assay.domain.calls.messages import Json
from assay.domain.errors import DataMissingError, InvalidValueError, StoreError
from assay.engine.code_harness.artifacts import attempt_files
from assay.engine.code_harness.attempts import CodeAttempt, attempt_document
from assay.engine.code_harness.names import model_names
from assay.engine.code_harness.statuses import STATUSES
from assay.engine.code_harness.summary import CodeRun, attempt_manifest, attempts_document, summary_document
from assay.engine.stores.attempts import AttemptStore
from assay.installation import version

_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class ArtifactFolder:
    """`place` is the run's own folder where that is known already."""

    root: Path
    secrets: Sequence[str]
    place: Path | None = None

    @classmethod
    def below(cls, root: Path, *, secrets: Sequence[str]) -> "ArtifactFolder":
        """A folder that can be written to; raises InvalidValueError."""
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidValueError(f"cannot write to {str(root)!r}: {error.strerror}") from error
        return cls(root, secrets)

    @classmethod
    def of_run(cls, place: Path, *, secrets: Sequence[str]) -> "ArtifactFolder":
        return cls(place.parent, secrets, place)

    def run_id(self) -> str:
        """Of the run whose folder this is; raises DataMissingError."""
        path = (self.place or self.root) / _MANIFEST
        found = _read(path)
        run_id = found.get("run_id") if found is not None else None
        if not isinstance(run_id, str):
            raise DataMissingError(f"{str(path)!r} is not the manifest of a run of code tasks")
        return run_id

    async def write_manifest(self, found: CodeRun) -> None:
        await asyncio.to_thread(_write, self._place(found), {_MANIFEST: _text(_manifest(found))})

    async def write(self, found: CodeRun, attempts: AttemptStore) -> Path:
        """Everything that is stored of the run; returns its folder."""
        place = self._place(found)
        by_key = {(one.evaluation.id, one.attempt.key): one for one in found.attempts}
        for evaluation in found.evaluations:
            async for attempt in attempts.whole(evaluation.id):
                one = by_key.get((evaluation.id, attempt.key))
                if one is not None:
                    files = attempt_files(replace(one, attempt=attempt), secrets=self.secrets)
                    await asyncio.to_thread(_write, place / one.folder, files)
        summary = _text(summary_document(found))
        documents = {
            "summary.json": summary,
            "attempts.json": _text(attempts_document(found)),
            _MANIFEST: _text(_manifest(found)),
        }
        await asyncio.to_thread(_write, place, documents)
        await asyncio.to_thread(self._write_latest, found, summary)
        return place

    def _place(self, found: CodeRun) -> Path:
        return self.place or self.root / found.folder

    def _write_latest(self, found: CodeRun, summary: str) -> None:
        index = dict(_read(self.root / "latest_index.json") or {})
        files: dict[str, str] = {"latest_summary.json": summary}
        for name, one in _best_attempts(found).items():
            known = _read(self.root / name)
            if known is None or _rank(known.get("status")) >= _rank(one.status):
                files[name] = _text(
                    {**attempt_document(one), "run_id": found.run.id, "run_dir": found.folder}
                )
                index[name] = {
                    "task_id": one.attempt.item_id,
                    "model": one.evaluation.model,
                    "status": one.status,
                    "run_id": found.run.id,
                    "run_dir": found.folder,
                }
        _write(self.root, {**files, "latest_index.json": _text(index)})


def _best_attempts(found: CodeRun) -> Mapping[str, CodeAttempt]:
    """The best attempt at each task by each model, by the name of its file."""
    names = model_names(found.run.spec.models)
    best: dict[str, CodeAttempt] = {}
    for one in found.attempts:
        name = f"{one.attempt.item_id}__{names[one.evaluation.model]}_latest.json"
        if name not in best or _rank(one.status) < _rank(best[name].status):
            best[name] = one
    return best


def _rank(status: Json) -> int:
    """0 for the best status; what is none is worse than all."""
    known: tuple[Json, ...] = STATUSES
    return known.index(status) if status in known else len(known)


def _manifest(found: CodeRun) -> dict[str, Json]:
    return {
        "run_id": found.run.id,
        "run_dir": found.folder,
        "created_at": found.run.created_at.isoformat(),
        "assay_version": version(),
        "attempts": attempt_manifest(found),
    }


def _text(document: Json) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _read(path: Path) -> Mapping[str, Json] | None:
    """None where there is no such file, or none with a JSON object."""
    with suppress(OSError, ValueError, RecursionError):
        found = cast("Json", json.loads(path.read_bytes()))
        if isinstance(found, Mapping):
            return found
    return None


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Each file appears whole; raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            partial = folder / f".{name}.partial"
            partial.write_bytes(text.encode("utf-8", "surrogatepass"))
            partial.replace(folder / name)
    except OSError as error:
        raise StoreError(
            f"the files of the run cannot be written to {str(folder)!r}: {error.strerror}"
        ) from error
