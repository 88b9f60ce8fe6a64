"""Grades the stored answers of a bundle again, with the grader and the data named in it."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Benchmark, Cue, Item, ItemId, Need, Panel, Services
from assay.domain.calls.messages import Completion, Generation, Json, Prompt
from assay.domain.errors import AttemptError, UsageError
from assay.domain.stats import plural
from assay.engine.exports.archive import ArchiveLimits, opened_archive
from assay.engine.exports.content import installed_version
from assay.engine.exports.json_stream import JsonStream, MalformedError
from assay.engine.exports.reading import Document, attempt_of, boolean, completion_of, inner, text
from assay.engine.exports.verification.checks import Check, Finding, Problems
from assay.engine.grading.grade import DirectGrader, verdict
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import DataLibrary

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Rescorer:
    """`where` is the data to use instead of what the bundle names, such as a folder."""

    catalogue: Catalogue
    library: DataLibrary
    services: Services = Services()
    where: str | None = None

    async def rescore(self, file: BinaryIO, limits: ArchiveLimits | None = None) -> Finding:
        """For a verified bundle; evaluations that cannot be graded here are reported, not skipped."""
        counts = _RescoreCounts()
        with opened_archive(file, limits) as archive, archive.results() as results:
            stream = archive.stream(results)
            for key in stream.members():
                if key != "benchmarks":
                    stream.value()
                    continue
                for _ in stream.elements():
                    await self._evaluation(stream, counts)
        return counts.finding()

    async def _evaluation(self, stream: JsonStream, counts: "_RescoreCounts") -> None:
        head: dict[str, Json] = {}
        for key in stream.members():
            if key != "items":
                head[key] = stream.value()
                continue
            context = self._context(head, counts)
            batch: list[Attempt] = []
            for _ in stream.elements():
                document = stream.value()
                if context is None:
                    continue
                batch.append(attempt_of(_mapping(document)))
                if len(batch) == _AT_ONCE:
                    await _regrade(context, batch, counts)
                    batch = []
            if context is not None:
                await _regrade(context, batch, counts)

    def _context(self, head: Document, counts: "_RescoreCounts") -> "_GradingContext | None":
        """What grading needs; None if it is not available here, with the reason in `counts`."""
        name, version = text(head, "benchmark_name"), text(head, "benchmark_version")
        benchmark = installed_version(self.catalogue, name, version)
        fields, data = inner(head, "fingerprint_fields"), inner(head, "data")
        if boolean(head, "is_masked"):
            return counts.add_unavailable(name, "its texts are masked in this bundle")
        if benchmark is None or benchmark.card.grader != fields.get("grader"):
            return counts.add_unavailable(
                name, f"version {version} with grader {fields.get('grader')!r} is not installed"
            )
        where = self.where or text(data, "source")
        try:
            opened = self.library.open(benchmark, where)
            items = benchmark.load(opened.tables).items
        except UsageError as error:
            return counts.add_unavailable(name, error.message)
        if opened.checksum != fields.get("data_checksum"):
            return counts.add_unavailable(name, f"the data {where!r} here is not the data of the run")
        return _GradingContext(name, benchmark, {item.id: item for item in items}, self.services)


@dataclass(frozen=True, slots=True)
class _GradingContext:
    name: str
    benchmark: Benchmark
    items: dict[ItemId, Item]
    services: Services

    def services_for(self, attempt: Attempt) -> Services:
        """A judge is not called again: its stored reply is parsed again."""
        needs = self.benchmark.card.needs
        return replace(
            self.services,
            panel=Panel((_StoredReply(attempt.explanation),)) if Need.JUDGE in needs else None,
            sandbox=self.services.sandbox if Need.SANDBOX in needs else None,
        )


@dataclass(frozen=True, slots=True)
class _StoredReply:
    reply: str
    model: str = "stored reply"

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        _ = prompt, generation, cue, vote
        return Completion(self.reply)


@dataclass
class _RescoreCounts:
    reproduced: int = 0
    judged: int = 0
    different: Problems = field(default_factory=Problems)
    unknown: Problems = field(default_factory=Problems)

    def add_unavailable(self, name: str, reason: str) -> None:
        self.unknown.add(f"the verdicts of {name} are right: {reason}")

    def finding(self) -> Finding:
        if self.different.count:
            return Finding(Check.RESCORE, "failed", self.different.text)
        from_judge = (
            f", {self.judged:,} of them from the stored replies of the judge, which was not called again"
            if self.judged
            else ""
        )
        summary = f"{plural(self.reproduced, 'verdict')} reproduced{from_judge}"
        if self.unknown.count:
            return Finding(Check.RESCORE, "unknown", f"whether {self.unknown.text} ({summary})")
        return Finding(Check.RESCORE, "passed", summary)


async def _regrade(context: _GradingContext, attempts: list[Attempt], counts: _RescoreCounts) -> None:
    await asyncio.gather(*(_regraded(context, one, counts) for one in attempts if one.outcome.is_verdict))


async def _regraded(context: _GradingContext, attempt: Attempt, counts: _RescoreCounts) -> None:
    where = f"{context.name}, item {attempt.item_id!r}, sample {attempt.sample}"
    item = context.items.get(attempt.item_id)
    if item is None or (attempt.item_hash and item.content_hash != attempt.item_hash):
        counts.different.add(f"{where}: the data has no such item")
        return
    services = context.services_for(attempt)
    grader = DirectGrader(context.benchmark, services)
    try:
        grade = await verdict(grader, item, completion_of(attempt))
    except AttemptError as error:
        counts.unknown.add(f"{where} would be graded so again ({error.message})")
        return
    if (grade.outcome, grade.score) != (attempt.outcome, attempt.score):
        stored = f"{attempt.outcome.value} ({attempt.score:g})"
        counts.different.add(
            f"{where}: stored as {stored}, graded again {grade.outcome.value} ({grade.score:g})"
        )
        return
    counts.reproduced += 1
    counts.judged += services.panel is not None


def _mapping(value: Json) -> Document:
    if not isinstance(value, dict):
        raise MalformedError("an attempt is not an object")
    return value
