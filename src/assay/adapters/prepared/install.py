"""Creates a virtual environment with pinned packages, with uv if it is installed and with pip otherwise."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from assay.domain.errors import DataMissingError

_TIMEOUT_S = 1800


def interpreter(versions: Sequence[str]) -> str:
    """An interpreter of one of the versions, such as "3.11": Assay's own, or one on the path."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if own in versions:
        return str(getattr(sys, "_base_executable", sys.executable))
    for version in versions:
        if found := shutil.which(f"python{version}"):
            return found
    raise DataMissingError(
        f"the packages exist for Python {' and '.join(versions)}, and neither Assay's own ({own}) nor any on"
        f" the path is one of them: install python{versions[0]}"
    )


def install(python: str, place: Path, requirements: Sequence[str]) -> None:
    """Raises DataMissingError with the last line of the installer's output if it fails."""
    inside = str(place / "bin" / "python")
    uv = shutil.which("uv")
    if uv:
        _run([uv, "venv", "--quiet", "--python", python, str(place)])
        # Compiled now: a sandbox may not write, so every program would compile them again.
        installer = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", inside]
    else:
        _run([python, "-m", "venv", str(place)])
        installer = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if requirements:
        _run([*installer, *requirements])


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - programs of our own choice
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise DataMissingError(f"{command[0]!r} did not end within {_TIMEOUT_S} s") from error
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
        raise DataMissingError(f"the packages could not be installed: {last[0]}")
