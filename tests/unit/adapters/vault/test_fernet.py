import os
import stat
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from assay.adapters.vault.fernet import FernetVault
from assay.domain.access.secret import Secret
from assay.domain.errors import ConflictError, InvalidValueError, StoreError, UnauthorizedError

KEY = Secret("sk-canary-1234567890")


def test_a_sealed_key_is_opened_again_and_cannot_be_read(tmp_path: Path) -> None:
    vault = FernetVault(tmp_path / "secret.key")
    sealed = vault.seal(KEY)
    assert KEY.value.encode() not in sealed
    assert vault.unseal(sealed) == KEY


def test_the_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "secret.key"
    first = FernetVault(path)
    assert not path.exists()
    sealed = first.seal(KEY)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["secret.key"]
    assert FernetVault(path).unseal(sealed) == KEY


def test_a_key_of_the_settings_goes_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    configured = Fernet.generate_key().decode()
    sealed = FernetVault(path, key=configured).seal(KEY)
    assert not path.exists()
    assert FernetVault(tmp_path / "elsewhere", key=f" {configured}\n").unseal(sealed) == KEY


def test_what_another_installation_sealed_is_refused_with_advice(tmp_path: Path) -> None:
    sealed = FernetVault(tmp_path / "one").seal(KEY)
    with pytest.raises(UnauthorizedError, match="ASSAY_SECRET_KEY the same value"):
        FernetVault(tmp_path / "other").unseal(sealed)


@pytest.mark.parametrize("wrong", ["short", "!" * 44, "é" * 44])
def test_a_key_that_is_none_is_named_but_not_shown(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InvalidValueError, match="ASSAY_SECRET_KEY must hold 32 bytes") as caught:
        FernetVault(tmp_path / "unused", key=wrong).pseudonym(KEY)
    assert wrong not in caught.value.message
    assert not (tmp_path / "unused").exists()


def test_an_empty_setting_counts_as_none(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    FernetVault(path, key="").seal(KEY)
    assert path.exists()


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file")
    with pytest.raises(StoreError, match="set ASSAY_SECRET_KEY"):
        FernetVault(tmp_path / "keys" / "secret.key").seal(KEY)


def test_a_pseudonym_is_the_same_for_the_same_key_here_only(tmp_path: Path) -> None:
    vault = FernetVault(tmp_path / "one")
    assert vault.pseudonym(KEY) == FernetVault(tmp_path / "one").pseudonym(KEY)
    others = {vault.pseudonym(Secret("sk-other")), FernetVault(tmp_path / "two").pseudonym(KEY)}
    assert vault.pseudonym(KEY) not in others
    assert "canary" not in vault.pseudonym(KEY)


def test_of_processes_that_start_at_once_all_use_one_key(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    late = FernetVault(path)
    # It found no file, and another process was faster to name its own.
    os.link(_written(tmp_path / "theirs"), path)
    sealed = late.seal(KEY)
    assert FernetVault(path).unseal(sealed) == KEY


def _written(path: Path) -> Path:
    path.write_bytes(Fernet.generate_key())
    return path


def test_a_secret_does_not_show_itself() -> None:
    assert "canary" not in f"{KEY} {KEY!r} {[KEY]}"


def test_several_keys_open_and_the_first_one_seals(tmp_path: Path) -> None:
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    before, after = (FernetVault(tmp_path, key=key) for key in (f"{old},{new}", f"{new}, {old}"))
    for vault in (before, after):
        sealed = vault.seal(KEY)
        assert before.unseal(sealed) == after.unseal(sealed) == KEY
    assert FernetVault(tmp_path, key=new).unseal(after.seal(KEY)) == KEY
    with pytest.raises(UnauthorizedError):
        FernetVault(tmp_path, key=new).unseal(before.seal(KEY))


def test_a_value_is_brought_under_the_newest_key_once(tmp_path: Path) -> None:
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    sealed = FernetVault(tmp_path, key=old).seal(KEY)
    vault = FernetVault(tmp_path, key=f"{new},{old}")
    resealed = vault.resealed(sealed)
    assert FernetVault(tmp_path, key=new).unseal(resealed) == KEY
    assert vault.resealed(resealed) == resealed
    with pytest.raises(UnauthorizedError):
        FernetVault(tmp_path, key=new).resealed(sealed)


def test_processes_notice_a_new_key_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    running = FernetVault(path)
    sealed = running.seal(KEY)
    FernetVault(path).add_key()
    rotated = FernetVault(path).seal(KEY)
    assert running.unseal(sealed) == running.unseal(rotated) == KEY
    path.write_bytes(path.read_bytes().split()[0])
    assert FernetVault(path).unseal(running.seal(KEY)) == KEY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_keys_of_the_settings_are_the_operators_to_change(tmp_path: Path) -> None:
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    with pytest.raises(ConflictError, match="put a new one before it"):
        FernetVault(tmp_path, key=old).add_key()
    vault = FernetVault(tmp_path, key=f"{new},{old}")
    vault.add_key()
    assert vault.pseudonyms(KEY) == tuple(FernetVault(tmp_path, key=one).pseudonym(KEY) for one in (new, old))
