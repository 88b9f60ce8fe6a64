"""A setting that cannot be used is named, with what would do."""

import pytest

from assay.domain.errors import InvalidValueError
from assay.settings import Settings, load_settings

CHECKED = [
    name
    for name, field in Settings.model_fields.items()
    if any(kind in str(field.annotation) for kind in ("int", "float", "bool", "Literal"))
]


@pytest.mark.parametrize("name", CHECKED)
def test_a_bad_setting_is_described_in_our_own_words(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name.upper(), "many things")
    with pytest.raises(InvalidValueError, match=f"^setting {name.upper()} must be .*; see docs"):
        load_settings()


def test_the_value_and_what_is_allowed_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_PORT", "99999")
    with pytest.raises(InvalidValueError, match="ASSAY_PORT must be at most 65535, not '99999'; see docs"):
        load_settings()
    monkeypatch.delenv("ASSAY_PORT")
    monkeypatch.setenv("ASSAY_LOG_LEVEL", "loud")
    with pytest.raises(
        InvalidValueError, match="must be one of 'DEBUG', 'INFO', 'WARNING' or 'ERROR', not 'loud'"
    ):
        load_settings()
