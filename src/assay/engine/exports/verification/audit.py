"""Reads results.json once, and recomputes from its attempts every figure it states."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import fmean

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.json_value import digest
from assay.domain.outcome import Outcome
from assay.domain.run import ItemFacts, State, overall_score
from assay.domain.summary import Summary
from assay.engine.exports.content import bare_items, installed_version
from assay.engine.exports.differences import differences
from assay.engine.exports.documents import ServedBy, iso_seconds, latency_ms
from assay.engine.exports.figures import summary_document
from assay.engine.exports.json_stream import JsonStream, MalformedError
from assay.engine.exports.merkle import TreeHasher
from assay.engine.exports.reading import (
    Document,
    attempt_of,
    boolean,
    inner,
    integer,
    item_facts,
    members,
    objects,
    optional_text,
    text,
)
from assay.engine.exports.verification.checks import Problems, RecomputedScore
from assay.engine.exports.verification.race_audit import RaceAudit, asked_first
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.contract_metrics import summary_metrics
from assay.engine.results.summarise import summarise

# A report lists no more; the others are recomputed and checked all the same.
_MOST_SCORES = 200
ONE_PROMPT = "one prompt, one completion"


@dataclass
class Audit:
    """What was read, and the problems found in it."""

    catalogue: Catalogue
    tree: TreeHasher = field(default_factory=TreeHasher)
    attempts: Problems = field(default_factory=Problems)
    fingerprints: Problems = field(default_factory=Problems)
    aggregates: Problems = field(default_factory=Problems)
    # Metrics that could not be recomputed here, and why.
    unchecked: list[str] = field(default_factory=list[str])
    scores: list[tuple[State, float | None]] = field(default_factory=list[tuple[State, float | None]])
    recomputed: list[RecomputedScore] = field(default_factory=list[RecomputedScore])
    benchmarks: int = 0
    run: Document = field(default_factory=dict[str, Json])
    # None for a run without a stopping rule.
    stopping: Problems | None = None
    _race: RaceAudit = field(default_factory=RaceAudit)
    exported_at: str | None = None

    async def read(self, stream: JsonStream) -> None:
        """Raises MalformedError if the document cannot be read."""
        rest: dict[str, Json] = {}
        for key in stream.members():
            if key == "benchmarks":
                for _ in stream.elements():
                    await self._evaluation(stream)
                    self.benchmarks += 1
            else:
                rest[key] = stream.value()
        stream.end()
        self.run = inner(rest, "run")
        self.exported_at = optional_text(rest, "exported_at")
        self._check_overall()
        self.stopping = await self._race.problems(self.run, rest.get("race"))

    async def _evaluation(self, stream: JsonStream) -> None:
        parts: dict[str, Json] = {}
        evaluation: _EvaluationAudit | None = None
        summary: Summary | None = None
        for key in stream.members():
            if key != "items":
                parts[key] = stream.value()
                continue
            evaluation = _EvaluationAudit(self, parts)
            summary = await evaluation.summary(stream)
        if evaluation is None:
            raise MalformedError("an evaluation has no 'items'")
        evaluation.check_identity(parts)
        self._race.add(parts, evaluation.scores)
        if summary is not None:
            evaluation.check_summary(parts, summary)

    def _check_overall(self) -> None:
        for name, value in self._expected_overall().items():
            for difference in differences(self.run.get(name), value, f"run.{name}"):
                self.aggregates.add(difference)

    def _expected_overall(self) -> Document:
        models = len(members(self.run, "models"))
        if "scored_evaluations" not in self.run:
            # Older files count every score, also those of a run that was canceled.
            scores = [score for _, score in self.scores if score is not None]
            return {"overall_score": fmean(scores) if scores and models == 1 else None}
        overall = overall_score(_state(self.run, "status"), models, self.scores)
        return {
            "overall_score": overall.value,
            "scored_evaluations": overall.counted,
            "total_evaluations": overall.evaluations,
        }


def _state(document: Document, key: str) -> State:
    try:
        return State(text(document, key))
    except ValueError as error:
        raise MalformedError(f"{key!r} is no state of a run") from error


class _EvaluationAudit:
    """Checks one evaluation, reading its attempts once, in the order of the file."""

    def __init__(self, audit: Audit, head: Document) -> None:
        self._audit = audit
        self._name = text(head, "benchmark_name")
        self._fields = inner(head, "fingerprint_fields")
        self._fingerprint = text(head, "fingerprint")
        self._is_masked = boolean(head, "is_masked")
        self._facts = item_facts(objects(head, "asked_items"))
        self._first = asked_first(head)
        self.scores: dict[ItemId, list[float | None]] = defaultdict(list)
        self._samples = integer(self._fields, "samples")
        self._benchmark = installed_version(audit.catalogue, self._name, text(head, "benchmark_version"))
        self._served = ServedBy()
        self._models: set[str] = set()
        self._count = 0

    async def summary(self, stream: JsonStream) -> Summary | None:
        """None if the attempts cannot be summarised; the reason is then among the problems."""
        benchmark = None if self._is_masked else self._benchmark
        try:
            return await summarise(
                self._attempts(stream),
                benchmark=benchmark,
                items=bare_items(list(self._facts), self._facts),
                samples=self._samples,
                first=self._first,
            )
        except MalformedError:
            raise
        except Exception as error:  # noqa: BLE001 # metrics of benchmarks read untrusted details here
            self._audit.aggregates.add(f"{self._name}: cannot be recomputed: {type(error).__name__}: {error}")
            return None

    async def _attempts(self, stream: JsonStream) -> AsyncIterator[Attempt]:
        last: AttemptKey | None = None
        for _ in stream.elements():
            raw, value = stream.raw_value()
            if not isinstance(value, dict):
                raise MalformedError("an attempt is not an object")
            self._audit.tree.add(raw.encode("utf-8", "surrogatepass"))
            attempt = attempt_of(value)
            for problem in self._problems(attempt, value, last):
                self._audit.attempts.add(f"{self._name}, item {attempt.item_id!r}: {problem}")
            self._count += 1
            self._models.add(text(value, "model"))
            self._count_calls(value)
            self.scores[attempt.item_id].append(attempt.score)
            last = attempt.key
            yield attempt

    def _count_calls(self, document: Document) -> None:
        for call in objects(document, "calls"):
            if call.get("role") == "model":
                names = optional_text(call, "served_model"), optional_text(call, "system_fingerprint")
                self._served.add_names(*names)

    def _problems(self, attempt: Attempt, document: Document, last: AttemptKey | None) -> Iterator[str]:
        if last is not None and attempt.key <= last:
            yield "it is out of order or a duplicate"
        facts = self._facts.get(attempt.item_id)
        if facts is None or not 0 <= attempt.sample < self._samples:
            yield f"sample {attempt.sample} was not planned"
        elif facts.item_hash and attempt.item_hash != facts.item_hash:
            yield "its hash is not that of the planned item"
        elif not self._is_prompt_of(facts, attempt):
            yield "its prompt is not the planned one"
        if document.get("fingerprint") != self._fingerprint or document.get("benchmark") != self._name:
            yield "it belongs to another evaluation"
        yield from _contradictions(attempt, document)

    def _is_prompt_of(self, facts: ItemFacts, attempt: Attempt) -> bool:
        if self._is_masked or not attempt.prompt or not facts.prompt_sha256:
            return True
        if self._fields.get("limits") != ONE_PROMPT:
            return True
        return sha256(attempt.prompt.encode("utf-8", "surrogatepass")).hexdigest() == facts.prompt_sha256

    def check_identity(self, parts: Document) -> None:
        add = self._audit.fingerprints.add
        if digest(self._fields) != self._fingerprint:
            add(f"{self._name}: the fingerprint is not that of its fields")
        for name, stated in (
            ("benchmark", self._name),
            ("benchmark_version", parts.get("benchmark_version")),
            ("items_checksum", digest(_identities(self._facts))),
            ("generation", digest(parts.get("generation"))),
            ("data_checksum", inner(parts, "data").get("checksum")),
            ("judge", parts.get("judge")),
            ("samples", parts.get("samples")),
        ):
            if self._fields.get(name) != stated:
                add(f"{self._name}: {name} is not the one in the fingerprint")
        if parts.get("sampled_item_ids") != list(self._facts):
            add(f"{self._name}: the sampled items are not the planned items")
        if self._models - {text(parts, "model")}:
            self._audit.attempts.add(f"{self._name}: it has attempts of another model")

    def check_summary(self, parts: Document, summary: Summary) -> None:
        stated = dict(inner(parts, "summary"))
        computed = summary_document(summary)
        if self._is_masked or self._benchmark is None:
            self._skip_own_metrics(stated, computed)
        score = summary.score.value if summary.score else None
        self._audit.scores.append((_state(parts, "state"), score))
        if len(self._audit.recomputed) < _MOST_SCORES:
            found = RecomputedScore(
                text(parts, "model"), self._name, summary.score, summary.scored, summary.total
            )
            self._audit.recomputed.append(found)
        pairs: tuple[tuple[str, Json, Json], ...] = (
            ("summary", stated, computed),
            ("score", parts.get("score"), score),
            ("completed_items", parts.get("completed_items"), self._count),
            ("sampled_items", parts.get("sampled_items"), summary.total),
            ("served_by", parts.get("served_by"), self._served.document()),
            *self._metrics(inner(parts, "metrics"), summary),
        )
        for name, theirs, ours in pairs:
            for difference in differences(theirs, ours, name):
                self._audit.aggregates.add(f"{self._name}: {difference}")

    @staticmethod
    def _metrics(stated: Document, summary: Summary) -> Iterator[tuple[str, Json, Json]]:
        """Those that follow from the summary; older files have only the benchmark's own."""
        for name, computed in summary_metrics(summary).items():
            if name in stated and name not in summary.metrics:
                yield f"metrics.{name}", stated[name], computed

    def _skip_own_metrics(self, stated: dict[str, Json], computed: dict[str, Json]) -> None:
        """Metrics that a benchmark defines need its code, and texts that may be masked."""
        theirs, ours = inner(stated, "metrics"), inner(computed, "metrics")
        own = sorted(theirs.keys() - ours.keys())
        if own:
            reason = "texts are masked" if self._is_masked else "that version is not installed"
            self._audit.unchecked.append(f"{', '.join(own)} of {self._name} ({reason})")
        stated["metrics"] = {name: value for name, value in theirs.items() if name in ours}


def _identities(facts: Mapping[ItemId, ItemFacts]) -> list[Json]:
    """The input of the fingerprint's checksum of items: their hashes, or their ids if a hash is missing."""
    hashes: list[Json] = [one.item_hash for one in facts.values()]
    return hashes if all(hashes) else list(facts)


def _contradictions(attempt: Attempt, document: Document) -> Iterator[str]:
    outcome, score = attempt.outcome, attempt.score
    if (score is not None) != outcome.is_verdict:
        yield f"outcome {outcome.value!r} does not fit score {score!r}"
    if score is not None and not 0 <= score <= 1:
        yield f"score {score!r} is outside 0 to 1"
    if (outcome is Outcome.CORRECT and score == 0) or (outcome is Outcome.INCORRECT and score == 1):
        yield f"outcome {outcome.value!r} contradicts score {score!r}"
    derived: tuple[tuple[str, Json], ...] = (
        ("is_correct", outcome is Outcome.CORRECT if outcome.is_verdict else None),
        ("latency_ms", latency_ms(attempt)),
        ("created_at", iso_seconds(attempt.finished_at)),
    )
    for name, value in derived:
        yield from differences(document.get(name), value, name)
