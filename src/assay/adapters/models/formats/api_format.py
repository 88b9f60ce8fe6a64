"""What a wire format is: the requests of one kind of API, and its replies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from yarl import URL

from assay.adapters.models.formats.reply_collector import ReplyCollector
from assay.adapters.models.http_errors import Target
from assay.domain.calls.messages import Json
from assay.engine.ports import Request


@dataclass(frozen=True, slots=True)
class Route:
    """A path below the base URL, and its query."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])

    def below(self, base: URL) -> URL:
        """With the query of both."""
        url = base.joinpath(self.path).with_query(base.query)
        return url.update_query(self.query) if self.query else url


@dataclass(frozen=True, slots=True)
class Options:
    """How one request is sent; `most_tokens` is the most that the model may say, where a list names it."""

    stream: bool
    include_usage: bool = False
    most_tokens: int | None = None


class ApiFormat(Protocol):
    """One per endpoint, since it may remember what an API wants to have back."""

    @property
    def usage_is_optional(self) -> bool:
        """Whether streams carry usage only if asked, which an endpoint may refuse."""
        ...

    @property
    def may_refuse_sampling(self) -> bool:
        """Whether some models take no temperature and no top_p."""
        ...

    @property
    def filters_prompts(self) -> bool:
        """Whether an error may say that the prompt was refused for its content."""
        ...

    @property
    def models(self) -> Route | None:
        """Where models are listed; None if nowhere."""
        ...

    def headers(self, key: str | None) -> Mapping[str, str]: ...

    def route(self, model: str, *, stream: bool) -> Route: ...

    def body(self, model: str, request: Request, options: Options) -> bytes:
        """Raises EndpointError for a request that this API cannot express."""
        ...

    def collector(self, target: Target, request: Request) -> ReplyCollector: ...

    def listed(self, value: Json) -> Json:
        """A list of models in the form of OpenAI's."""
        ...
