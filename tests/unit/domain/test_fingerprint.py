"""Equal fingerprints mean comparable scores."""

from dataclasses import fields, replace

import pytest

from assay.domain.fingerprint import Fingerprint, differences
from tests.builders import FINGERPRINT


def test_equal_fields_give_the_same_value() -> None:
    assert replace(FINGERPRINT).value == FINGERPRINT.value
    assert differences(FINGERPRINT, replace(FINGERPRINT)) == ()


@pytest.mark.parametrize("name", [field.name for field in fields(Fingerprint)])
def test_every_field_changes_the_value_and_is_named(name: str) -> None:
    other = replace(FINGERPRINT, **{name: 7 if name == "samples" else "other"})
    assert other.value != FINGERPRINT.value
    assert differences(FINGERPRINT, other) == (name,)
