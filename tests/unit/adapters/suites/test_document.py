"""TOML and YAML as values with the line of each; hostile files cost little."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.suites.document import MAX_BYTES, Document, DocumentFaultError, Fault, Path, Value, parsed
from assay.domain.json_value import Json
from assay.engine.suites.toml_text import AsItStands, toml_key, toml_value

TOML = b'''# what a suite may hold
name = "x"  # [not.a.table]
a.b = """
several ""lines"" # no = "comment"
"""
literal = \'\'\'it's [one]\'\'\'

[settings]
options = {top_k = 40, nested = {list = [1,
  2, {q = 'a#]'}]}}

[[models]]
model = "a"
[models.price]
input = 1
[[models]]
model = "b"
items = [
  "a",  # one
  "b",
]
"quo ted"."y" = 2
[gate.benchmarks."a:b"]
max_drop = 0.1
'''
YAML = b"""# the same of YAML
shared: &shared
  samples: 2
models:
  - <<: *shared
    model: a
    when: 2026-01-01
  - {model: b, items: [x,
      y]}
"""


def line(document: Document, *path: str | int) -> int:
    return document.line(path)


def test_every_key_of_toml_has_its_line() -> None:
    document = parsed(TOML.replace(b"\n", b"\r\n"), is_yaml=False)
    assert document.values == tomllib.loads(TOML.decode())
    assert (line(document, "name"), line(document, "a", "b"), line(document, "literal")) == (2, 3, 6)
    assert line(document, "settings", "options", "nested", "list", 2, "q") == 10
    assert (line(document, "models", 0, "model"), line(document, "models", 0, "price", "input")) == (13, 15)
    assert (line(document, "models", 1, "model"), line(document, "models", 1, "items", 1)) == (17, 20)
    assert line(document, "models", 1, "quo ted", "y") == 22
    assert line(document, "gate", "benchmarks", "a:b", "max_drop") == 24


def test_what_is_not_there_has_the_line_of_what_it_belongs_to() -> None:
    document = parsed(TOML, is_yaml=False)
    assert (line(document, "models", 1, "price", "output"), line(document, "nothing")) == (16, 1)


def test_every_key_of_yaml_has_its_line_and_aliases_are_followed() -> None:
    document = parsed(YAML, is_yaml=True)
    assert document.values["models"] == [
        {"samples": 2, "model": "a", "when": "2026-01-01"},
        {"model": "b", "items": ["x", "y"]},
    ]
    assert (line(document, "models", 0, "model"), line(document, "models", 0, "samples")) == (6, 3)
    assert (line(document, "models", 1), line(document, "models", 1, "items", 1)) == (8, 9)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN = st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES: st.SearchStrategy[Any] = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def as_it_stands(value: Value) -> Json:
    if isinstance(value, str):
        return AsItStands(value)
    if isinstance(value, dict):
        return {key: as_it_stands(one) for key, one in value.items()}
    return [as_it_stands(one) for one in value] if isinstance(value, list) else value


def paths(value: Value, path: Path) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key, one in value.items():
            yield from paths(one, (*path, key))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from paths(one, (*path, index))


@settings(max_examples=100)
@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3))
def test_any_value_is_written_as_toml_and_every_path_of_it_is_found(values: dict[str, Value]) -> None:
    text = "".join(f"{toml_key(key)} = {toml_value(as_it_stands(one))}\n" for key, one in values.items())
    document = parsed(text.encode(), is_yaml=False)
    assert document.values == values
    expected = {path for key, one in values.items() for path in paths(one, (key,))}
    assert set(document.lines) == expected
    assert [document.lines[key,] for key in values] == list(range(1, len(values) + 1))


def fault_in(data: bytes, *, is_yaml: bool) -> Fault:
    with pytest.raises(DocumentFaultError) as caught:
        parsed(data, is_yaml=is_yaml)
    return caught.value.fault


BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (98 + level, 98 + level, b",".join([b"*%c" % (97 + level)] * 9)) for level in range(9)
)


@pytest.mark.parametrize(
    ("data", "number", "message"),
    [
        (BOMB, 1, "at most 20,000 values, aliases included"),
        (b"a: &a " + b"x" * 300_000 + b"\nb: [" + b"*a," * 50 + b"]\n", 1, "too long, aliases included"),
        (b"a: &a [*a]", 1, "nested too deep"),
        (b"[" * 5_000, 1, "nested too deep"),
        (b"a: 1\nb: !!python/object:os.system x", 2, "the tag 'tag:yaml.org,2002:python/object:os.system'"),
        (b"a: 1\nb: !!binary eA==", 2, "the tag"),
        (b"a: 1\na: 2", 2, "the key is there twice"),
        (b"a: 1\nb: [", 2, "this is not YAML"),
        (b"a: 1\n---\nb: 2", 2, "this is not YAML: expected a single document"),
        (b"? [a]\n: b", 1, "a key must be a text"),
        (b"- a", 1, "a suite is a mapping"),
        (b"a: \x00", 1, "this is not YAML"),
        (b"a: 1\nb: \xff", 2, "the file is not UTF-8"),
        (b"a: 1\n<<: 2", 2, "needs a mapping"),
        (b"#" * (MAX_BYTES + 1), 1, "at most 1,000,000 bytes"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else None,
)
def test_yaml_that_cannot_be_read_is_a_fault_with_its_line(data: bytes, number: int, message: str) -> None:
    fault = fault_in(data, is_yaml=True)
    assert message in fault.message
    assert fault.line == number


@pytest.mark.parametrize(
    ("data", "number", "message"),
    [
        (b"a = 1\nb = ", 2, "this is not TOML: Invalid value"),
        (b"a = 1\na = 2", 2, "Cannot overwrite a value"),
        (b"a = 1\nb = [\n1,", 3, "at the end"),
        (b"a = " + b"[" * 5_000, 1, "nested too deep"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else None,
)
def test_toml_that_cannot_be_read_is_a_fault_with_its_line(data: bytes, number: int, message: str) -> None:
    fault = fault_in(data, is_yaml=False)
    assert message in fault.message
    assert fault.line == number
