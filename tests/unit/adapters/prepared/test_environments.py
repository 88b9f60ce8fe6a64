import sys
from hashlib import sha256
from pathlib import Path

import pytest

from assay.adapters.prepared import install
from assay.adapters.prepared.environments import PreparedEnvironments
from assay.domain.benchmark import Environment
from assay.domain.errors import DataMissingError

OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
EMPTY = Environment((), (OWN,))


def test_an_environment_is_made_once_and_found_by_its_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, ...]] = []

    def noted(python: str, place: Path, requirements: tuple[str, ...]) -> None:
        assert Path(python).exists()
        place.mkdir()
        made.append(requirements)

    monkeypatch.setattr("assay.adapters.prepared.environments.install", noted)
    prepared = PreparedEnvironments(tmp_path)
    with pytest.raises(DataMissingError, match="assay data prepare numbers"):
        prepared.python("numbers:variant", EMPTY)
    said: list[str] = []
    first = prepared.prepare("numbers", EMPTY, say=said.append)
    assert (
        prepared.prepare("numbers:variant", EMPTY, say=said.append)
        == first
        == prepared.python("numbers", EMPTY)
    )
    other = prepared.prepare("numbers", Environment(("six==1.17.0",), (OWN,)), say=said.append)
    assert other != first
    assert made == [(), ("six==1.17.0",)]
    assert len(said) == 2


def test_an_unfinished_environment_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_python: str, place: Path, _requirements: tuple[str, ...]) -> None:
        place.mkdir(parents=True)
        (place / "half").touch()
        raise DataMissingError("no network")

    monkeypatch.setattr("assay.adapters.prepared.environments.install", fails)
    prepared = PreparedEnvironments(tmp_path)
    for _ in range(2):
        with pytest.raises(DataMissingError, match="no network"):
            prepared.prepare("numbers", EMPTY, say=print)
    with pytest.raises(DataMissingError, match="not installed"):
        prepared.python("numbers", EMPTY)


def test_a_real_environment_has_an_interpreter_of_its_own(tmp_path: Path) -> None:
    python = PreparedEnvironments(tmp_path).prepare("numbers", EMPTY, say=print)
    assert Path(python).is_file()
    assert Path(python).is_relative_to(tmp_path)


def test_files_are_kept_under_their_official_name(tmp_path: Path) -> None:
    source = tmp_path / "downloaded.h5"
    source.write_bytes(b"targets")
    prepared = PreparedEnvironments(tmp_path / "prepared")
    assert prepared.file("numbers", "test_data.h5") is None
    assert prepared.keep("numbers", "test_data.h5", source) == sha256(b"targets").hexdigest()
    kept = prepared.file("numbers:variant", "test_data.h5")
    assert kept is not None
    assert kept.read_bytes() == b"targets"
    with pytest.raises(DataMissingError, match="no file"):
        prepared.keep("numbers", "test_data.h5", tmp_path / "absent")


def test_a_missing_version_of_python_is_named() -> None:
    with pytest.raises(DataMissingError, match=r"install python2\.6"):
        install.interpreter(["2.6"])


def test_a_package_that_does_not_exist_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(DataMissingError, match="could not be installed"):
        install.install(sys.executable, tmp_path / "place", ["./no-such-folder"])
