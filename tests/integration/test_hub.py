"""Fetching with the real huggingface_hub from a server of our own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from huggingface_hub import hf_hub_download  # pyright: ignore[reportUnknownVariableType] # leaves a dict open

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.datasets.locks import LOCK_NAME
from assay.domain.benchmark import Card, DataFile
from assay.domain.errors import DataChangedError, DataGatedError, DataMissingError, StoreError
from tests.integration.hub_server import CUT_AFTER_BYTES, HubServer, serving
from tests.unit.adapters.datasets.capitals import REVISION, SOURCE, Capitals, capitals_card

REPOSITORY = Path(__file__).resolve().parents[2]
TEST = b"".join(b'{"id": %d, "text": "question %d"}\n' % (n, n) for n in range(100))
DEV = b'{"id": 1000, "text": "example"}\n'
WRONG_SHA256 = "f" * 64
TOKEN = "hf_of_the_tests"  # noqa: S105 # no real one


@pytest.fixture
def hub() -> Iterator[HubServer]:
    files = {"data/test.jsonl": TEST, "data/dev.jsonl": DEV}
    with serving(HubServer(SOURCE.repository, REVISION, files, large={"data/test.jsonl"})) as server:
        yield server


@pytest.fixture
def library(hub: HubServer, tmp_path: Path) -> FileDataLibrary:
    return FileDataLibrary(tmp_path / "data", endpoint=hub.url, hub_cache=tmp_path / "cache")


def fetch(library: FileDataLibrary, card: Card | None = None) -> None:
    library.fetch(card or capitals_card(), progress=lambda _name, _done, _total: None)


def fetched_folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "example--capitals" / REVISION


def test_fetched_data_can_be_opened(library: FileDataLibrary, tmp_path: Path) -> None:
    assert not library.is_fetched(capitals_card())
    fetch(library)
    assert library.is_fetched(capitals_card())
    data = library.open(Capitals(), "official")
    assert data.revision == f"hub:{REVISION}"
    assert data.checksum == sha256(TEST + DEV).hexdigest()
    assert [row["id"] for row in data.tables.rows("test")] == list(range(100))
    assert [row["id"] for row in data.tables.rows("dev")] == [1000]
    lock = json.loads((fetched_folder(tmp_path) / LOCK_NAME).read_text())
    assert lock == {
        "repository": "example/capitals",
        "revision": REVISION,
        "files": {"data/test.jsonl": sha256(TEST).hexdigest(), "data/dev.jsonl": sha256(DEV).hexdigest()},
    }


def test_progress_counts_the_bytes_of_each_file(library: FileDataLibrary) -> None:
    seen: dict[str, list[tuple[int, int | None]]] = {}
    library.fetch(
        capitals_card(), progress=lambda name, done, total: seen.setdefault(name, []).append((done, total))
    )
    assert seen["data/test.jsonl"][0] == (0, len(TEST))
    assert seen["data/test.jsonl"][-1] == (len(TEST), len(TEST))
    assert seen["data/dev.jsonl"][-1] == (len(DEV), len(DEV))


def test_the_token_is_sent(hub: HubServer, tmp_path: Path) -> None:
    fetch(FileDataLibrary(tmp_path / "data", token=TOKEN, endpoint=hub.url, hub_cache=tmp_path / "cache"))
    assert f"Bearer {TOKEN}" in hub.tokens


def test_what_is_there_and_intact_is_not_fetched_again(library: FileDataLibrary, hub: HubServer) -> None:
    fetch(library)
    hub.seen.clear()
    fetch(library)
    assert hub.seen == []


def test_a_changed_file_is_reported_and_fetched_again(
    library: FileDataLibrary, hub: HubServer, tmp_path: Path
) -> None:
    fetch(library)
    changed = fetched_folder(tmp_path) / "data/test.jsonl"
    changed.write_bytes(TEST.replace(b"question 7", b"question 8"))
    with pytest.raises(DataChangedError) as caught:
        library.open(Capitals(), "official")
    message = caught.value.message
    assert str(changed) in message
    assert sha256(TEST).hexdigest() in message
    assert sha256(changed.read_bytes()).hexdigest() in message
    assert "`assay data fetch capitals`" in message
    hub.seen.clear()
    fetch(library)
    assert set(hub.downloads) == {"test.jsonl"}
    assert changed.read_bytes() == TEST


def test_a_deleted_file_is_missing_again(library: FileDataLibrary, tmp_path: Path) -> None:
    fetch(library)
    (fetched_folder(tmp_path) / "data/dev.jsonl").unlink()
    assert not library.is_fetched(capitals_card())
    with pytest.raises(
        DataMissingError, match=r"data/dev\.jsonl of example/capitals.*`assay data fetch capitals`"
    ):
        library.open(Capitals(), "official")


def test_an_unreadable_lock_is_reported_and_replaced(library: FileDataLibrary, tmp_path: Path) -> None:
    fetch(library)
    lock = fetched_folder(tmp_path) / LOCK_NAME
    for damage in ("{", "[]", '{"repository": "example/capitals"}'):
        lock.write_text(damage)
        assert not library.is_fetched(capitals_card())
        with pytest.raises(DataChangedError, match="delete it and fetch the data again"):
            library.open(Capitals(), "official")
    fetch(library)
    assert library.open(Capitals(), "official").checksum == sha256(TEST + DEV).hexdigest()


@pytest.mark.parametrize("path", ["data/test.jsonl", "data/dev.jsonl"])
def test_bytes_that_are_not_what_the_hub_announced_do_not_count(
    library: FileDataLibrary, hub: HubServer, tmp_path: Path, path: str
) -> None:
    hub.announced[path] = WRONG_SHA256
    with pytest.raises(DataChangedError, match=f"{path}.*expected {WRONG_SHA256}, found sha256"):
        fetch(library)
    assert not library.is_fetched(capitals_card())
    assert not (fetched_folder(tmp_path) / path).exists()
    assert not (fetched_folder(tmp_path) / LOCK_NAME).exists()


def test_a_pinned_sha256_must_fit(library: FileDataLibrary, hub: HubServer) -> None:
    good, bad = sha256(TEST).hexdigest(), WRONG_SHA256
    pinned = {
        digest: capitals_card(replace(SOURCE, files=(DataFile("data/test.jsonl", "test", digest),)))
        for digest in (good, bad)
    }
    with pytest.raises(DataChangedError, match=f"expected {bad}, found sha256 {good}"):
        fetch(library, pinned[bad])
    assert hub.downloads.count("test.jsonl") >= 1
    fetch(library, pinned[good])
    assert library.is_fetched(pinned[good])
    with pytest.raises(DataChangedError, match=f"expected {bad}, found sha256 {good}"):
        library.open(Capitals(pinned[bad]), "official")


@pytest.mark.parametrize("refusal", ["gated", "unauthorized", "forbidden"])
def test_refused_data_names_the_page_and_the_token(
    library: FileDataLibrary, hub: HubServer, refusal: str
) -> None:
    hub.refusal = refusal  # pyright: ignore[reportAttributeAccessIssue] # the parameters are the literals
    with pytest.raises(DataGatedError) as caught:
        fetch(library)
    assert "https://huggingface.co/datasets/example/capitals" in caught.value.message
    assert "HF_TOKEN" in caught.value.message


def test_offline_never_asks_the_network(hub: HubServer, tmp_path: Path) -> None:
    library = FileDataLibrary(tmp_path / "data", endpoint=hub.url, offline=True, hub_cache=tmp_path / "cache")
    with pytest.raises(DataMissingError, match="offline mode is on: unset HF_HUB_OFFLINE"):
        fetch(library)
    assert hub.seen == []


def test_offline_data_that_was_fetched_before_is_used(
    hub: HubServer, library: FileDataLibrary, tmp_path: Path
) -> None:
    fetch(library)
    hub.seen.clear()
    offline = FileDataLibrary(tmp_path / "data", endpoint=hub.url, offline=True, hub_cache=tmp_path / "cache")
    fetch(offline)
    assert len(list(offline.open(Capitals(), "official").tables.rows("test"))) == 100
    assert hub.seen == []


def test_the_offline_switch_of_the_hub_library_is_honoured(hub: HubServer, tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from assay.adapters.datasets.library import FileDataLibrary
from assay.domain.errors import DataMissingError
from tests.unit.adapters.datasets.capitals import capitals_card
folder = Path({str(tmp_path)!r})
library = FileDataLibrary(folder / "data", endpoint={hub.url!r}, hub_cache=folder / "cache")
try:
    library.fetch(capitals_card(), progress=lambda *_: None)
except DataMissingError as error:
    print(error.message)
"""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": f"{REPOSITORY / 'src'}:{REPOSITORY}"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert "offline mode is on" in done.stdout
    assert hub.seen == []


