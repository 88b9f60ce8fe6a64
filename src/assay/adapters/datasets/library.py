"""Where the data of a benchmark comes from."""

import hashlib
from pathlib import Path

from assay.adapters.datasets.digests import Digests, joint_sha256
from assay.adapters.datasets.files import FileTables, splits_of, tables_at
from assay.adapters.datasets.hub import Fetch, Hub, fetch_command
from assay.adapters.datasets.locks import Lock, read_lock, write_lock
from assay.domain.benchmark import Benchmark, Card, DataFile, HasDemoItems, Source
from assay.domain.errors import DataChangedError, DataMissingError, StoreError
from assay.domain.json_value import canonical_json
from assay.engine.ports import BenchmarkData, HasOwnData, Progress


class FileDataLibrary:
    """Data on this machine: fetched into `folder`, shipped as demo items, or named by the user."""

    def __init__(
        self,
        folder: Path,
        *,
        token: str | None = None,
        endpoint: str | None = None,
        offline: bool = False,
        hub_cache: Path | None = None,
    ) -> None:
        self._root = folder
        self._hub = Hub(token=token, endpoint=endpoint, cache=hub_cache, offline=offline)

    def open(self, benchmark: Benchmark, where: str) -> BenchmarkData:
        if isinstance(benchmark, HasOwnData):
            return benchmark.own_data(where)
        if where == "official":
            return self._official(benchmark.card)
        if where == "demo":
            return _demo_data(benchmark)
        path = Path(where).expanduser()
        return _data(tables_at(path, benchmark.card.source), f"file:{path.resolve().name}")

    def fetch(self, card: Card, *, progress: Progress) -> BenchmarkData:
        """Download what is missing; the lock is written last, once all files are complete."""
        folder = self._folder(card.source)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            locked = _readable_lock(folder)
            digests = dict(locked.files) if locked else {}
            for file in card.source.files:
                path, sha256 = folder / file.path, digests.get(file.path)
                if sha256 and path.is_file():
                    if Digests.of(path).match(sha256, file.sha256):
                        continue
                    path.unlink()
                digests[file.path] = self._hub.download(
                    Fetch.of_card(card), file, folder, progress=progress
                ).sha256
            write_lock(folder, Lock(card.source.repository, card.source.revision, digests))
        except OSError as error:
            raise StoreError(f"the data of {card.name!r} could not be stored in {folder}: {error}") from error
        return self._official(card)

    def is_fetched(self, card: Card) -> bool:
        """Whether every file is here; their bytes are checked when they are opened."""
        folder = self._folder(card.source)
        lock = _readable_lock(folder)
        if lock and all(
            file.path in lock.files and (folder / file.path).is_file() for file in card.source.files
        ):
            return True
        return all(self._hub.cached(card.source, file) for file in card.source.files)

    def _official(self, card: Card) -> BenchmarkData:
        folder = self._folder(card.source)
        lock = read_lock(folder)
        paths: dict[DataFile, Path] = {}
        for file in card.source.files:
            fetched = folder / file.path
            if lock and file.path in lock.files and fetched.is_file():
                _check(card, file, fetched, expected=lock.files[file.path])
                paths[file] = fetched
            elif cached := self._hub.cached(card.source, file):
                # The cache keeps each file under the name of its digest.
                _check(card, file, cached, expected=cached.resolve().name)
                paths[file] = cached
            else:
                raise _not_fetched(card, file)
        files = {
            split: tuple(path for file, path in paths.items() if file.split == split)
            for split in splits_of(card.source)
        }
        return _data(FileTables(files), f"hub:{card.source.revision}")

    def _folder(self, source: Source) -> Path:
        return self._root / source.repository.replace("/", "--") / source.revision


def _data(tables: FileTables, revision: str) -> BenchmarkData:
    return BenchmarkData(tables, revision, joint_sha256(tables.all_files))


def _demo_data(benchmark: Benchmark) -> BenchmarkData:
    card = benchmark.card
    if not isinstance(benchmark, HasDemoItems):
        raise DataMissingError(
            f"{card.name!r} ships no demo items; run `{fetch_command(card)}` or name a file with --data"
        )
    tables = benchmark.demo_tables()
    checksum = hashlib.sha256()
    for split in splits_of(card.source):
        try:
            rows = tables.rows(split)
        except DataMissingError:
            continue  # demo items need not cover every split
        for row in rows:
            checksum.update(canonical_json(row) + b"\n")
    return BenchmarkData(tables, f"demo:{card.version}", checksum.hexdigest())


def _readable_lock(folder: Path) -> Lock | None:
    try:
        return read_lock(folder)
    except DataChangedError:
        return None


def _check(card: Card, file: DataFile, path: Path, *, expected: str) -> None:
    digests = Digests.of(path)
    if not digests.match(expected, file.sha256):
        raise DataChangedError(
            f"{path} is not the file that was fetched: expected {file.sha256 or expected}, found sha256"
            f" {digests.sha256}; run `{fetch_command(card)}` to fetch it again"
        )


def _not_fetched(card: Card, file: DataFile) -> DataMissingError:
    return DataMissingError(
        f"the official data of {card.name!r} is not on this machine ({file.path} of"
        f" {card.source.repository}): run `{fetch_command(card)}`, or use --data demo"
    )
