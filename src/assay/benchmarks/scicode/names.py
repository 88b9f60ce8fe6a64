"""Which names in a step's tests refer to things that the model did not write."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

TARGET = "target"
# Calls that depend on their arguments alone; replacements by the model are not used.
_BUILTINS = frozenset(
    (  # noqa: SIM905 - a list of words reads best as text
        "abs all any bool complex dict divmod enumerate float int len list max min pow range reversed round"
        " set sorted str sum tuple zip True False None"
    ).split()
)
# Random generators depend on earlier draws.
_STATEFUL = "random"


@dataclass(frozen=True, slots=True)
class Names:
    """Imports and pure functions of the tests are `trusted`; `tainted` ones hold parts of the target.

    A function of the tests is `replayed` if it takes no arguments, calls the model's functions and compares
    their results itself; the value is the names of these functions.
    """

    trusted: frozenset[str]
    tainted: dict[str, tuple[int, ...]]
    replayed: dict[str, tuple[str, ...]]

    def is_trusted(self, function: ast.expr) -> bool:
        """Whether this function can be called outside the model's process."""
        if isinstance(function, ast.Name):
            return function.id in self.trusted
        if not isinstance(function, ast.Attribute) or function.attr == _STATEFUL:
            return False
        return self.is_trusted(function.value)

    def is_tainted(self, node: ast.AST) -> bool:
        return any(name in self.tainted for name in _loaded(node))


def names_of(dependencies: str, tests: Sequence[ast.Module]) -> Names:
    statements = [statement for test in tests for statement in test.body]
    written = {name for statement in statements for name in _stored(statement)}
    imported = {
        name
        for module in (ast.parse(dependencies), *tests)
        for statement in module.body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for name in _bound(statement)
    }
    trusted = (imported | _BUILTINS) - written
    functions = [one for one in statements if isinstance(one, ast.FunctionDef)]
    trusted |= set(_pure(functions, trusted))
    replayed = {one.name: called for one in functions if (called := _called(one, functions, trusted))}
    tainted: dict[str, tuple[int, ...]] = {TARGET: ()}
    for statement in statements:
        if is_unpacking(statement):
            tainted |= _unpacked(statement)
    return Names(frozenset(trusted), tainted, replayed)


def is_unpacking(statement: ast.stmt) -> bool:
    """`a, b = target`: the only way in which tests unpack a target before comparing."""
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Name)
        and statement.value.id == TARGET
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Tuple | ast.Name)
    )


def _unpacked(statement: ast.stmt) -> dict[str, tuple[int, ...]]:
    if not isinstance(statement, ast.Assign):
        return {}
    target = statement.targets[0]
    if isinstance(target, ast.Name):
        return {target.id: ()}
    parts = target.elts if isinstance(target, ast.Tuple) else []
    return {part.id: (index,) for index, part in enumerate(parts) if isinstance(part, ast.Name)}


def _pure(functions: Sequence[ast.FunctionDef], trusted: Iterable[str]) -> Iterator[str]:
    """The functions that use only trusted names and each other."""
    known = set(trusted)
    candidates = {function.name: function for function in functions}
    impure = {name for name, function in candidates.items() if _free(function) - known - candidates.keys()}
    while spoilt := {
        name for name, function in candidates.items() if name not in impure and _free(function) & impure
    }:
        impure |= spoilt
    yield from candidates.keys() - impure


def _called(
    function: ast.FunctionDef, functions: Sequence[ast.FunctionDef], trusted: set[str]
) -> tuple[str, ...]:
    """The model's functions that a test's function calls; empty if it uses them in any other way."""
    arguments = function.args
    takes = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    foreign = _free(function) - trusted
    calls = [one for one in ast.walk(function) if isinstance(one, ast.Call)]
    callees = [one.func.id for one in calls if isinstance(one.func, ast.Name) and one.func.id in foreign]
    is_only_called = len(callees) == sum(name in foreign for name in _loaded(function))
    if any(takes) or not is_only_called or foreign & {one.name for one in functions}:
        return ()
    return tuple(sorted(foreign))


def _free(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    own = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    own |= {one.arg for one in (arguments.vararg, arguments.kwarg) if one}
    own |= {name for statement in function.body for name in _stored(statement)}
    inner = {one.name for one in ast.walk(function) if isinstance(one, ast.FunctionDef)}
    return set(_loaded(function)) - own - inner


def _loaded(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            yield one.id


def _stored(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store | ast.Del):
            yield one.id
        elif isinstance(one, ast.arg):
            yield one.arg


def _bound(statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in statement.names:
        yield (alias.asname or alias.name).split(".")[0]
