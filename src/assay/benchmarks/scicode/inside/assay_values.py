"""Values as plain data, so that another process can read them without running any code."""
# pyright: basic, reportMissingImports=false
# (runs with the packages of the prepared environment, which Assay itself does not have)

import base64
import sys

import numpy as np

_PLAIN_KINDS = "biufcSUmM"
_DEEPEST = 50


def encoded(value, depth=0):
    """As JSON; a value of an unknown kind is represented by its type alone."""
    if depth > _DEEPEST:
        return {"opaque": "nested too deeply"}
    for kind, encode in (*_ENCODERS, *_encoders_in_use()):
        if isinstance(value, kind):
            return encode(value, depth + 1)
    try:
        array = np.asarray(value)
    except Exception:  # noqa: BLE001 - whatever an object does when it is asked for its numbers
        array = None
    if array is None or array.dtype.kind not in _PLAIN_KINDS:
        return {"opaque": type(value).__name__}
    return _array(array, depth + 1)


def _array(value, depth):
    plain = np.asarray(value)
    form = "matrix" if isinstance(value, np.matrix) else "array"
    if plain.dtype.kind not in _PLAIN_KINDS:
        cells = [encoded(one, depth) for one in plain.ravel().tolist()]
        return {"objects": cells, "shape": list(plain.shape)}
    data = base64.b64encode(np.ascontiguousarray(plain).tobytes()).decode()
    return {form: data, "dtype": plain.dtype.str, "shape": list(plain.shape)}


def _scalar(value, depth):
    return {"scalar": _array(np.asarray(value), depth)}


def _sparse(value, depth):
    parts = value.tocoo()
    return {
        "sparse": value.format,
        "shape": list(value.shape),
        "data": _array(parts.data, depth),
        "row": _array(parts.row, depth),
        "col": _array(parts.col, depth),
    }


def _symbolic(value, _depth):
    if isinstance(value, sys.modules["sympy"].Symbol):
        return {"symbol": value.name}
    number = complex(value) if value.is_number else None
    if number is None:
        return {"opaque": str(value)}
    return number.real if number.imag == 0 else {"complex": [number.real, number.imag]}


_ENCODERS = (
    (np.ndarray, _array),
    (np.generic, _scalar),
    ((bool, float, str, type(None)), lambda value, _depth: value),
    (int, lambda value, _depth: {"int": hex(value)}),
    (complex, lambda value, _depth: {"complex": [value.real, value.imag]}),
    (bytes, lambda value, _depth: {"bytes": base64.b64encode(value).decode()}),
    (dict, lambda value, depth: {"dict": [[encoded(k, depth), encoded(v, depth)] for k, v in value.items()]}),
    (tuple, lambda value, depth: {"tuple": [encoded(one, depth) for one in value]}),
    ((list, range), lambda value, depth: [encoded(one, depth) for one in value]),
    ((set, frozenset), lambda value, depth: {"set": [encoded(one, depth) for one in value]}),
)


def _encoders_in_use():
    """Encoders for packages that are slow to import: only if the program has imported them."""
    sparse, sympy = sys.modules.get("scipy.sparse"), sys.modules.get("sympy")
    if sparse is not None:
        yield (sparse.spmatrix, sparse.sparray), _sparse
    if sympy is not None:
        yield sympy.Basic, _symbolic


class Opaque(Exception):  # noqa: N818 - a value that has no encoding
    """A value whose kind cannot be compared."""


def decoded(data):
    """Raises Opaque, or ValueError for data that no encoder wrote."""
    if data is None or isinstance(data, bool | float | str):
        return data
    if isinstance(data, int):
        return float(data)
    if isinstance(data, list):
        return [decoded(one) for one in data]
    kind = next(iter(data))
    if kind == "opaque":
        raise Opaque(data[kind])
    return _DECODERS[kind](data)


def _array_of(data, key):
    dtype = np.dtype(data["dtype"])
    if dtype.kind not in _PLAIN_KINDS:
        raise ValueError("not plain data")
    return np.frombuffer(base64.b64decode(data[key]), dtype).reshape(data["shape"]).copy()


def _objects_of(data):
    cells = np.empty(len(data["objects"]), dtype=object)
    for index, one in enumerate(data["objects"]):
        cells[index] = decoded(one)
    return cells.reshape(data["shape"])


def _sparse_of(data):
    if data["sparse"] not in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
        raise ValueError("no sparse format")
    import scipy.sparse  # noqa: PLC0415 - takes long

    parts = (decoded(data["data"]), (decoded(data["row"]), decoded(data["col"])))
    return scipy.sparse.coo_matrix(parts, shape=tuple(data["shape"])).asformat(data["sparse"])


_DECODERS = {
    "array": lambda data: _array_of(data, "array"),
    "matrix": lambda data: np.asmatrix(_array_of(data, "matrix")),
    "objects": _objects_of,
    "scalar": lambda data: _array_of(data["scalar"], "array")[()],
    "int": lambda data: int(data["int"], 16),
    "complex": lambda data: complex(*data["complex"]),
    "bytes": lambda data: base64.b64decode(data["bytes"]),
    "dict": lambda data: {decoded(key): decoded(value) for key, value in data["dict"]},
    "tuple": lambda data: tuple(decoded(one) for one in data["tuple"]),
    "set": lambda data: {decoded(one) for one in data["set"]},
    "sparse": _sparse_of,
    "symbol": lambda data: _symbol_of(data["symbol"]),
}


def _symbol_of(name):
    import sympy  # noqa: PLC0415 - takes long

    return sympy.Symbol(name)
