"""One line per attempt; each line is, byte for byte, a leaf of the signed bundle's Merkle tree."""

from collections.abc import Sequence
from typing import IO

from assay.domain.attempt import Attempt
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import EvaluationIdentity, attempt_document
from assay.engine.exports.writing import ExportTools, encoded, readable, write_run
from assay.engine.results.batch_output import output_line


async def export_jsonl(content: RunContent, target: IO[bytes], _tools: ExportTools) -> None:
    await write_run(content, JsonlWriter(content, target))


async def export_openai_batch(content: RunContent, target: IO[bytes], _tools: ExportTools) -> None:
    await write_run(content, OpenAIBatchWriter(content, target))


class JsonlWriter:
    def __init__(self, _content: RunContent, target: IO[bytes]) -> None:
        self._target = target
        self._one: EvaluationContent | None = None
        self._identity = EvaluationIdentity("", "", "")

    def begin(self, one: EvaluationContent) -> None:
        self._one, self._identity = one, EvaluationIdentity.of(one.evaluation)

    def add(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            facts = self._one.facts.get(attempt.item_id) if self._one else None
            item_hash = facts.item_hash if facts else None
            line = encoded(attempt_document(attempt, self._identity, item_hash=item_hash))
            self._target.write(line + b"\n")

    def end(self) -> None:
        """Do nothing: no text follows the attempts."""

    def close(self) -> None:
        """Do nothing: no text follows the evaluations."""


class OpenAIBatchWriter:
    """Lines as the OpenAI Batch API returns them; `custom_id` names the evaluation if there are several."""

    def __init__(self, content: RunContent, target: IO[bytes]) -> None:
        self._target = target
        self._is_one = len(content.evaluations) == 1
        self._one: EvaluationContent | None = None

    def begin(self, one: EvaluationContent) -> None:
        self._one = one

    def add(self, attempts: Sequence[Attempt]) -> None:
        if self._one is None:
            return
        evaluation = self._one.evaluation
        for attempt in attempts:
            line = output_line(attempt, evaluation)
            if not self._is_one:
                line["custom_id"] = f"{evaluation.model}:{evaluation.benchmark}:{attempt.item_id}"
            self._target.write(readable(line) + b"\n")

    def end(self) -> None:
        """Do nothing: no text follows the attempts."""

    def close(self) -> None:
        """Do nothing: no text follows the evaluations."""
