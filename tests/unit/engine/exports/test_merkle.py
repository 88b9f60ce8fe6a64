from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.exports.merkle import TreeHasher, inclusion_path, leaf_hash, root_of_path

# RFC 6962 test vectors, as certificate transparency logs use them.
INPUTS = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
ROOTS = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def root_of(contents: list[bytes]) -> bytes:
    tree = TreeHasher()
    for content in contents:
        tree.add(content)
    return tree.root()


@pytest.mark.parametrize("size", ROOTS)
def test_roots_are_those_of_the_standard(size: int) -> None:
    assert root_of([bytes.fromhex(one) for one in INPUTS[:size]]).hex() == ROOTS[size]


def test_no_leaves_have_the_root_of_nothing() -> None:
    assert root_of([]) == sha256(b"").digest()


@settings(deadline=None)
@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_every_leaf_is_proven_by_its_path_and_no_other_is(contents: list[bytes], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(contents) - 1))
    leaves = [leaf_hash(content) for content in contents]
    path = inclusion_path(leaves, index)
    size, root = len(contents), root_of(contents)
    assert root_of_path(leaves[index], index=index, size=size, path=path) == root
    assert root_of_path(leaf_hash(contents[index] + b"!"), index=index, size=size, path=path) != root
    assert root_of_path(leaves[index], index=index, size=size, path=(*path, root)) is None
    if path:
        assert root_of_path(leaves[index], index=index, size=size, path=path[:-1]) != root
    assert root_of_path(leaves[index], index=size, size=size, path=path) is None


def test_a_node_cannot_pass_for_a_leaf() -> None:
    leaves = [leaf_hash(content) for content in (b"a", b"b")]
    assert root_of([leaves[0] + leaves[1]]) != root_of([b"a", b"b"])
