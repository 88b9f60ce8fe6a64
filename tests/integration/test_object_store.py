"""Files that several machines share, in a folder and on an S3 server in a process of its own."""

import logging
import shutil
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from assay.adapters.datasets.dataset_files import FolderDatasetFiles
from assay.adapters.models.replay import KeptReplies
from assay.adapters.objects import store
from assay.adapters.objects.copies import LocalCopies
from assay.adapters.objects.location import object_location
from assay.adapters.objects.store import SharedObjects
from assay.adapters.prepared.environments import PreparedEnvironments
from assay.cli.actions.databases import back_up
from assay.cli.actions.doctor.objects import examine_objects
from assay.domain.benchmark import Environment, ItemId
from assay.domain.dataset_report import Grading
from assay.domain.errors import DataMissingError, ObjectStoreAwayError, ObjectStoreError, StoreAwayError
from assay.engine.graders.rules.expected import expectation_fault
from assay.installation import opened_stores
from assay.settings import load_settings
from tests.s3 import KEY, SECRET, S3Server, running_s3

LINES = b'{"custom_id": "a", "prompt": "1 + 1", "expected": "2"}\n{"custom_id": "b", "prompt": "?"}\n'


@pytest.fixture(scope="module")
def s3() -> Generator[S3Server]:
    with running_s3() as server:
        yield server


@dataclass(frozen=True)
class Installation:
    """Machines that have nothing in common but an object store."""

    folder: Path
    variables: dict[str, str]

    def machine(self, name: str) -> "Machine":
        location = object_location(self.variables["ASSAY_OBJECT_STORE"])
        copies = LocalCopies(self.folder / name / "copies", most_bytes=1_000_000)
        return Machine(self.folder / name, SharedObjects(location, self.variables, copies))


@dataclass(frozen=True)
class Machine:
    home: Path
    objects: SharedObjects

    @property
    def datasets(self) -> FolderDatasetFiles:
        return FolderDatasetFiles(self.home / "datasets", self.objects)

    @property
    def prepared(self) -> PreparedEnvironments:
        return PreparedEnvironments(self.home / "prepared", self.objects)


@pytest.fixture
def bucket(s3: S3Server) -> str:
    return s3.new_bucket()


@pytest.fixture(params=["s3", "folder"])
def installation(request: pytest.FixtureRequest, s3: S3Server, bucket: str, tmp_path: Path) -> Installation:
    if request.param == "folder":
        return Installation(tmp_path, {"ASSAY_OBJECT_STORE": str(tmp_path / "shared")})
    return Installation(tmp_path, s3.variables(bucket))


def upload(files: FolderDatasetFiles, content: bytes = LINES) -> str:
    incoming = files.new()
    incoming.write(content)
    report = incoming.check(Grading.EXACT, expectation_fault)
    assert not report.error_count
    incoming.keep()
    incoming.close()
    return report.sha256


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_objects_are_stored_replaced_read_and_removed(installation: Installation) -> None:
    one, other = installation.machine("one").objects, installation.machine("other").objects
    assert other.read("a/b") is None
    assert other.local_copy("a/b", sha256(b"x").hexdigest()) is None
    one.put("a/b", b"first")
    one.put("a/b", b"second")
    assert other.read("a/b") == b"second"
    other.remove(["a/b", "a/c"])
    assert one.read("a/b") is None


def test_the_address_of_s3_alone_wins(s3: S3Server, bucket: str, tmp_path: Path) -> None:
    variables = s3.variables(bucket)
    other = variables | {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_ENDPOINT_URL_S3": variables["AWS_ENDPOINT_URL"],
    }
    assert Installation(tmp_path, other).machine("one").objects.read("a") is None


