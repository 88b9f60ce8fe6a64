"""Google's Gemini API: `generateContent` and `streamGenerateContent`."""

import re
from collections.abc import Iterator, Mapping

import orjson

from assay.adapters.models.formats.api_format import Options, Route
from assay.adapters.models.formats.chat_fields import (
    OPENING,
    Fields,
    audio_of,
    calls_of,
    chat_fields,
    data_of,
    image_url,
    parts_of,
    taken_choice,
    taken_functions,
    taken_messages,
    taken_schema,
    text_of,
)
from assay.adapters.models.formats.gemini_replies import OWN_ID, GeminiCollector
from assay.adapters.models.formats.turn_memory import TurnMemory
from assay.adapters.models.http_errors import Target
from assay.adapters.models.json_text import parsed
from assay.domain.calls.messages import Json
from assay.engine.ports import Request

_SYSTEM_ROLES = ("system", "developer")
_GENERATION: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "max_tokens": "maxOutputTokens",
    "max_completion_tokens": "maxOutputTokens",
    "seed": "seed",
    "logprobs": "responseLogprobs",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
}
_MODES: Mapping[str, str] = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
# Models of this series take a budget of tokens; these are the vendor's own for words of effort.
_BUDGET_SERIES = re.compile(r"(models/)?gemini-2\.5")
_BUDGETS: Mapping[str, int] = {"minimal": 1_024, "low": 1_024, "medium": 8_192, "high": 24_576}
# From the third series on, a call without its signature is refused; the vendor's word for one that has none.
_SIGNED_SERIES = re.compile(r"(models/)?gemini-(?![12][.-])\d")
_NO_SIGNATURE = "skip_thought_signature_validator"


