"""What the endpoints of exports work with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.engine.exports.formats import Exporter
from assay.engine.exports.verify import IsSignedBy


class SigningKey(Protocol):
    @property
    def public_key(self) -> bytes: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def key_id(self) -> str: ...

    @property
    def is_current(self) -> bool: ...


class KeyDirectory(Protocol):
    """The public keys of this installation: the one that signs, and those that did."""

    def known(self) -> Sequence[SigningKey]: ...

    def signer(self) -> object:
        """Makes the first key where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class ExportDesk:
    exporter: Exporter
    keys: KeyDirectory
    is_signed_by: IsSignedBy

    def known_keys(self) -> Sequence[SigningKey]:
        return self.keys.known() or self._made()

    def _made(self) -> Sequence[SigningKey]:
        self.keys.signer()
        return self.keys.known()
