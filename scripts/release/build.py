"""Builds what is published of a tagged commit: twice, because what cannot be repeated cannot be checked."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.adapters.signing.ed25519 import Ed25519Signer
from assay.source_version import VARIABLE, describe, version_of
from scripts.release.changelog import notes
from scripts.release.checksums import sha256_of, sign
from scripts.release.fault import ReleaseError
from scripts.release.sbom import sbom

NAME = "assay-benchmarks"
_FILE_NAME = NAME.replace("-", "_")
_NOT_PASSED_ON = ("ASSAY_SKIP_UI_BUILD", VARIABLE)


def release(tree: Path, out: Path, signer: Ed25519Signer) -> str:
    """Fill the folder, which must be empty or missing; gives the version."""
    version = _tagged_version(tree)
    text = notes((tree / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if out.exists() and any(out.iterdir()):
        raise ReleaseError(f"{str(out)!r} is not empty; name another folder with --out")
    epoch = int(_git(tree, "log", "-1", "--format=%ct"))
    _build_twice(tree, out, epoch)
    prefix = out / f"{_FILE_NAME}-{version}"
    bill = json.dumps(sbom(tree, NAME, version, epoch), indent=1, ensure_ascii=False)
    Path(f"{prefix}.cdx.json").write_text(bill + "\n", encoding="utf-8")
    Path(f"{prefix}-requirements.txt").write_bytes((tree / "requirements/assay.txt").read_bytes())
    Path(f"{prefix}-notes.md").write_text(text, encoding="utf-8")
    sign(out, signer)
    return version


def _tagged_version(tree: Path) -> str:
    if _git(tree, "status", "--porcelain"):
        raise ReleaseError("there are changes that are not committed; commit them or take them back")
    version = version_of(describe("--tags", "--long", "--match=v[0-9]*", tree=tree) or "")
    if version is None or "+" in version:
        raise ReleaseError("the commit has no tag such as v1.2.0; tag it first")
    return version


def _build_twice(tree: Path, out: Path, epoch: int) -> None:
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        _build(tree, Path(first), out, epoch)
        again = Path(second, "dist")
        _build(tree, Path(second), again, epoch)
        differing = [
            path.name for path in sorted(again.iterdir()) if sha256_of(path) != sha256_of(out / path.name)
        ]
    if differing:
        raise ReleaseError(
            f"built twice, {' and '.join(differing)} had other bytes; see what in them is not fixed"
        )


def _build(tree: Path, folder: Path, out: Path, epoch: int) -> None:
    """From the commit alone, so that no file that lies about gets in."""
    archive, source = folder / "source.tar", folder / "source"
    _git(tree, "archive", "--output", str(archive), "HEAD")
    source.mkdir()
    subprocess.run(["tar", "--extract", "--file", str(archive), "--directory", str(source)], check=True)
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(out.resolve())]
    built = subprocess.run(
        command,
        cwd=source,
        env=environment | {"SOURCE_DATE_EPOCH": str(epoch)},
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        raise ReleaseError(f"the build failed:\n{built.stdout}{built.stderr}")


def _git(tree: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(tree), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()
