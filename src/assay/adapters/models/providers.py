"""The endpoint for a model's name, and what is known about it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from yarl import URL

from assay.domain.errors import InvalidValueError, UnknownNameError, nearest_names

PriceUnit = Literal["token", "million"]
Api = Literal["chat", "azure", "messages", "gemini", "responses"]
"""A kind of requests and replies; all but the first are a vendor's own."""

GENERIC = "openai-api"
SIMULATED = "sim"
# What follows the base URL, with or without a version before it, in addresses that users copy.
_ROUTES: Mapping[Api, str] = {
    "chat": "/chat/completions",
    "azure": "/chat/completions",
    "messages": "/messages",
    "gemini": "/models",
    "responses": "/responses",
}
# The path that nearly every server uses, for an address without one.
_DEFAULT_PATHS: Mapping[Api, str] = {
    "chat": "/v1",
    "azure": "",
    "messages": "/v1",
    "gemini": "/v1beta",
    "responses": "/v1",
}
AZURE_API_VERSION = "2024-10-21"
_AZURE_VERSION_VARIABLE = "OPENAI_API_VERSION"
_VERSION_PARAMETER = "api-version"


@dataclass(frozen=True, slots=True)
class Traits:
    """How a provider differs from the rest."""

    base_url: str
    needs_key: bool = False
    # The unit of `pricing` in the model listing, where the provider publishes one.
    price_unit: PriceUnit | None = None
    # Whether the listing is complete; some leave out aliases and private models.
    lists_all: bool = True
    cap_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    dialect: Literal["openai", "openrouter"] = "openai"
    api: Api = "chat"
    # Where the vendor reads the key and the address, if not in `<PREFIX>_API_KEY` and `<PREFIX>_BASE_URL`.
    key_variables: tuple[str, ...] = ()
    url_variables: tuple[str, ...] = ()
    # How the names of its own models begin, to suggest it where a name comes without a provider.
    families: tuple[str, ...] = ()


