"""Where a benchmark that a running program declared stands, and the hash of its source."""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from hashlib import sha256
from pathlib import Path

from assay.adapters.one_file.python_file import modules_in
from assay.domain.datasets.benchmark_file import BenchmarkFile
from assay.domain.errors import InvalidValueError
from assay.engine.one_file.benchmark import FileBenchmark
from assay.engine.one_file.declaration import Declaration
from assay.engine.one_file.files import RowReader

# The rows are identified by their values; what else is callable, by its source.
_WITHOUT_SOURCE = ("rows", "function", "prompt", "metrics")


def declared_benchmark(declaration: Declaration, reader: RowReader) -> FileBenchmark:
    """As the file is loaded, if a file holds it; else with the source of its functions alone.

    Raises InvalidValueError where that cannot be read.
    """
    path = file_of(declaration)
    if path is not None:
        return FileBenchmark(
            declaration, BenchmarkFile(str(path), _file_hash(path)), str(path.parent), reader
        )
    return FileBenchmark(declaration, BenchmarkFile("", _source_hash(declaration)), str(Path.cwd()), reader)


def file_of(declaration: Declaration) -> Path | None:
    """None where it is not at the top level of a file, as in a notebook."""
    module = sys.modules.get(declaration.function.__module__)
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py") or not Path(file).is_file():
        return None
    is_held = any(value is declaration for value in vars(module).values())
    return Path(file).resolve() if is_held else None


def _file_hash(path: Path) -> str:
    """The same as of the loaded file: of its source, and of the modules beside it that it imports."""
    source = path.read_bytes()
    loaded = {name: file for name, file in modules_in(path.parent) if file.resolve() != path}
    reached: set[str] = set()
    _reach(source, loaded, reached)
    digest = sha256(source)
    for name in sorted(reached):
        digest.update(f"\0{name}\0".encode() + sha256(loaded[name].read_bytes()).digest())
    return digest.hexdigest()


def _reach(source: bytes, loaded: dict[str, Path], reached: set[str]) -> None:
    tops = set(_imported(source))
    for name in [one for one in loaded if one.partition(".")[0] in tops and one not in reached]:
        reached.add(name)
        _reach(loaded[name].read_bytes(), loaded, reached)


def _imported(source: bytes) -> Iterator[str]:
    """The top names of what the source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _source_hash(declaration: Declaration) -> str:
    digest = sha256()
    named: list[tuple[str, Callable[..., object]]] = [("grader", declaration.function)]
    named += declaration.metrics.items()
    if callable(declaration.prompt):
        named.append(("prompt", declaration.prompt))
    else:
        digest.update(f"\0{declaration.prompt}".encode())
    for name, function in named:
        digest.update(f"\0{name}\0{_source(declaration, function)}".encode())
    for one in fields(declaration):
        if one.name not in _WITHOUT_SOURCE:
            digest.update(f"\0{one.name}\0{getattr(declaration, one.name)!r}".encode())
    return digest.hexdigest()


def _source(declaration: Declaration, function: Callable[..., object]) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError, SyntaxError) as error:
        raise InvalidValueError(
            f"the source of {function!r} cannot be read, and {declaration.name!r} is known by it:"
            " write the benchmark into a file, and name or import that"
        ) from error
