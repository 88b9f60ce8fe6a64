"""The models that providers list: Chutes' public list, and `GET /models` of any other endpoint."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from yarl import URL

from assay.adapters.models.fetch import DocumentReader
from assay.adapters.models.formats.choose import format_of
from assay.adapters.models.lists.listed_models import Entry, chutes_model, served_model
from assay.adapters.models.providers import (
    KNOWN,
    SIMULATED,
    configured_key,
    configured_url,
    provider_for,
    shown_url,
)
from assay.adapters.models.session import ClientLimits, SharedSession
from assay.domain.calls.messages import Json
from assay.domain.errors import EndpointError, InvalidValueError, UnauthorizedError
from assay.domain.registry import ListedModel

CHUTES = "chutes"
CHUTES_URL = "https://api.chutes.ai"
_PUBLIC = frozenset({CHUTES, "openrouter"})
_PAGE_MODELS = 500
# A server that keeps listing new models beyond this is broken.
_MAX_PAGES = 200
_TIMEOUT_S = 60.0


class HttpModelLists:
    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        chutes_url: str = CHUTES_URL,
        limits: ClientLimits | None = None,
    ) -> None:
        self._environment = environment
        self._chutes_url = _address(chutes_url)
        limits = limits or ClientLimits()
        self._session = SharedSession(limits, environment)
        self._reader = DocumentReader(self._session, limits, timeout_s=_TIMEOUT_S)

    def configured(self) -> tuple[str, ...]:
        """Providers with a key or an address in the environment."""
        return tuple(filter(self._is_configured, KNOWN))

    def _is_configured(self, name: str) -> bool:
        if KNOWN[name].api in {"azure", "responses"}:
            # One lists no deployments, the other what is listed under `openai` already.
            return False
        has_list = name == CHUTES and self._environment.get("CHUTES_MODELS_API_URL")
        has_key = configured_key(self._environment, name)
        return bool(has_key or has_list or configured_url(self._environment, name))

    async def listed(self, provider: str) -> tuple[ListedModel, ...]:
        if provider == SIMULATED:
            raise InvalidValueError("the simulated models are built in: there is nothing to sync")
        self._session.join()
        try:
            return await (self._chutes() if provider == CHUTES else self._served(provider))
        finally:
            self._session.leave()

    async def _chutes(self) -> tuple[ListedModel, ...]:
        """Models that the endpoint itself lists are active; if it lists none, those with a price are."""
        source = f"{shown_url(str(self._chutes_url))}/chutes/"
        entries = await self._chutes_entries(source)
        found = _each_once(chutes_model(entry, source=source) for entry in entries)
        if not found:
            raise EndpointError(f"{source!r} lists no models, so the registry was left as it is")
        served = await self._served_by_chutes()
        return tuple(_as_served(one, served) for one in found) if served else found

    async def _chutes_entries(self, source: str) -> list[Entry]:
        entries: list[Entry] = []
        seen: set[tuple[str | None, ...]] = set()
        for number in range(_MAX_PAGES):
            query = {
                "include_public": "true",
                "page": str(number),
                "limit": str(_PAGE_MODELS),
                "include_schemas": "false",
            }
            url = (self._chutes_url / "chutes/").with_query(query)
            # Without the key: the list is public, and refuses requests that carry one.
            document = await self._reader.document(url, shown=source)
            page = _entries(document, "items", shown=source)
            new = [entry for entry in page if _identity(entry) not in seen]
            seen.update(map(_identity, new))
            entries += new
            # A server may return shorter pages than requested, but then it also returns the total.
            total = _total(document)
            is_last = len(page) < _PAGE_MODELS if total is None else len(entries) >= total
            if is_last or not new:
                return entries
        raise EndpointError(f"{source!r} does not end: gave up after {_MAX_PAGES} pages")

    async def _served_by_chutes(self) -> Mapping[str, ListedModel]:
        try:
            return {one.slug: one for one in await self._served(CHUTES)}
        except EndpointError:
            # The public list is enough.
            return {}

    async def _served(self, prefix: str) -> tuple[ListedModel, ...]:
        provider, _ = provider_for(f"{prefix}/any", self._environment)
        if provider.needs_key and not provider.api_key and provider.name not in _PUBLIC:
            raise UnauthorizedError(
                f"{prefix!r} lists its models only with a key: set {provider.key_variable}"
            )
        api, shown = format_of(provider), shown_url(provider.base_url)
        if api.models is None:
            raise EndpointError(f"{shown!r} has no list of its models")
        source = f"{shown}/{api.models.path}"
        url = api.models.below(URL(provider.base_url))
        headers = api.headers(provider.api_key)
        document = await self._reader.document(url, shown=source, headers=headers)
        unit = provider.traits.price_unit
        return _each_once(
            served_model(entry, provider=prefix, unit=unit, source=source)
            for entry in _entries(api.listed(document), "data", shown=source)
        )


def _as_served(model: ListedModel, served: Mapping[str, ListedModel]) -> ListedModel:
    own = served.get(model.slug) or served.get(model.chute_id or "")
    return replace(model, is_active=own is not None, context_tokens=own and own.context_tokens)


def _address(text: str) -> URL:
    try:
        url = URL(text.strip().rstrip("/"))
    except ValueError as error:
        raise InvalidValueError("CHUTES_MODELS_API_URL cannot be read as an address") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise InvalidValueError("CHUTES_MODELS_API_URL must begin with http:// or https:// and name a host")
    return url


def _total(value: Json) -> int | None:
    total = value.get("total") if isinstance(value, dict) else None
    return total if isinstance(total, int) and not isinstance(total, bool) else None


def _identity(entry: Entry) -> tuple[str | None, ...]:
    names = (entry.get("chute_id"), entry.get("name"))
    return tuple(name if isinstance(name, str) else None for name in names)


def _entries(value: Json, member: str, *, shown: str) -> list[Entry]:
    """From `{member: [...]}` or a bare list; null means an empty list, as Ollama writes it."""
    entries = value.get(member, False) if isinstance(value, dict) else value
    if entries is None and isinstance(value, dict):
        return []
    if not isinstance(entries, list):
        raise EndpointError(f"{shown!r} sent JSON that is not a list of models")
    return [entry if isinstance(entry, dict) else {} for entry in entries]


def _each_once(models: Iterable[ListedModel | None]) -> tuple[ListedModel, ...]:
    """One model per slug, the one most likely to answer: active, with the most instances."""
    best: dict[str, ListedModel] = {}
    for one in models:
        if one is not None and (one.slug not in best or _rank(one) > _rank(best[one.slug])):
            best[one.slug] = one
    return tuple(best.values())


def _rank(model: ListedModel) -> tuple[bool, int]:
    return model.is_active, model.instance_count or 0
