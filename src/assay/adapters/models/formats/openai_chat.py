"""Chat completions in the form of OpenAI, which most servers have, and at Azure's addresses."""

from collections.abc import Mapping

from assay.adapters.models.formats.api_format import Options, Route
from assay.adapters.models.formats.chat_replies import ChatCollector
from assay.adapters.models.formats.chat_request import request_json
from assay.adapters.models.http_errors import Target
from assay.adapters.models.providers import Traits
from assay.domain.calls.messages import Json
from assay.engine.ports import Request


class OpenAIChat:
    models: Route | None = Route("models")
    filters_prompts = False
    may_refuse_sampling = False
    usage_is_optional = True

    def __init__(self, traits: Traits) -> None:
        self._traits = traits

    def headers(self, key: str | None) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def route(self, model: str, *, stream: bool) -> Route:
        _ = model, stream
        return Route("chat/completions")

    def body(self, model: str, request: Request, options: Options) -> bytes:
        return request_json(
            model,
            request,
            traits=self._traits,
            stream=options.stream,
            include_usage=options.include_usage,
        )

    def collector(self, target: Target, request: Request) -> ChatCollector:
        return ChatCollector(target, reads_logprobs=bool(request.generation.logprobs))

    def listed(self, value: Json) -> Json:
        return value


class AzureChat(OpenAIChat):
    """The model is a deployment, which the path names unless the base URL does or ends in `/openai/v1`."""

    # What Azure lists are models that could be deployed, not deployments.
    models = None
    filters_prompts = True

    def __init__(self, traits: Traits, base_path: str) -> None:
        super().__init__(traits)
        self._names_deployment = "/deployments/" not in base_path and not base_path.endswith("/v1")

    def headers(self, key: str | None) -> Mapping[str, str]:
        return {"api-key": key} if key else {}

    def route(self, model: str, *, stream: bool) -> Route:
        _ = stream
        if self._names_deployment:
            return Route(f"openai/deployments/{model.replace('/', '')}/chat/completions")
        return Route("chat/completions")
