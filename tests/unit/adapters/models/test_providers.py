import pytest

from assay.adapters.models.providers import AZURE_API_VERSION, KNOWN, provider_for, shown_url
from assay.domain.errors import InvalidValueError, UnknownNameError


@pytest.mark.parametrize("prefix", KNOWN)
def test_every_prefix_has_an_endpoint_and_its_own_variables(prefix: str) -> None:
    upper, traits = prefix.upper(), KNOWN[prefix]
    keys = traits.key_variables or (f"{upper}_API_KEY",)
    own = None if traits.base_url else "https://mine.example"
    provider, name = provider_for(f"{prefix}/vendor/name:tag", {keys[-1]: " k-1 "}, base_url=own)
    assert (provider.name, provider.api_key, name) == (prefix, "k-1", "vendor/name:tag")
    assert provider.base_url == (traits.base_url or f"https://mine.example/?api-version={AZURE_API_VERSION}")
    assert provider.key_variable == " or ".join(keys)
    for variable in traits.url_variables or (f"{upper}_BASE_URL",):
        moved, _ = provider_for(f"{prefix}/m", {variable: "http://10.0.0.1:9/v2/v1/"})
        assert moved.base_url == "http://10.0.0.1:9/v2/v1"
        assert moved.needs_key is (not traits.base_url)


@pytest.mark.parametrize("prefix", ["openai", "openrouter", "chutes", "groq", "mistral"])
def test_public_providers_need_a_key_at_their_own_address_only(prefix: str) -> None:
    provider, _ = provider_for(f"{prefix}/m", {})
    assert provider.needs_key
    assert provider.api_key is None
    elsewhere, _ = provider_for(f"{prefix}/m", {}, base_url="http://localhost:1/v1")
    assert not elsewhere.needs_key
    assert elsewhere.traits.cap_field == "max_tokens"


@pytest.mark.parametrize("prefix", ["vllm", "sglang", "ollama", "lmstudio", "janus"])
def test_local_servers_need_none(prefix: str) -> None:
    assert not provider_for(f"{prefix}/m", {})[0].needs_key


def test_generic_endpoint_reads_the_variables_of_its_name() -> None:
    environment = {"MY_LAB_BASE_URL": "https://lab.example/v1", "MY_LAB_API_KEY": "k-2"}
    provider, name = provider_for("openai-api/my-lab/org/model", environment)
    assert (provider.base_url, provider.api_key, name) == ("https://lab.example/v1", "k-2", "org/model")
    with pytest.raises(InvalidValueError, match="OTHER_BASE_URL"):
        provider_for("openai-api/other/model", environment)


def test_given_url_beats_the_environment() -> None:
    provider, _ = provider_for("vllm/m", {"VLLM_BASE_URL": "http://a/v1"}, base_url="http://b/v1")
    assert provider.base_url == "http://b/v1"


def test_empty_variables_count_as_unset() -> None:
    provider, _ = provider_for("vllm/m", {"VLLM_BASE_URL": " ", "VLLM_API_KEY": ""})
    assert (provider.base_url, provider.api_key) == (KNOWN["vllm"].base_url, None)


def test_unknown_prefix_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="openrouter") as caught:
        provider_for("openruter/m", {})
    assert caught.value.nearest[0] == "openrouter"


@pytest.mark.parametrize("model", ["vllm/", "vllm", "openai-api//m", "openai-api/lab"])
def test_model_without_a_name(model: str) -> None:
    with pytest.raises(InvalidValueError, match="provider/model"):
        provider_for(model, {"LAB_BASE_URL": "http://a"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://host:8000", "http://host:8000/v1"),
        ("http://host:8000/", "http://host:8000/v1"),
        ("http://host/api/v1/", "http://host/api/v1"),
        ("http://host/v1/chat/completions", "http://host/v1"),
        ("http://host/chat/completions", "http://host/v1"),
        ("https://host/deployments/d?api-version=1", "https://host/deployments/d?api-version=1"),
    ],
)
def test_base_url_is_normalised(text: str, expected: str) -> None:
    assert provider_for("vllm/m", {}, base_url=text)[0].base_url == expected