def test_an_unreachable_hub_is_one_sentence_with_a_remedy(tmp_path: Path) -> None:
    with serving(HubServer(SOURCE.repository, REVISION)) as gone:
        pass
    library = FileDataLibrary(tmp_path / "data", endpoint=gone.url, hub_cache=tmp_path / "cache")
    with pytest.raises(
        DataMissingError, match="check the network and HF_ENDPOINT, then run `assay data fetch capitals`"
    ):
        fetch(library)
    assert not library.is_fetched(capitals_card())


def test_a_cut_download_goes_on_where_it_stopped(library: FileDataLibrary, hub: HubServer) -> None:
    long = DEV * 400_000
    assert len(long) > CUT_AFTER_BYTES
    hub.files["data/dev.jsonl"] = long
    hub.cuts = 1
    fetch(library)
    assert hub.ranges == [f"bytes={10 * 1024**2}-"]
    assert library.open(Capitals(), "official").checksum == sha256(TEST + long).hexdigest()


def test_a_fetch_that_fails_half_way_keeps_complete_files_but_does_not_count(
    library: FileDataLibrary, hub: HubServer
) -> None:
    hub.failing["data/dev.jsonl"] = 500
    with pytest.raises(DataMissingError, match="could not be fetched"):
        fetch(library)
    assert not library.is_fetched(capitals_card())
    with pytest.raises(DataMissingError):
        library.open(Capitals(), "official")
    hub.failing.clear()
    hub.seen.clear()
    fetch(library)
    assert hub.downloads == ["dev.jsonl"]
    assert library.is_fetched(capitals_card())


