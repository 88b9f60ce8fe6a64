from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.store.database.codec import json_object, json_text, json_value
from assay.domain.calls.messages import Json

TEXT = st.text(st.characters())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)


@given(VALUES)
def test_any_json_value_comes_back(value: Json) -> None:
    text = json_text(value)
    assert "\x00" not in text
    text.encode()
    assert json_value(text) == value


def test_a_mapping_that_is_no_dict() -> None:
    assert json_text(MappingProxyType({"a": MappingProxyType({"b": (1, 2)})})) == '{"a":{"b":[1,2]}}'
    assert json_text({"half": MappingProxyType({"a": "\ud800"})}) == '{"half":{"a":"\\ud800"}}'


def test_a_list_is_no_object() -> None:
    with pytest.raises(TypeError, match="list"):
        json_object("[]")
