"""Runs a Python file of the user's, as a test runner does, and takes the benchmarks that it declares."""

import importlib.util
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from assay.domain.errors import AssayError, InvalidValueError
from assay.engine.one_file.declaration import Declaration

_LOADING = ContextVar("loading", default=False)


def is_loading() -> bool:
    """Whether the caller is a file that is being loaded."""
    return _LOADING.get()


def load_python(path: Path, source: bytes) -> tuple[Sequence[Declaration], str]:
    """What the file declares, and the hash of its source and of the modules beside it that it imports."""
    folder = path.parent
    # Each file finds the modules beside it anew: they belong to its hash.
    for name, _ in list(modules_in(folder)):
        del sys.modules[name]
    module = _run(path)
    digest = sha256(source)
    for name, file in sorted(modules_in(folder)):
        digest.update(f"\0{name}\0".encode() + sha256(file.read_bytes()).digest())
    found = {id(value): value for value in vars(module).values() if isinstance(value, Declaration)}
    if not found:
        raise InvalidValueError(
            f"{str(path)!r} declares no benchmark: put @assay.benchmark(rows=…, prompt=…) above a function"
        )
    return tuple(found.values()), digest.hexdigest()


def _run(path: Path) -> ModuleType:
    name = f"assay_file_{sha256(str(path).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InvalidValueError(f"{str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up there.
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    loading = _LOADING.set(True)
    try:
        spec.loader.exec_module(module)
    except AssayError as error:
        raise InvalidValueError(f"{_place(path, error)}: {error.message}") from error
    except (Exception, SystemExit) as error:
        fault = f"{type(error).__name__}: {error}"
        raise InvalidValueError(f"{_place(path, error)}: the file cannot be loaded: {fault}") from error
    finally:
        _LOADING.reset(loading)
        sys.path.remove(str(path.parent))
    return module


def _place(path: Path, error: BaseException) -> str:
    """The file, with the last of its lines that led to the error."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{path}, line {error.lineno}"
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
    ]
    return f"{path}, line {lines[-1]}" if lines else str(path)


def modules_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """The modules that were found by their name in this folder."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str):
            continue
        top, place = name.partition(".")[0], Path(file)
        if place == folder / f"{top}.py" or place.is_relative_to(folder / top):
            yield name, place
