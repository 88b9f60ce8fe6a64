"""Arithmetic on text that a model wrote, without evaluating it as a program."""

import ast
import math
from collections.abc import Callable, Mapping

from assay.benchmarks.janus.tools.errors import ToolError

_MOST_CHARACTERS = 300
_LARGEST = 1e15
_MOST_EXPONENT = 64
_PLACES = 12
_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: float.__add__,
    ast.Sub: float.__sub__,
    ast.Mult: float.__mul__,
    ast.Div: float.__truediv__,
    ast.FloorDiv: float.__floordiv__,
    ast.Mod: float.__mod__,
}
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {"sqrt": math.sqrt, "abs": abs, "floor": math.floor}


def calculated(expression: str) -> float:
    """The value of an expression of numbers, + - * / // % **, brackets, sqrt, abs and floor."""
    if len(expression) > _MOST_CHARACTERS:
        raise ToolError(f"the expression has more than {_MOST_CHARACTERS} characters: calculate it in parts")
    try:
        value = _value(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ToolError(
            f"{expression!r} cannot be calculated: use numbers and + - * / // % ** ( )"
        ) from error
    except ZeroDivisionError as error:
        raise ToolError(f"{expression!r} divides by zero") from error
    return rounded(value)


def rounded(value: float) -> float:
    """To twelve significant digits, as a whole number where it is one."""
    short = float(f"{value:.{_PLACES}g}")
    return int(short) if short.is_integer() else short


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            value = number
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            value = _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            value = _BINARY[type(op)](float(_value(left)), float(_value(right)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            value = _value(operand)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            value = _FUNCTIONS[name](_value(argument))
        case _:
            raise ValueError(ast.dump(node)[:50])
    if not abs(value) <= _LARGEST:
        raise ToolError(f"a result is above {_LARGEST:g}, which the calculator cannot hold")
    return value


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > _MOST_EXPONENT or (base < 0 and exponent != int(exponent)):
        raise ToolError(f"{base} ** {exponent} is outside of what the calculator can do")
    try:
        return base**exponent
    except OverflowError as error:
        raise ToolError(f"{base} ** {exponent} is too large for the calculator") from error
