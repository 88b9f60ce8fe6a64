"""The numeric targets of a step: from the official HDF5 file, or from the authors' own code."""
# pyright: basic, reportMissingImports=false
# (runs with the packages of the prepared environment, which Assay itself does not have)

import numpy as np


def from_hdf5(path, step, count):
    """One target per test, in the layout of the official file."""
    import h5py  # noqa: PLC0415 - only where there is a file

    with h5py.File(path, "r") as file:
        return [_target(file[f"{step}/test{number + 1}"]) for number in range(count)]


def _target(group):
    values = [_value(group[name]) for name in group]
    return values[0] if len(values) == 1 else tuple(values)


def _value(node):
    if _is_dataset(node):
        value = node[()]
        return value.decode("utf-8") if isinstance(value, bytes) else value
    first = next(iter(node), None)
    if first == "list":
        return [node["list"][name][()] for name in node["list"]]
    if first == "sparse_matrix":
        return _sparse(node["sparse_matrix"])
    return None if first is None else _dictionary(node)


def _dictionary(group):
    found = {}
    for name, node in group.items():
        if not _is_dataset(node):
            found[name] = _sparse(node["sparse_matrix"])
            continue
        value = node[()]
        if isinstance(value, bytes):
            found[name] = value.decode("utf-8")
        else:
            found[_number_or_name(name)] = value
    return found


def _number_or_name(name):
    try:
        return float(name)
    except ValueError:
        return name


def _is_dataset(node):
    return hasattr(node, "dtype")


def _sparse(group):
    import scipy.sparse  # noqa: PLC0415 - takes long

    data, shape = group["data"][()], tuple(group["shape"][()])
    if "row" in group and "col" in group:
        return scipy.sparse.coo_matrix((data, (group["row"][()], group["col"][()])), shape=shape)
    parts = (data, group["indices"][()], group["indptr"][()])
    if "blocksize" in group:
        return scipy.sparse.bsr_matrix(parts, shape=shape, blocksize=tuple(group["blocksize"][()]))
    return scipy.sparse.csr_matrix(parts, shape=shape)


def assembled(parts):
    """One target from (path, value) pairs; an empty path means the whole target."""
    whole = [value for path, value in parts if not path]
    if whole:
        return whole[0]
    by_index = {path[0]: value for path, value in parts}
    return tuple(by_index.get(index, np.nan) for index in range(max(by_index, default=-1) + 1))
