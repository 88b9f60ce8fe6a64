"""The comparisons that official tests import, by the rules of the official module."""
# pyright: basic, reportMissingImports=false
# (runs with the packages of the prepared environment, which Assay itself does not have)

import numpy as np
import scipy.sparse
import sympy

_SPARSE = (
    scipy.sparse.csr_matrix,
    scipy.sparse.csc_matrix,
    scipy.sparse.bsr_matrix,
    scipy.sparse.coo_matrix,
)
_COMPRESSED = (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix)


def are_dicts_close(dict1, dict2, atol=1e-8, rtol=1e-5):
    ours, theirs = process_symbol_in_dict(dict1), process_symbol_in_dict(dict2)
    if ours.keys() != theirs.keys():
        return False
    return all(_are_entries_close(ours[key], theirs[key], atol, rtol) for key in ours)


def process_symbol_in_dict(dict):  # noqa: A002 - the official name
    """Symbols by their names: keys, and values whose key is no symbol."""
    named = {}
    for key, value in dict.items():
        if isinstance(key, sympy.Symbol):
            named[str(key)] = value
        else:
            named[key] = str(value) if isinstance(value, sympy.Symbol) else value
    return named


def are_csc_matrix_close(matrix1, matrix2):
    return np.allclose(matrix1.toarray(), matrix2.toarray())


def cmp_tuple_or_list(var1, var2):
    if len(var1) != len(var2):
        return False
    return all(_are_members_close(one, other) for one, other in zip(var1, var2, strict=True))


def _are_entries_close(one, other, atol, rtol):
    if isinstance(one, sympy.Symbol | str):
        return one == other
    if isinstance(one, _SPARSE):
        return np.allclose(one.toarray(), other.toarray(), atol=atol, rtol=rtol)
    try:
        return np.allclose(one, other, atol=atol, rtol=rtol)
    except ValueError:
        return one == other


def _are_members_close(one, other):
    if isinstance(one, dict):
        return are_dicts_close(one, other)
    if isinstance(one, _COMPRESSED):
        return are_csc_matrix_close(one, other)
    if isinstance(one, bool):
        return one == other
    try:
        return np.allclose(one, other)
    except ValueError:
        return one == other
