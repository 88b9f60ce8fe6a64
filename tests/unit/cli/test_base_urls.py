"""`--base-url` for all models and for single ones."""

import pytest

from assay.cli.options import base_urls
from assay.domain.errors import InvalidValueError
from assay.domain.run import ModelEndpoint


@pytest.mark.parametrize(
    ("given", "shared", "own"),
    [
        (None, None, {}),
        (["http://a:1/v1?key=x"], "http://a:1/v1?key=x", {}),
        (["localhost:8000"], "localhost:8000", {}),
        (["vllm/m=http://b/v1?k=1", "http://a/v1"], "http://a/v1", {"vllm/m": "http://b/v1?k=1"}),
        (["sim/good?endpoint=b=https://b"], None, {"sim/good?endpoint=b": "https://b"}),
    ],
)
def test_an_address_is_for_all_models_or_for_one(
    given: list[str] | None, shared: str | None, own: dict[str, str]
) -> None:
    expected = {model: ModelEndpoint(base_url=url) for model, url in own.items()}
    assert base_urls(given) == (shared, expected)


@pytest.mark.parametrize("given", [["http://a", "http://b"], ["m=http://a", "m=http://b"]])
def test_an_address_is_given_once(given: list[str]) -> None:
    with pytest.raises(InvalidValueError, match="given twice"):
        base_urls(given)