def test_large_files_are_copied_in_pieces(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_PIECE_BYTES", 2_500_000)
    content = bytes(range(256)) * 30_000
    (tmp_path / "large").write_bytes(content)
    installation.machine("one").objects.put("large", tmp_path / "large")
    copy = installation.machine("other").objects.local_copy("large", sha256(content).hexdigest())
    assert copy is not None
    assert copy.read_bytes() == content


def test_a_data_set_is_read_on_a_machine_that_it_was_not_added_on(installation: Installation) -> None:
    added = installation.machine("one")
    digest = upload(added.datasets)
    assert not files_in(added.home / "datasets")
    reader = installation.machine("other").datasets
    lines = reader.open(digest)
    assert list(lines.ids()) == ["a", "b"]
    assert lines.line(ItemId("a"), grading=Grading.EXACT).expected == "2"
    assert b"".join(reader.content(digest)) == LINES
    reader.remove(digest)
    with pytest.raises(DataMissingError, match="not in the object store"):
        installation.machine("third").datasets.open(digest)


def test_data_sets_from_before_the_object_store_reach_it_with_their_next_use(
    installation: Installation,
) -> None:
    old = installation.machine("old")
    digest = upload(FolderDatasetFiles(old.home / "datasets"))
    with pytest.raises(DataMissingError):
        installation.machine("other").datasets.open(digest)
    old.datasets.open(digest)
    assert list(installation.machine("other").datasets.open(digest).ids()) == ["a", "b"]


def test_what_was_changed_in_the_object_store_is_not_read(installation: Installation) -> None:
    one = installation.machine("one")
    digest = upload(one.datasets)
    name = f"datasets/{digest[:2]}/{digest}"
    for ending, content in ((".jsonl", LINES.replace(b"2", b"3")), (".index", b"cut"), (".json", b"{}")):
        kept = one.objects.read(name + ending)
        assert kept is not None
        one.objects.put(name + ending, content)
        with pytest.raises(ObjectStoreError, match="in the object store"):
            installation.machine(f"other{ending}").datasets.open(digest)
        one.objects.put(name + ending, kept)
    assert list(installation.machine("last").datasets.open(digest).ids()) == ["a", "b"]


def test_what_one_machine_prepared_the_others_have_or_prepare(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noted(_python: str, place: Path, _requirements: tuple[str, ...]) -> None:
        place.mkdir()

    # Making one takes seconds, and is tested with those of one machine.
    monkeypatch.setattr("assay.adapters.prepared.environments.install", noted)
    environment = Environment((), ("3.11", "3.12", "3.13", "3.14"))
    one, other = installation.machine("one"), installation.machine("other")
    with pytest.raises(DataMissingError, match="assay data prepare scicode"):
        other.prepared.python("scicode", environment)
    one.prepared.prepare("scicode", environment, say=logging.info)
    assert not other.prepared.is_prepared("scicode", environment)
    assert Path(other.prepared.python("scicode:hard", environment)).is_relative_to(other.home)

    given = installation.folder / "targets.h5"
    given.write_bytes(b"first")
    assert installation.machine("third").prepared.file("scicode", "targets.h5") is None
    one.prepared.keep("scicode", "targets.h5", given)
    given.unlink()
    found = other.prepared.file("scicode:hard", "targets.h5")
    assert found is not None
    assert (found.name, found.read_bytes()) == ("targets.h5", b"first")
    given.write_bytes(b"second")
    one.prepared.keep("scicode", "targets.h5", given)
    again = other.prepared.file("scicode", "targets.h5")
    assert again is not None
    assert again.read_bytes() == b"second"
    shutil.rmtree(one.home)
    assert other.prepared.file("scicode", "targets.h5") == again


def test_names_are_listed_by_what_they_begin_with(installation: Installation) -> None:
    objects = installation.machine("one").objects
    for name in ("offloaded/a/1", "offloaded/b/2", "other/3"):
        objects.put(name, b"x")
    assert sorted(objects.names("offloaded/")) == ["offloaded/a/1", "offloaded/b/2"]
    assert sorted(objects.names("offloaded/b/")) == ["offloaded/b/2"]
    assert objects.names("none/") == []


def test_a_reply_that_was_given_on_one_machine_is_graded_on_another(installation: Installation) -> None:
    one, other = (installation.machine(name) for name in ("one", "other"))
    given = KeptReplies(one.home / "replies", one.objects).keep("test/one", "The letter is A.")
    name = given.rpartition(":")[2]
    replies = KeptReplies(other.home / "replies", other.objects)
    assert replies.read(name) == b"The letter is A."
    assert replies.read("0" * 16) is None
    one.objects.put(f"replies/{name}", b"The letter is B.")
    with pytest.raises(ObjectStoreError, match="was changed: give the reply again"):
        replies.read(name)


def test_an_object_store_that_is_away_is_infrastructure(tmp_path: Path, s3: S3Server) -> None:
    variables = s3.variables("any") | {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    location, copies = object_location("s3://any/assay"), LocalCopies(tmp_path, most_bytes=1)
    away = SharedObjects(location, variables, copies, retries=1)
    with pytest.raises(ObjectStoreAwayError, match="s3://any/assay fails for 'datasets/") as failed:
        FolderDatasetFiles(tmp_path, away).open("ab" * 32)
    # Workers wait for it as they do for the database.
    assert isinstance(failed.value, StoreAwayError)
    assert "s3://" not in failed.value.public_message
    assert KEY not in failed.value.message
    with pytest.raises(ObjectStoreError, match="s3://any/assay does not exist; create its bucket"):
        SharedObjects(location, s3.variables("any"), copies).put("a", b"x")


def test_doctor_tries_it_and_says_what_is_wrong(
    s3: S3Server, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in s3.variables(bucket).items():
        monkeypatch.setenv(name, value)
    good = examine_objects(load_settings())
    assert (good.status, good.state) == ("ok", f"s3://{bucket}/assay: written, read and removed a file")
    monkeypatch.setenv("ASSAY_OBJECT_STORE", "s3://nowhere")
    bad = examine_objects(load_settings())
    assert (bad.status, bad.remedy) == ("failure", "create its bucket")
    monkeypatch.delenv("ASSAY_OBJECT_STORE")
    assert examine_objects(load_settings()).status == "ok"


async def test_a_back_up_says_what_it_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ASSAY_OBJECT_STORE", str(tmp_path / "objects"))
    async with opened_stores(load_settings()):
        pass
    back_up(tmp_path / "backup")
    assert f"it does not hold what is in {tmp_path}/objects" in capsys.readouterr().out


def test_secrets_are_not_in_what_is_said(tmp_path: Path) -> None:
    """Services repeat in their answers what they were asked with."""
    with refusing_server() as port:
        variables = {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        }
        copies = LocalCopies(tmp_path, most_bytes=1)
        shared = SharedObjects(object_location("s3://bucket"), variables, copies, retries=0)
        with pytest.raises(ObjectStoreError, match=r"refuses access to 'a': .*no … here") as refused:
            shared.read("a")
    assert KEY not in refused.value.message
    assert "AWS_ACCESS_KEY_ID" in refused.value.message


@contextmanager
def refusing_server() -> Generator[int]:
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"no {KEY} here".encode()
            self.send_response(403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
