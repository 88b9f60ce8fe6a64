"""Names of data sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.datasets.dataset import DatasetRef, name_of_file, require_name, shown_file_name
from assay.domain.errors import InvalidValueError, UnknownNameError


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("batch_5k.jsonl", "batch_5k"),
        ("My questions (final).JSONL", "My-questions-final"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\x.ndjson", "x"),
        ("a\"b'c.jsonl", "a-b-c"),
        ("caf\u00e9 \U0001f30d.jsonl", "cafe"),
        ("\x00\x1b[31m.jsonl", "31m"),
        ("..", "dataset"),
        ("", "upload"),
        ("x" * 300, "x" * 64),
    ],
)
def test_a_name_is_made_from_whatever_a_file_is_called(file_name: str, name: str) -> None:
    assert name_of_file(file_name) == name


@given(st.text())
def test_a_made_name_can_be_used_and_a_shown_one_is_harmless(file_name: str) -> None:
    name = require_name(name_of_file(file_name))
    assert DatasetRef.parse(f"dataset:{name}@2") == DatasetRef(name, 2)
    shown = shown_file_name(file_name)
    assert shown.isprintable()
    assert not set(shown) & {"/", "\\"}


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a,b", "a@1", ".hidden", "x" * 65, "a b"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidValueError, match="cannot be named"):
        require_name(name)


@pytest.mark.parametrize("text", ["dataset:", "dataset:a@", "dataset:a@x", "dataset:a@1@2", "dataset:a/b"])
def test_a_reference_is_a_name_and_at_most_a_version(text: str) -> None:
    with pytest.raises(UnknownNameError, match="dataset:NAME"):
        DatasetRef.parse(text)
