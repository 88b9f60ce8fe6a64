"""Splits a step's tests in two, so that no target is ever in a process with code of the model.

The model's process runs the tests up to each assertion, and reports the values in it. Another process, which
has the target and no code of the model, computes the assertion. The model's code can only change values that
are then compared. If a test compares inside a function of its own, that function runs in both processes: in
the first to record what the model's functions return to it, in the second to judge.
"""

import ast
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from assay.benchmarks.scicode.names import TARGET, Names, is_unpacking, names_of
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError

REPORT = "__assay_report__"
VALUES = "__assay_values__"
RECORD, REPLAY = "__assay_record__", "__assay_replay__"

Path: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """A part of the target, and the expression that gives it in the authors' code."""

    path: Path
    source: str

    def to_json(self) -> Json:
        return {"path": list(self.path), "source": self.source}


@dataclass(frozen=True, slots=True)
class Assertion:
    """`source` is the asserted expression over the values that the model's process reports."""

    test: int
    source: str
    goals: tuple[Goal, ...]

    def to_json(self) -> Json:
        return {"test": self.test, "source": self.source, "goals": [goal.to_json() for goal in self.goals]}


@dataclass(frozen=True, slots=True)
class SplitTests:
    """`model_source` runs after the model's code; the rest is for the other process.

    Before each test the other process runs its setup, with its imports and functions, and unpacks the target.
    """

    model_source: str
    setups: tuple[str, ...]
    unpackings: tuple[str, ...]
    assertions: tuple[Assertion, ...]


def split_tests(dependencies: str, tests: Sequence[str]) -> SplitTests:
    """Raises DataError if a test cannot be separated from its target."""
    try:
        modules = [ast.parse(test) for test in tests]
        names = names_of(dependencies, modules)
    except SyntaxError as error:
        raise DataError(f"a test is not valid Python: {error}") from error
    sources: list[str] = []
    setups: list[str] = []
    unpackings: list[str] = []
    assertions: list[Assertion] = []
    for number, module in enumerate(modules):
        parted = _AssertionReplacer(names, number, assertions)
        setups.append(_source([one for one in module.body if _is_setup(one, names)]))
        unpackings.append(_source([one for one in module.body if is_unpacking(one)]))
        sources.append(_source([parted.visit(one) for one in module.body if not is_unpacking(one)]))
    return SplitTests("\n".join(sources), tuple(setups), tuple(unpackings), tuple(assertions))


def _source(statements: list[ast.stmt]) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Module(statements, [])))


def _is_setup(statement: ast.stmt, names: Names) -> bool:
    if isinstance(statement, ast.FunctionDef):
        return statement.name in names.trusted or statement.name in names.replayed
    return isinstance(statement, ast.Import | ast.ImportFrom)


@dataclass(slots=True)
class _AssertionReplacer(ast.NodeTransformer):
    """Replaces every assertion by a report of its values."""

    names: Names
    test: int
    assertions: list[Assertion]

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        values = _Values(self.names)
        parted = values.part(node.test)
        number = len(self.assertions)
        goals = tuple(_goals(parted, self.names))
        self.assertions.append(Assertion(self.test, ast.unparse(ast.fix_missing_locations(parted)), goals))
        arguments: list[ast.expr] = [ast.Constant(number), *values.reported]
        return ast.Expr(ast.Call(ast.Name(REPORT, ast.Load()), arguments, []))

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id == TARGET and isinstance(node.ctx, ast.Load):
            raise DataError("a test uses its target outside of an assertion: it cannot be run without it")
        return node


