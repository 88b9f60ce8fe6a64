"""Builds the site into `build/docs`, or the folder given, and fails if anything is wrong with it."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.docs_site.check import faults
from scripts.docs_site.stage import REPOSITORY, LinkError, stage


def build(target: Path) -> str | None:
    """Puts the site in place of what is at `target`; what is wrong with it otherwise."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            stage(folder)
        except LinkError as error:
            return str(error)
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", "zensical.toml"]
        built = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603
        if built.returncode:
            return built.stdout + built.stderr
        if found := list(faults(folder / "site")):
            return "\n".join(found)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder / "site", target)
    return None


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "build/docs"
    if wrong := build(where):
        sys.exit(wrong)
    sys.stdout.write(f"the documentation is in {where}\n")