class Gemini:
    models: Route | None = Route("models", {"pageSize": "1000"})
    filters_prompts = False
    may_refuse_sampling = False
    usage_is_optional = False

    def __init__(self) -> None:
        self._memory = TurnMemory()

    def headers(self, key: str | None) -> Mapping[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def route(self, model: str, *, stream: bool) -> Route:
        """`models/NAME`, `tunedModels/NAME` or the name alone."""
        name = "/".join(part for part in model.split("/") if part not in {"", ".", ".."})
        path = name if "/" in name else f"models/{name}"
        if stream:
            return Route(f"{path}:streamGenerateContent", {"alt": "sse"})
        return Route(f"{path}:generateContent")

    def body(self, model: str, request: Request, options: Options) -> bytes:
        _ = options
        fields = chat_fields(request)
        messages = taken_messages(fields)
        added: Fields = {"contents": self._contents(model, messages)}
        if system := _system(messages):
            added["systemInstruction"] = {"parts": [{"text": system}]}
        added |= _tools(fields)
        if config := _generation(model, fields):
            added["generationConfig"] = config
        fields.pop("parallel_tool_calls", None)
        return orjson.dumps({**fields, **added})

    def _contents(self, model: str, messages: list[Fields]) -> list[Fields]:
        """Neighbours of one role as one content: all results of tools come in the one after their calls."""
        names: dict[str, str] = {}
        contents: list[tuple[str, list[Json]]] = []
        for message, kept in zip(messages, self._memory.recalled(messages), strict=True):
            if message.get("role") in _SYSTEM_ROLES:
                continue
            names |= {call.id: call.name for call in calls_of(message)}
            role = "model" if message.get("role") == "assistant" else "user"
            signatures = kept if isinstance(kept, list) else []
            if not (parts := list(_parts(message, names, signatures, is_signed=_is_signed(model)))):
                continue
            if not contents and role == "model":
                contents.append(("user", [{"text": OPENING}]))
            if contents and contents[-1][0] == role:
                contents[-1][1].extend(parts)
            else:
                contents.append((role, parts))
        return [{"role": role, "parts": parts} for role, parts in contents]

    def collector(self, target: Target, request: Request) -> GeminiCollector:
        return GeminiCollector(target, request, self._memory)

    def listed(self, value: Json) -> Json:
        """Models that answer prompts, with the members that OpenAI's list has."""
        models = value.get("models") if isinstance(value, dict) else None
        if not isinstance(models, list):
            return value
        entries = [one for one in models if isinstance(one, dict)]
        return {"data": [_entry(one) for one in entries if _generates(one)]}


def _is_signed(model: str) -> bool:
    return _SIGNED_SERIES.match(model) is not None


def _system(messages: list[Fields]) -> str:
    texts = (text_of(message) for message in messages if message.get("role") in _SYSTEM_ROLES)
    return "\n\n".join(filter(None, texts))


def _parts(
    message: Fields, names: Mapping[str, str], signatures: list[Json], *, is_signed: bool
) -> Iterator[Json]:
    if message.get("role") == "tool":
        yield {"functionResponse": _response(message, names)}
        return
    for part in parts_of(message):
        yield _part(part)
    for number, call in enumerate(calls_of(message)):
        called: Fields = {"name": call.name, "args": call.object, **_given_id(call.id)}
        signature = signatures[number] if number < len(signatures) else None
        if signature is None and number == 0 and is_signed:
            signature = _NO_SIGNATURE
        yield {"functionCall": called, **({"thoughtSignature": signature} if signature else {})}


def _response(message: Fields, names: Mapping[str, str]) -> Fields:
    call_id, text = str(message.get("tool_call_id") or ""), text_of(message)
    value = parsed(text.encode("utf-8", "replace"))
    return {
        "name": names.get(call_id, call_id),
        "response": value if isinstance(value, dict) else {"output": text},
        **_given_id(call_id),
    }


def _given_id(call_id: str) -> Fields:
    """The id of a call, if it is the API's: not every model gives one."""
    return {} if not call_id or call_id.startswith(OWN_ID) else {"id": call_id}


def _part(part: Fields) -> Json:
    if (url := image_url(part)) is not None:
        data = data_of(url)
        if data is None:
            return {"fileData": {"fileUri": url}}
        return {"inlineData": {"mimeType": data[0], "data": data[1]}}
    if (audio := audio_of(part)) is not None:
        return {"inlineData": {"mimeType": f"audio/{audio[0]}", "data": audio[1]}}
    return {"text": part["text"]} if part.get("type") == "text" else part


def _tools(fields: Fields) -> Fields:
    functions, choice = taken_functions(fields), taken_choice(fields)
    if not functions:
        return {}
    declared = [
        {
            "name": one.name,
            **({"description": one.description} if one.description else {}),
            **({"parametersJsonSchema": one.parameters} if one.parameters else {}),
        }
        for one in functions
    ]
    tools: Fields = {"tools": [{"functionDeclarations": declared}]}
    if choice is None:
        return tools
    calling: Fields = {"mode": _MODES.get(choice, "AUTO")}
    if choice.startswith("="):
        calling = {"mode": "ANY", "allowedFunctionNames": [choice[1:]]}
    return {**tools, "toolConfig": {"functionCallingConfig": calling}}


def _generation(model: str, fields: Fields) -> Fields:
    """What a benchmark or an option gives in the vendor's own words stays; settings come on top."""
    own = fields.pop("generationConfig", None)
    config: Fields = dict(own) if isinstance(own, dict) else {}
    for name, vendors in _GENERATION.items():
        if (value := fields.pop(name, None)) is not None:
            config[vendors] = value
    if (stop := fields.pop("stop", None)) is not None:
        config["stopSequences"] = [stop] if isinstance(stop, str) else stop
    wants_json, schema = taken_schema(fields)
    if wants_json:
        config["responseMimeType"] = "application/json"
    if schema is not None:
        config["responseJsonSchema"] = schema.get("schema")
    if isinstance(effort := fields.pop("reasoning_effort", None), str):
        config["thinkingConfig"] = _thinking(model, effort)
    return config


def _thinking(model: str, effort: str) -> Fields:
    """A number is a budget in tokens, `none` a budget of 0."""
    if effort == "none":
        return {"thinkingBudget": 0}
    budget = int(effort) if effort.isdecimal() else None
    if budget is None and _BUDGET_SERIES.match(model):
        budget = _BUDGETS.get(effort)
    how: Fields = {"thinkingLevel": effort} if budget is None else {"thinkingBudget": budget}
    return {**how, "includeThoughts": True}


def _generates(entry: Mapping[str, Json]) -> bool:
    methods = entry.get("supportedGenerationMethods")
    return not isinstance(methods, list) or "generateContent" in methods


def _entry(entry: Fields) -> Fields:
    name = entry.get("name")
    return {
        **entry,
        "id": name.removeprefix("models/") if isinstance(name, str) else None,
        "name": entry.get("displayName"),
        "context_length": entry.get("inputTokenLimit"),
    }
