"""The wire format that an endpoint speaks."""

from yarl import URL

from assay.adapters.models.formats.anthropic_messages import AnthropicMessages
from assay.adapters.models.formats.api_format import ApiFormat
from assay.adapters.models.formats.gemini import Gemini
from assay.adapters.models.formats.openai_chat import AzureChat, OpenAIChat
from assay.adapters.models.formats.openai_responses import OpenAIResponses
from assay.adapters.models.providers import Provider


def format_of(provider: Provider) -> ApiFormat:
    match provider.traits.api:
        case "chat":
            return OpenAIChat(provider.traits)
        case "azure":
            return AzureChat(provider.traits, URL(provider.base_url).path)
        case "messages":
            return AnthropicMessages()
        case "gemini":
            return Gemini()
        case "responses":
            return OpenAIResponses()
