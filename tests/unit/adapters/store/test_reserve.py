from pathlib import Path

from assay.adapters.store.database.reserve import Reserve


def test_what_is_held_back_is_given_in_parts_and_taken_back_later(tmp_path: Path) -> None:
    reserve, other = Reserve(tmp_path / "a.db"), Reserve(tmp_path / "a.db")
    assert reserve.keep()
    whole = reserve.path.stat().st_size
    assert other.spend()
    assert 0 < reserve.path.stat().st_size < whole
    # There is room enough on this disk, so nobody is waiting for it.
    assert reserve.keep()
    assert reserve.path.stat().st_size == whole
    while reserve.spend():
        pass
    assert reserve.path.stat().st_size == 0


def test_without_a_place_nothing_is_held_back(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path / "missing" / "a.db")
    assert not reserve.keep()
    assert not reserve.spend()