def test_a_file_the_hub_does_not_have_is_missing(library: FileDataLibrary, hub: HubServer) -> None:
    del hub.files["data/dev.jsonl"]
    with pytest.raises(DataMissingError, match=f"no such file in example/capitals at {REVISION}"):
        fetch(library)


def test_a_folder_that_cannot_be_written_is_a_store_error(hub: HubServer, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    with pytest.raises(StoreError, match="could not be stored"):
        fetch(FileDataLibrary(tmp_path / "data", endpoint=hub.url, hub_cache=tmp_path / "cache"))


def test_the_ordinary_cache_of_the_hub_serves_too(
    library: FileDataLibrary, hub: HubServer, tmp_path: Path
) -> None:
    for file in SOURCE.files:
        hf_hub_download(
            SOURCE.repository,
            file.path,
            repo_type="dataset",
            revision=REVISION,
            endpoint=hub.url,
            cache_dir=tmp_path / "cache",
        )
    hub.seen.clear()
    assert library.is_fetched(capitals_card())
    data = library.open(Capitals(), "official")
    assert (data.revision, data.checksum) == (f"hub:{REVISION}", sha256(TEST + DEV).hexdigest())
    assert hub.seen == []

    blob = next((tmp_path / "cache").rglob(f"blobs/{sha256(TEST).hexdigest()}"))
    blob.write_bytes(TEST[:-1])
    with pytest.raises(DataChangedError, match="is not the file that was fetched"):
        library.open(Capitals(), "official")
    fetch(library)
    assert library.open(Capitals(), "official").checksum == data.checksum
