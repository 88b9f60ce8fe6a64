"""Where a caller may send this server's requests."""

import pytest

from assay.api.endpoint_policy import EndpointPolicy, is_loopback
from assay.domain.errors import InvalidValueError

POLICY = EndpointPolicy(
    keyless=frozenset({"vllm"}), hosts=("localhost", "127.0.0.1", "::1", "gpu-3:8000", "lab.example")
)


@pytest.mark.parametrize(
    "base_url",
    [
        "http://localhost:8000/v1",
        "http://LOCALHOST",
        "http://127.0.0.1:1/v1",
        "http://[::1]:8000/v1",
        "https://gpu-3:8000",
        "https://lab.example/v1",
        "https://lab.example:9/v1",
    ],
)
def test_listed_hosts_are_allowed(base_url: str) -> None:
    POLICY.require_allowed("vllm/m", base_url)


@pytest.mark.parametrize(
    "base_url",
    [
        "http://169.254.169.254/latest",
        "http://gpu-3/v1",
        "http://gpu-3:8001/v1",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://evil.example#@localhost",
        "http://evil.example\\@localhost",
        "http://127.1",
        "http://2130706433",
        "http://user:pw@localhost:8000",
        "file:///etc/passwd",
        "gopher://localhost",
        "localhost:8000",
        "http://",
        "http://[::1",
        "http://localhost:99999",
    ],
)
def test_everything_else_is_refused(base_url: str) -> None:
    with pytest.raises(InvalidValueError):
        POLICY.require_allowed("vllm/m", base_url)


@pytest.mark.parametrize("model", ["openai/gpt-5", "openai-api/lab/m", "sim/good", "vllm-other/m"])
def test_providers_that_may_have_a_key_keep_their_address(model: str) -> None:
    with pytest.raises(InvalidValueError, match="may hold a key"):
        POLICY.require_allowed(model, "http://localhost:8000")


def test_by_default_nothing_is_keyless() -> None:
    with pytest.raises(InvalidValueError, match="none configured"):
        EndpointPolicy().require_allowed("vllm/m", "http://localhost")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("evil", False),
        ("", False),
    ],
)
def test_loopback(host: str, expected: bool) -> None:  # noqa: FBT001
    assert is_loopback(host) is expected