KNOWN: Mapping[str, Traits] = {
    "openai": Traits(
        "https://api.openai.com/v1",
        needs_key=True,
        cap_field="max_completion_tokens",
        families=("gpt-", "chatgpt-", "o1", "o3", "o4"),
    ),
    "openai-responses": Traits(
        "https://api.openai.com/v1",
        needs_key=True,
        api="responses",
        key_variables=("OPENAI_API_KEY",),
        url_variables=("OPENAI_BASE_URL",),
    ),
    "anthropic": Traits(
        "https://api.anthropic.com/v1",
        needs_key=True,
        # Names without a date are not listed.
        lists_all=False,
        api="messages",
        families=("claude-",),
    ),
    "google": Traits(
        "https://generativelanguage.googleapis.com/v1beta",
        needs_key=True,
        # Models that users tuned are not listed.
        lists_all=False,
        api="gemini",
        key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        url_variables=("GOOGLE_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        families=("gemini-",),
    ),
    "azure": Traits(
        "",
        needs_key=True,
        cap_field="max_completion_tokens",
        api="azure",
        key_variables=("AZURE_OPENAI_API_KEY",),
        url_variables=("AZURE_OPENAI_ENDPOINT",),
    ),
    "openrouter": Traits(
        "https://openrouter.ai/api/v1", needs_key=True, price_unit="token", dialect="openrouter"
    ),
    "chutes": Traits("https://llm.chutes.ai/v1", needs_key=True, price_unit="million"),
    "groq": Traits("https://api.groq.com/openai/v1", needs_key=True),
    "together": Traits("https://api.together.xyz/v1", needs_key=True, price_unit="million", lists_all=False),
    "fireworks": Traits("https://api.fireworks.ai/inference/v1", needs_key=True, lists_all=False),
    "deepseek": Traits("https://api.deepseek.com/v1", needs_key=True, families=("deepseek-",)),
    "mistral": Traits(
        "https://api.mistral.ai/v1", needs_key=True, families=("mistral-", "ministral-", "codestral-")
    ),
    "xai": Traits("https://api.x.ai/v1", needs_key=True, lists_all=False, families=("grok-",)),
    "janus": Traits("http://localhost:8000/v1"),
    "vllm": Traits("http://localhost:8000/v1"),
    "sglang": Traits("http://localhost:30000/v1"),
    "ollama": Traits("http://localhost:11434/v1"),
    "llamacpp": Traits("http://localhost:8080/v1"),
    "lmstudio": Traits("http://localhost:1234/v1"),
}


@dataclass(frozen=True, slots=True)
class Provider:
    """One endpoint with its key."""

    name: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    needs_key: bool = False
    traits: Traits = Traits("")
    # The key was given with the run, not in the settings of this installation.
    is_callers_key: bool = False
    # What the Host header names, if it is not the host of the base URL: a proxy finds the server by it.
    host: str | None = None
    # The variable that holds the key, where it is not the provider's own.
    own_key_variable: str | None = None
    # Sent with every request.
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def key_variable(self) -> str:
        return self.own_key_variable or " or ".join(key_variables(self.name))

    @property
    def header_secrets(self) -> tuple[str, ...]:
        """What no message may repeat: the values of headers, with and without the word before a token."""
        values = [value for _name, value in self.headers]
        return tuple(dict.fromkeys([*values, *(value.rpartition(" ")[2] for value in values)]))

    @property
    def key_place(self) -> str:
        """Where the key was given, for error messages."""
        return "the Authorization header of the request" if self.is_callers_key else self.key_variable


def through_proxy(provider: Provider, proxy_url: str) -> Provider:
    """The same provider behind a proxy that passes requests on to the host that they name."""
    host = URL(provider.base_url).host_port_subcomponent
    return replace(provider, base_url=_checked_url(proxy_url, provider.traits.api), host=host)


def provider_for(
    model: str,
    environment: Mapping[str, str],
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
) -> tuple[Provider, str]:
    """The provider that a model's name begins with, and the name to send to it."""
    prefix, _, name = model.partition("/")
    if prefix == GENERIC:
        prefix, _, name = name.partition("/")
        traits = Traits("")
    else:
        traits = KNOWN.get(prefix)
    if traits is None:
        raise _unknown_prefix(prefix, model)
    if not prefix or not name:
        raise InvalidValueError(f"model {model!r} lacks a name: write provider/model, e.g. 'vllm/my-model'")
    variable = _url_variables(prefix)[0]
    chosen_url = base_url or configured_url(environment, prefix) or traits.base_url
    if not chosen_url:
        raise InvalidValueError(f"model {model!r} has no endpoint: set {variable}, or give --base-url")
    url = _checked_url(chosen_url, traits.api)
    if traits.api == "azure":
        url = _with_version(url, environment)
    # A provider without an address has one for each of its users.
    is_own = url == traits.base_url or (prefix in KNOWN and not traits.base_url)
    return Provider(
        name=prefix,
        base_url=url,
        api_key=_key(environment, prefix, key_variable),
        own_key_variable=key_variable,
        # Another base URL may be a proxy or a local server, without a key and the provider's traits.
        needs_key=traits.needs_key and is_own,
        traits=traits if is_own else replace(traits, cap_field="max_tokens"),
    ), name


def configured_url(environment: Mapping[str, str], prefix: str) -> str:
    """The base URL of a provider; also under the name of an older contract."""
    names = (*_url_variables(prefix), f"{_variable(prefix)}_API_BASE_URL")
    return next((url for name in names if (url := environment.get(name, "").strip())), "")


def configured_key(environment: Mapping[str, str], prefix: str) -> str:
    return next((key for name in key_variables(prefix) if (key := environment.get(name, "").strip())), "")


def key_variables(prefix: str) -> tuple[str, ...]:
    """In the order in which they are read."""
    traits = KNOWN.get(prefix)
    return (traits and traits.key_variables) or (f"{_variable(prefix)}_API_KEY",)


def _url_variables(prefix: str) -> tuple[str, ...]:
    traits = KNOWN.get(prefix)
    return (traits and traits.url_variables) or (f"{_variable(prefix)}_BASE_URL",)


def _unknown_prefix(prefix: str, model: str) -> UnknownNameError:
    names = (*KNOWN, GENERIC, SIMULATED)
    nearest = nearest_names(prefix, names, most=2)
    makers = [name for name, traits in KNOWN.items() if model.casefold().startswith(traits.families)]
    if "/" not in model and makers:
        return UnknownNameError(
            "provider in model", model, nearest=tuple(f"{name}/{model}" for name in makers)
        )
    return UnknownNameError(
        "model prefix",
        prefix,
        nearest=nearest,
        remedy=f"models are named provider/model, with one of {', '.join(names)}",
    )


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")


def _key(environment: Mapping[str, str], prefix: str, own_variable: str | None) -> str | None:
    key = environment.get(own_variable, "").strip() if own_variable else configured_key(environment, prefix)
    if not key:
        return None
    if not key.isprintable() or " " in key:
        variable = own_variable or " or ".join(key_variables(prefix))
        raise InvalidValueError(f"{variable} holds a key with a space or a control character in it")
    return key


def _checked_url(text: str, api: Api = "chat") -> str:
    """The base URL without a trailing slash; a bare host gets the path that nearly every server uses."""
    try:
        url = URL(text.strip())
    except ValueError as error:
        raise InvalidValueError(f"base URL {_without_user(text)!r} cannot be read") from error
    if url.scheme not in ("http", "https") or not url.host:
        message = f"base URL {_without_user(text)!r} must begin with http:// or https:// and name a host"
        raise InvalidValueError(message)
    path = url.path.rstrip("/").removesuffix(_ROUTES[api])
    if api == "azure":
        path = path.removesuffix("/openai")
    elif api == "messages" and not path.endswith("/v1"):
        # The vendor's own clients add the version to whatever address they are given.
        path += "/v1"
    return str(url.with_path(path or _DEFAULT_PATHS[api], keep_query=True))


def _with_version(url: str, environment: Mapping[str, str]) -> str:
    """An address of Azure with the version of its API, which paths that end in `/v1` have already."""
    address = URL(url)
    if address.path.endswith("/v1") or _VERSION_PARAMETER in address.query:
        return url
    version = environment.get(_AZURE_VERSION_VARIABLE, "").strip() or AZURE_API_VERSION
    return str(address.update_query({_VERSION_PARAMETER: version}))


def _without_user(text: str) -> str:
    return re.sub(r"//[^/]*@", "//", text)


def shown_url(base_url: str) -> str:
    """The base URL without the parts that may be secret: user, password, query.

    Raises InvalidValueError if it is none.
    """
    _checked_url(base_url)
    return str(URL(base_url.strip()).with_user(None).with_query(None).with_fragment(None))
