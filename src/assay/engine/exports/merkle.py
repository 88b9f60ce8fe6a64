"""A Merkle tree as in RFC 6962, so that one leaf can be proven without showing the others."""

from collections.abc import Sequence
from hashlib import sha256

ALGORITHM = "sha256-rfc6962"
HASH_BYTES = 32
# Leaves and nodes have different prefixes, so that a node cannot be presented as a leaf.
_LEAF, _NODE = b"\x00", b"\x01"
_EMPTY = sha256(b"").digest()


def leaf_hash(content: bytes) -> bytes:
    return sha256(_LEAF + content).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()


class TreeHasher:
    """Computes the root of a growing list of leaves, keeping one hash per level."""

    def __init__(self) -> None:
        self.size = 0
        # Roots of complete subtrees, largest first; their sizes are the binary digits of `size`.
        self._peaks: list[bytes] = []

    def add(self, content: bytes) -> bytes:
        """Append a leaf; returns its hash."""
        leaf = node = leaf_hash(content)
        carried = self.size
        while carried & 1:
            node = _node_hash(self._peaks.pop(), node)
            carried >>= 1
        self._peaks.append(node)
        self.size += 1
        return leaf

    def root(self) -> bytes:
        if not self._peaks:
            return _EMPTY
        node = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            node = _node_hash(peak, node)
        return node


def inclusion_path(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """The hashes that lead from leaf `index` to the root, nearest first."""
    if not 0 <= index < len(leaves):
        raise IndexError(f"no leaf {index} among {len(leaves)}")
    if len(leaves) == 1:
        return ()
    split = _split(len(leaves))
    left, right = leaves[:split], leaves[split:]
    if index < split:
        return (*inclusion_path(left, index), _root(right))
    return (*inclusion_path(right, index - split), _root(left))


def root_of_path(leaf: bytes, *, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root computed from a leaf and its path; None if they do not fit a tree of this size."""
    if not 0 <= index < size:
        return None
    node, last = leaf, size - 1
    for sibling in path:
        if last == 0 or len(sibling) != HASH_BYTES:
            return None
        if index & 1 or index == last:
            node = _node_hash(sibling, node)
            # A last node without a right neighbour moves up unchanged.
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = _node_hash(node, sibling)
        index, last = index >> 1, last >> 1
    return node if last == 0 else None


def _root(leaves: Sequence[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    split = _split(len(leaves))
    return _node_hash(_root(leaves[:split]), _root(leaves[split:]))


def _split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1
