"""Grades the stored answers of a bundle again, with the grader and the data that it names."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Benchmark, Cue, Item, ItemId, Need, Panel, Services
from assay.domain.errors import AttemptError, UsageError
from assay.domain.messages import Completion, Generation, Json, Prompt
from assay.engine.exports.archive import ArchiveLimits, opened_archive
from assay.engine.exports.checks import Check, Finding, Problems
from assay.engine.exports.content import installed
from assay.engine.exports.json_stream import JsonStream, MalformedError
from assay.engine.exports.reading import Document, attempt_of, completion_of, inner, text, truth
from assay.engine.grading.grade import DirectGrader, verdict
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import DataLibrary

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Rescorer:
    """`where` is the data to use in place of what the bundle names, such as a folder of the user's."""

    catalogue: Catalogue
    library: DataLibrary
    services: Services = Services()
    where: str | None = None

    async def rescore(self, file: BinaryIO, limits: ArchiveLimits | None = None) -> Finding:
        """For a bundle that was verified; what cannot be graded here is said, not skipped."""
        tally = _Tally()
        with opened_archive(file, limits) as archive, archive.results() as results:
            stream = JsonStream(results.read)
            for key in stream.members():
                if key != "benchmarks":
                    stream.value()
                    continue
                for _ in stream.elements():
                    await self._evaluation(stream, tally)
        return tally.finding()

    async def _evaluation(self, stream: JsonStream, tally: "_Tally") -> None:
        head: dict[str, Json] = {}
        for key in stream.members():
            if key != "items":
                head[key] = stream.value()
                continue
            bench = self._bench(head, tally)
            batch: list[Attempt] = []
            for _ in stream.elements():
                document = stream.value()
                if bench is None:
                    continue
                batch.append(attempt_of(_mapping(document)))
                if len(batch) == _AT_ONCE:
                    await _regrade(bench, batch, tally)
                    batch = []
            if bench is not None:
                await _regrade(bench, batch, tally)

    def _bench(self, head: Document, tally: "_Tally") -> "_Bench | None":
        """What grading needs; None, and the reason noted, where it is not to be had here."""
        name, version = text(head, "benchmark_name"), text(head, "benchmark_version")
        benchmark = installed(self.catalogue, name, version)
        fields, data = inner(head, "fingerprint_fields"), inner(head, "data")
        if truth(head, "is_masked"):
            return tally.unable(name, "its texts are masked in this bundle")
        if benchmark is None or benchmark.card.grader != fields.get("grader"):
            return tally.unable(
                name, f"version {version} with grader {fields.get('grader')!r} is not installed"
            )
        where = self.where or text(data, "source")
        try:
            opened = self.library.open(benchmark, where)
            items = benchmark.load(opened.tables).items
        except UsageError as error:
            return tally.unable(name, error.message)
        if opened.checksum != fields.get("data_checksum"):
            return tally.unable(name, f"the data {where!r} here is not the data of the run")
        return _Bench(name, benchmark, {item.id: item for item in items}, self.services)


@dataclass(frozen=True, slots=True)
class _Bench:
    name: str
    benchmark: Benchmark
    items: dict[ItemId, Item]
    services: Services

    def services_for(self, attempt: Attempt) -> Services:
        """A judge is not asked again: its stored reply is read again."""
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
class _Tally:
    reproduced: int = 0
    judged: int = 0
    different: Problems = field(default_factory=Problems)
    unsure: Problems = field(default_factory=Problems)

    def unable(self, name: str, reason: str) -> None:
        self.unsure.add(f"the verdicts of {name} are right: {reason}")

    def finding(self) -> Finding:
        if self.different.count:
            return Finding(Check.RESCORE, "failed", self.different.text)
        from_judge = (
            f", {self.judged:,} of them from the stored replies of the judge, which was not asked again"
            if self.judged
            else ""
        )
        told = f"{self.reproduced:,} verdicts reproduced{from_judge}"
        if self.unsure.count:
            return Finding(Check.RESCORE, "unknown", f"whether {self.unsure.text} ({told})")
        return Finding(Check.RESCORE, "passed", told)


async def _regrade(bench: _Bench, attempts: list[Attempt], tally: _Tally) -> None:
    await asyncio.gather(*(_regraded(bench, one, tally) for one in attempts if one.outcome.is_verdict))


async def _regraded(bench: _Bench, attempt: Attempt, tally: _Tally) -> None:
    where = f"{bench.name}, item {attempt.item_id!r}, sample {attempt.sample}"
    item = bench.items.get(attempt.item_id)
    if item is None or (attempt.item_hash and item.content_hash != attempt.item_hash):
        tally.different.add(f"{where}: the data has no such item")
        return
    services = bench.services_for(attempt)
    grader = DirectGrader(bench.benchmark, services)
    try:
        grade = await verdict(grader, item, completion_of(attempt))
    except AttemptError as error:
        tally.unsure.add(f"{where} would be graded so again ({error.message})")
        return
    if (grade.outcome, grade.score) != (attempt.outcome, attempt.score):
        stored = f"{attempt.outcome.value} ({attempt.score:g})"
        tally.different.add(
            f"{where}: stored as {stored}, graded again {grade.outcome.value} ({grade.score:g})"
        )
        return
    tally.reproduced += 1
    tally.judged += services.panel is not None


def _mapping(value: Json) -> Document:
    if not isinstance(value, dict):
        raise MalformedError("an attempt is not an object")
    return value