@dataclass(slots=True)
class _Values:
    """Splits an expression into what the other process computes, and the values `reported` for it."""

    names: Names
    reported: list[ast.expr] = field(default_factory=list[ast.expr])

    def part(self, node: ast.expr, own: frozenset[str] = frozenset()) -> ast.expr:
        """`own` are names that the expression itself binds."""
        match node:
            case ast.Constant():
                parted: ast.expr = node
            case ast.Name(id=name):
                is_there = name in own or name in self.names.tainted or name in self.names.trusted
                parted = node if is_there else self._report(node, own)
            case ast.Call():
                parted = self._call(node, own)
            case ast.Attribute():
                parted = self._attribute(node, own)
            case ast.GeneratorExp() | ast.ListComp():
                parted = self._comprehension(node, own)
            case _:
                parted = self._computed(node, own) if isinstance(node, _COMPUTED) else self._report(node, own)
        return parted

    def _call(self, node: ast.Call, own: frozenset[str]) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in self.names.replayed:
            return self._replayed(node.func, own)
        if self.names.is_trusted(node.func):
            arguments = [self.part(one, own) for one in node.args]
            keywords = [ast.keyword(one.arg, self.part(one.value, own)) for one in node.keywords]
            return ast.Call(node.func, arguments, keywords)
        # A method of something that the other process computes, such as `(x > 0).all()`.
        if isinstance(node.func, ast.Attribute) and self._is_computed(node.func.value):
            method = ast.Attribute(self.part(node.func.value, own), node.func.attr, ast.Load())
            return ast.Call(method, [self.part(one, own) for one in node.args], [])
        return self._report(node, own)

    def _replayed(self, function: ast.Name, own: frozenset[str]) -> ast.expr:
        """The other process runs it with the recorded return values of the model's functions."""
        called = ast.Tuple([ast.Constant(name) for name in self.names.replayed[function.id]], ast.Load())
        scope = ast.Call(ast.Name("globals", ast.Load()), [], [])
        given = self._report(ast.Call(ast.Name(RECORD, ast.Load()), [scope, called, function], []), own)
        return ast.Call(ast.Name(REPLAY, ast.Load()), [given, called, function], [])

    def _attribute(self, node: ast.Attribute, own: frozenset[str]) -> ast.expr:
        if self.names.is_trusted(node):
            return node
        if self._is_computed(node.value):
            return ast.Attribute(self.part(node.value, own), node.attr, ast.Load())
        return self._report(node, own)

    def _is_computed(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self.names.tainted
        if isinstance(node, ast.Call):
            return self.names.is_trusted(node.func)
        return isinstance(node, _COMPUTED)

    def _comprehension(self, node: ast.GeneratorExp | ast.ListComp, own: frozenset[str]) -> ast.expr:
        if len(node.generators) != 1 or node.generators[0].is_async:
            return self._report(node, own)
        loop = node.generators[0]
        bound = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        inner = own | bound
        parted = ast.comprehension(
            loop.target, self.part(loop.iter, own), [self.part(one, inner) for one in loop.ifs], 0
        )
        return type(node)(self.part(node.elt, inner), [parted])

    def _computed(self, node: ast.expr, own: frozenset[str]) -> ast.expr:
        parted = copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(parted, name, self.part(value, own))
            elif isinstance(value, list):
                members = cast("list[ast.AST]", value)  # fields of nodes hold nothing else
                setattr(
                    parted,
                    name,
                    [self.part(one, own) if isinstance(one, ast.expr) else one for one in members],
                )
        return parted

    def _report(self, node: ast.expr, own: frozenset[str]) -> ast.expr:
        used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if self.names.is_tainted(node) or used & own:
            raise DataError(
                f"the assertion of {ast.unparse(node)!r} cannot be computed without the model's code"
            )
        self.reported.append(node)
        return ast.Subscript(ast.Name(VALUES, ast.Load()), ast.Constant(len(self.reported) - 1), ast.Load())


_COMPUTED = (
    *(ast.BinOp, ast.BoolOp, ast.Compare, ast.Dict, ast.IfExp, ast.List, ast.Set, ast.Slice, ast.Subscript),
    *(ast.Tuple, ast.UnaryOp),
)


def _goals(node: ast.expr, names: Names) -> list[Goal]:
    """What the target, or each part of it, is compared with."""
    goals: list[Goal] = []
    for one in ast.walk(node):
        match one:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                sides = [(left, right), (right, left)]
            case ast.Call(args=[first, second, *_]):
                sides = [(first, second), (second, first)]
            case _:
                continue
        for value, part in sides:
            path = _path(part, names)
            if path is not None and not names.is_tainted(value):
                goals.append(Goal(path, ast.unparse(ast.fix_missing_locations(value))))
                break
    return goals


def _path(node: ast.expr, names: Names) -> Path | None:
    match node:
        case ast.Name(id=name):
            return names.tainted.get(name)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int(index))) if (
            name in names.tainted
        ):
            return (*names.tainted[name], index)
        case _:
            return None