@pytest.mark.parametrize("text", ["localhost:8000", "ftp://host", "http://", "http://host:port", "/v1"])
def test_unusable_base_url(text: str) -> None:
    with pytest.raises(InvalidValueError, match="base URL"):
        provider_for("vllm/m", {}, base_url=text)


@pytest.mark.parametrize("text", ["ftp://me:canary@host", "http://me:canary@host:port/v1"])
def test_password_in_an_unusable_base_url_is_not_repeated(text: str) -> None:
    with pytest.raises(InvalidValueError, match="host") as caught:
        provider_for("vllm/m", {}, base_url=text)
    assert "canary" not in str(caught.value)


def test_key_with_a_line_break_inside_is_refused_unseen() -> None:
    with pytest.raises(InvalidValueError, match="VLLM_API_KEY") as caught:
        provider_for("vllm/m", {"VLLM_API_KEY": "canary\nkey"})
    assert "canary" not in str(caught.value)


def test_secrets_are_not_shown() -> None:
    provider, _ = provider_for(
        "vllm/m", {"VLLM_API_KEY": "canary"}, base_url="http://me:hidden@host/v1?sig=s"
    )
    assert "canary" not in repr(provider)
    assert shown_url(provider.base_url) == "http://host/v1"


def test_the_older_name_of_an_address_is_read_too() -> None:
    environment = {"CHUTES_API_BASE_URL": "http://old/v1"}
    assert provider_for("chutes/m", environment)[0].base_url == "http://old/v1"
    environment["CHUTES_BASE_URL"] = "http://new/v1"
    assert provider_for("chutes/m", environment)[0].base_url == "http://new/v1"


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        # The vendor's own clients add the version to whatever address they are given.
        ("anthropic/m", "https://host", "https://host/v1"),
        ("anthropic/m", "https://host/anthropic", "https://host/anthropic/v1"),
        ("anthropic/m", "https://host/anthropic/v1/messages", "https://host/anthropic/v1"),
        ("google/m", "https://host", "https://host/v1beta"),
        ("google/m", "https://host/v1beta/models", "https://host/v1beta"),
        ("openai-responses/m", "https://host/v1/responses", "https://host/v1"),
        ("azure/m", "https://host/", f"https://host/?api-version={AZURE_API_VERSION}"),
        ("azure/m", "https://host/openai?api-version=2025-01-01", "https://host/?api-version=2025-01-01"),
        (
            "azure/m",
            "https://host/openai/deployments/d/chat/completions?api-version=1",
            "https://host/openai/deployments/d?api-version=1",
        ),
        ("azure/m", "https://host/openai/v1/", "https://host/openai/v1"),
    ],
)
def test_addresses_as_vendors_write_them(model: str, text: str, expected: str) -> None:
    assert provider_for(model, {}, base_url=text)[0].base_url == expected


def test_the_version_of_azures_api_comes_from_the_vendors_variable() -> None:
    environment = {"AZURE_OPENAI_ENDPOINT": "https://mine.example", "OPENAI_API_VERSION": "2025-04-01"}
    provider, name = provider_for("azure/my-gpt", environment)
    assert (provider.base_url, name) == ("https://mine.example/?api-version=2025-04-01", "my-gpt")
    assert provider.needs_key
    with pytest.raises(InvalidValueError, match="AZURE_OPENAI_ENDPOINT"):
        provider_for("azure/my-gpt", {})


def test_of_two_keys_the_one_that_the_vendor_prefers_is_read() -> None:
    both = {"GEMINI_API_KEY": "gemini", "GOOGLE_API_KEY": "google"}
    assert provider_for("google/m", both)[0].api_key == "google"
    assert provider_for("google/m", {"GEMINI_API_KEY": "gemini"})[0].api_key == "gemini"


def test_makers_names_without_a_provider_are_recognised() -> None:
    for name, meant in (("claude-x", "anthropic/claude-x"), ("gemini-9-pro", "google/gemini-9-pro")):
        with pytest.raises(UnknownNameError, match=meant):
            provider_for(name, {})
