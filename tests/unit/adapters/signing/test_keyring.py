from base64 import b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from assay.adapters.signing.ed25519 import is_signed_by, read_private_key, read_public_key
from assay.adapters.signing.keyring import Keyring
from assay.domain.errors import InvalidValueError, SigningKeyMissingError

RAW = bytes(range(32))
TEXT = b64encode(RAW).decode()
KEY = Ed25519PrivateKey.from_private_bytes(RAW)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()
PUBLIC = KEY.public_key().public_bytes_raw()
PUBLIC_PEM = (
    KEY.public_key()
    .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    .decode()
)


@pytest.mark.parametrize("text", [TEXT, f" {TEXT}\n", PEM, PEM.replace("\n", "\\n")])
def test_private_keys_are_read_in_every_form(text: str) -> None:
    assert read_private_key(text, where="here").public_key == PUBLIC


@pytest.mark.parametrize("text", [b64encode(PUBLIC).decode(), PUBLIC_PEM])
def test_public_keys_are_read_in_every_form(text: str) -> None:
    assert read_public_key(text, where="here") == PUBLIC


X25519_PEM = (
    X25519PrivateKey.generate()
    .private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    .decode()
)


@pytest.mark.parametrize("text", ["", "secret!", TEXT[:-4], PEM[:60], X25519_PEM, PUBLIC_PEM])
def test_what_is_no_key_is_refused_without_being_quoted(text: str) -> None:
    with pytest.raises(InvalidValueError, match="here is not") as caught:
        read_private_key(text, where="here")
    assert not text or text not in caught.value.message


def test_a_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    first = Keyring(tmp_path / "keys").signer()
    assert Keyring(tmp_path / "keys").signer().public_key == first.public_key
    private = tmp_path / "keys" / "signing.key"
    assert private.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in (tmp_path / "keys").iterdir()} == {
        "signing.key",
        f"{_key_id(tmp_path)}.pub",
    }


def _key_id(home: Path) -> str:
    return Keyring(home / "keys").known()[0].key_id


def test_old_keys_stay_trusted_after_a_rotation(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    old = ring.signer()
    new = ring.rotate()
    assert new.public_key != old.public_key
    assert ring.signer().public_key == new.public_key
    assert set(ring.trusted().values()) == {old.public_key, new.public_key}
    assert [key.is_current for key in ring.known()] == [True, False]
    assert (tmp_path / "signing.key").stat().st_mode & 0o777 == 0o600


def test_a_given_key_goes_before_the_stored_one_and_is_remembered(tmp_path: Path) -> None:
    stored = Keyring(tmp_path).signer()
    given = Keyring(tmp_path, private_key=TEXT, public_key=b64encode(PUBLIC).decode())
    assert given.signer().public_key == PUBLIC
    assert set(Keyring(tmp_path).trusted().values()) == {PUBLIC, stored.public_key}
    with pytest.raises(InvalidValueError, match="BENCH_SIGNING_PRIVATE_KEY"):
        given.rotate()


def test_keys_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="does not belong"):
        Keyring(tmp_path, private_key=TEXT, public_key=b64encode(bytes(32)).decode()).signer()


def test_a_public_key_alone_is_trusted_and_nothing_is_made(tmp_path: Path) -> None:
    ring = Keyring(tmp_path, public_key=b64encode(PUBLIC).decode())
    assert list(ring.trusted().values()) == [PUBLIC]
    assert list(tmp_path.iterdir()) == []


def test_the_private_key_is_not_shown() -> None:
    assert TEXT not in repr(read_private_key(TEXT, where="here"))


def test_signatures_are_told_apart() -> None:
    signer = read_private_key(TEXT, where="here")
    signature = signer.sign(b"message")
    assert is_signed_by(signer.public_key, signature, b"message")
    assert not is_signed_by(signer.public_key, signature, b"another")
    assert not is_signed_by(signer.public_key, b"short", b"message")
    assert not is_signed_by(b"short", signature, b"message")


def test_with_a_public_key_alone_nothing_is_signed_and_nothing_created(tmp_path: Path) -> None:
    ring = Keyring(tmp_path, public_key=b64encode(PUBLIC).decode())
    for sign in (ring.signer, ring.rotate):
        with pytest.raises(SigningKeyMissingError, match="set BENCH_SIGNING_PRIVATE_KEY too"):
            sign()
    assert list(tmp_path.iterdir()) == []
    assert [one.public_key for one in ring.known()] == [PUBLIC]


def test_a_key_that_was_made_before_does_not_replace_the_configured_public_key(tmp_path: Path) -> None:
    made = Keyring(tmp_path).signer()
    ring = Keyring(tmp_path, public_key=b64encode(PUBLIC).decode())
    assert [(one.public_key, one.is_current) for one in ring.known()] == [
        (PUBLIC, True), (made.public_key, False),
    ]  # fmt: skip
    with pytest.raises(SigningKeyMissingError):
        ring.signer()
    fitting = Keyring(tmp_path, public_key=b64encode(made.public_key).decode())
    assert fitting.signer().public_key == made.public_key
