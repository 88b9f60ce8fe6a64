"""Writes `results.json`, the canonical bytes of a run, piece by piece."""

from collections.abc import Callable, Sequence
from hashlib import sha256

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Json
from assay.domain.errors import StoreError
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import (
    SCHEMA_VERSION,
    EvaluationIdentity,
    ServedBy,
    attempt_document,
    evaluation_head,
    evaluation_tail,
    provenance_document,
    run_document,
    settled_at,
)
from assay.engine.exports.figures import race_document
from assay.engine.exports.merkle import TreeHasher
from assay.engine.exports.writing import encoded


class ResultsWriter:
    """Passes the document to `write`, and keeps its hash, its length and the Merkle tree of its attempts."""

    def __init__(self, content: RunContent, write: Callable[[bytes], object]) -> None:
        self._content = content
        self._write = write
        self._one: EvaluationContent | None = None
        self._identity = EvaluationIdentity("", "", "")
        self._served = ServedBy()
        self._is_first_evaluation = True
        self._is_first_attempt = True
        self.hash = sha256()
        self.size = 0
        self.tree = TreeHasher()
        self._put(b'{"benchmarks":[')

    def begin(self, one: EvaluationContent) -> None:
        self._one, self._served, self._is_first_attempt = one, ServedBy(), True
        self._identity = EvaluationIdentity.of(one.evaluation)
        head = encoded(evaluation_head(one, source=self._content.run.spec.data))
        self._put((b"" if self._is_first_evaluation else b",") + head[:-1] + b',"items":[')
        self._is_first_evaluation = False

    def add(self, attempts: Sequence[Attempt]) -> None:
        one = self._current()
        pieces: list[bytes] = []
        for attempt in attempts:
            facts = one.facts.get(attempt.item_id)
            item_hash = facts.item_hash if facts else None
            piece = encoded(attempt_document(attempt, self._identity, item_hash=item_hash))
            self.tree.add(piece)
            self._served.add(attempt.calls)
            pieces.append(piece)
        if pieces:
            self._put((b"" if self._is_first_attempt else b",") + b",".join(pieces))
            self._is_first_attempt = False

    def end(self) -> None:
        subset = self._content.run.spec.subset
        tail = encoded(evaluation_tail(self._current(), self._served, subset=subset))
        self._put(b"]," + tail[1:])

    def close(self) -> None:
        run, race = self._content.run, self._content.race
        rest: dict[str, Json] = {
            "exported_at": settled_at(run),
            "provenance": provenance_document(run),
            **({} if race is None else {"race": race_document(race.contests)}),
            "run": run_document(self._content),
            "schema_version": SCHEMA_VERSION,
        }
        self._put(b"]," + encoded(rest)[1:])

    def _current(self) -> EvaluationContent:
        if self._one is None:
            raise StoreError("attempts were written before their evaluation")
        return self._one

    def _put(self, piece: bytes) -> None:
        self.hash.update(piece)
        self.size += len(piece)
        self._write(piece)
