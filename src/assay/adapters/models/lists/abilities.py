"""What a model must take beside text: what a provider's list says of it, and requests without it."""

from collections.abc import Mapping
from dataclasses import replace

from assay.domain.benchmark import Need
from assay.domain.calls.messages import Audio, Image, Json
from assay.engine.ports import Request

ABILITIES = frozenset({Need.TOOLS, Need.IMAGES, Need.AUDIO})
WORDS: Mapping[Need, str] = {Need.TOOLS: "tool calls", Need.IMAGES: "images", Need.AUDIO: "audio"}
# Names in the lists of providers.
_FLAGS: Mapping[Need, str] = {Need.TOOLS: "function_calling", Need.IMAGES: "vision", Need.AUDIO: "audio"}
_MODALITIES: Mapping[Need, str] = {Need.IMAGES: "image", Need.AUDIO: "audio"}
_TOOL_FIELDS = ("tools", "tool_choice")
_MOST_TOKENS = 16


def denied_abilities(entry: Mapping[str, Json], needs: frozenset[Need]) -> list[Need]:
    """Needs that the entry of a model says it does not meet; what it does not mention may be met."""
    return sorted(need for need in needs & ABILITIES if _is_denied(entry, need))


def _is_denied(entry: Mapping[str, Json], need: Need) -> bool:
    capabilities = entry.get("capabilities")
    if isinstance(capabilities, dict) and capabilities.get(_FLAGS[need]) is False:
        return True
    if need is Need.TOOLS:
        listed = (entry.get("supported_parameters"), entry.get("supported_features"))
        return any(isinstance(names, list) and names and "tools" not in names for names in listed)
    architecture = entry.get("architecture")
    places = (entry, architecture if isinstance(architecture, dict) else {})
    inputs = [names for place in places if isinstance(names := place.get("input_modalities"), list) and names]
    return any(_MODALITIES[need] not in names for names in inputs)


def abilities_of(request: Request) -> frozenset[Need]:
    """What this request asks for, of what its benchmark says that it needs."""
    prompt = request.prompt
    parts = [
        part
        for message in prompt.messages
        if not isinstance(message.content, str)
        for part in message.content
    ]
    asked = {
        Need.TOOLS: "tools" in prompt.extra,
        Need.IMAGES: any(isinstance(part, Image) for part in parts),
        Need.AUDIO: any(isinstance(part, Audio) for part in parts),
    }
    return frozenset(need for need, is_asked in asked.items() if is_asked) & request.needs


def without_abilities(request: Request) -> Request:
    """A short request with the text alone, to learn whether the rest is what an endpoint refuses."""
    prompt = request.prompt
    messages = tuple(replace(message, content=message.text or "-") for message in prompt.messages)
    extra = {name: value for name, value in prompt.extra.items() if name not in _TOOL_FIELDS}
    return replace(
        request,
        prompt=replace(prompt, messages=messages, extra=extra),
        generation=replace(request.generation, max_tokens=_MOST_TOKENS),
    )
