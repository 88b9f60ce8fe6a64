import io
from typing import Any

from assay.domain.benchmark import Benchmark
from assay.domain.errors import DataMissingError
from assay.engine.exports.verification.checks import Finding
from assay.engine.exports.verification.rescore import Rescorer
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import BenchmarkData
from tests.builders import LetterBenchmark
from tests.exports import ITEMS, bundle, forged, world


class DemoLibrary:
    """The demo items of the letters, or what a test puts in their place."""

    def __init__(self, checksum: str = "c" * 64) -> None:
        self._checksum = checksum

    def open(self, benchmark: Benchmark, where: str) -> BenchmarkData:
        if where != "demo":
            raise DataMissingError(f"no data {where!r} here")
        return BenchmarkData(LetterBenchmark(size=ITEMS).demo_tables(), "demo:1", self._checksum)

    def fetch(self, card: object, *, progress: object) -> BenchmarkData:
        raise NotImplementedError

    def is_fetched(self, card: object) -> bool:
        return True


async def rescored(content: bytes, **changes: Any) -> Finding:
    made: dict[str, Any] = {"catalogue": world().engine.planner.catalogue, "library": DemoLibrary()} | changes
    return await Rescorer(**made).rescore(io.BytesIO(content))


async def test_every_verdict_is_reproduced() -> None:
    found = await rescored(bundle())
    assert found.status == "passed"
    assert "10 verdicts" in found.detail


async def test_one_altered_answer_is_found() -> None:
    def alter(results: dict[str, Any]) -> None:
        next(one for one in results["benchmarks"][0]["items"] if one["is_correct"])["response"] = "q"

    found = await rescored(forged(alter))
    assert found.status == "failed"
    assert "stored as correct (1), graded again incorrect (0)" in found.detail


async def test_an_item_that_is_not_in_the_data_is_found() -> None:
    def alter(results: dict[str, Any]) -> None:
        next(one for one in results["benchmarks"][0]["items"] if one["score"] is not None)["item_hash"] = (
            "0" * 64
        )

    assert (await rescored(forged(alter))).status == "failed"


async def test_without_the_benchmark_nothing_is_claimed() -> None:
    found = await rescored(bundle(), catalogue=Catalogue({}))
    assert found.status == "unknown"
    assert "not installed" in found.detail


async def test_without_the_data_nothing_is_claimed() -> None:
    found = await rescored(bundle(), where="official")
    assert found.status == "unknown"
    assert "no data 'official' here" in found.detail


async def test_other_data_is_not_graded_with() -> None:
    found = await rescored(bundle(), library=DemoLibrary("d" * 64))
    assert found.status == "unknown"
    assert "not the data of the run" in found.detail
