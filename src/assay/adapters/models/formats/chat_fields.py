"""A request as the fields of a chat completion, taken apart for other wire formats."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

import orjson

from assay.adapters.models.formats.chat_request import request_json
from assay.adapters.models.json_text import parsed
from assay.adapters.models.providers import Traits
from assay.domain.calls.messages import Json
from assay.engine.ports import Request

Fields = dict[str, Json]

_PLAIN = Traits("")
# What is said before a conversation that the assistant opens, where an API wants the user to open it.
OPENING = "."


@dataclass(frozen=True, slots=True)
class Call:
    id: str
    name: str
    arguments: str

    @property
    def object(self) -> Fields:
        """The arguments as the object that other formats want; what a model wrote may be no object."""
        value = parsed(self.arguments.encode("utf-8", "replace"))
        return value if isinstance(value, dict) else {"INVALID_JSON": self.arguments}


@dataclass(frozen=True, slots=True)
class Function:
    """A tool that the model may call."""

    name: Json
    description: Json
    parameters: Json
    strict: Json


def chat_fields(request: Request) -> Fields:
    """The body of a chat completion without the model: plain values that may be changed."""
    body = request_json("", request, traits=_PLAIN, stream=False, include_usage=False)
    fields: Fields = orjson.loads(body)
    del fields["model"], fields["stream"]
    return fields


def taken_messages(fields: Fields) -> list[Fields]:
    messages = fields.pop("messages", None)
    return [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []


def parts_of(message: Mapping[str, Json]) -> list[Fields]:
    """The parts of a message's content, without empty texts, which other formats refuse."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    objects = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return [part for part in objects if part.get("type") != "text" or part.get("text")]


def text_of(message: Mapping[str, Json]) -> str:
    texts = (part.get("text") for part in parts_of(message))
    return "\n".join(text for text in texts if isinstance(text, str))


def calls_of(message: Mapping[str, Json]) -> list[Call]:
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [_call(call) for call in found]


def _call(call: Mapping[str, Json]) -> Call:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    texts = (call.get("id"), function.get("name"), function.get("arguments"))
    return Call(*(str(text or "") for text in texts))


def taken_functions(fields: Fields) -> list[Function]:
    tools = fields.pop("tools", None)
    objects = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    declared = [tool.get("function") for tool in objects]
    return [
        Function(one.get("name"), one.get("description"), one.get("parameters"), one.get("strict"))
        for one in declared
        if isinstance(one, dict)
    ]


def taken_choice(fields: Fields) -> str | None:
    """`auto`, `none`, `required`, or the name of the one function to call after an equals sign."""
    choice = fields.pop("tool_choice", None)
    if isinstance(choice, dict):
        function = choice.get("function")
        name = function.get("name") if isinstance(function, dict) else None
        return f"={name}" if isinstance(name, str) else None
    return choice if isinstance(choice, str) else None


def taken_schema(fields: Fields) -> tuple[bool, Fields | None]:
    """Whether JSON is wanted, and the `json_schema` that it should have."""
    wanted = fields.pop("response_format", None)
    if not isinstance(wanted, dict) or wanted.get("type") == "text":
        return False, None
    schema = wanted.get("json_schema")
    return True, schema if isinstance(schema, dict) else None


def image_url(part: Mapping[str, Json]) -> str | None:
    """The address in a part with a picture."""
    image = part.get("image_url") if part.get("type") == "image_url" else None
    url = image.get("url") if isinstance(image, dict) else image
    return url if isinstance(url, str) else None


def data_of(url: str) -> tuple[str, str] | None:
    """The media type and the base64 of a data URL; None for any other address."""
    head, comma, data = url.partition(",")
    kind, _, encoding = head.removeprefix("data:").partition(";")
    if not comma or not head.startswith("data:"):
        return None
    if encoding.rpartition(";")[2] == "base64":
        return kind, data
    return kind, base64.b64encode(unquote_to_bytes(data)).decode()


def audio_of(part: Mapping[str, Json]) -> tuple[str, str] | None:
    """The format and the base64 of a recording."""
    audio = part.get("input_audio") if part.get("type") == "input_audio" else None
    pair = (audio.get("format"), audio.get("data")) if isinstance(audio, dict) else (None, None)
    return (pair[0], pair[1]) if isinstance(pair[0], str) and isinstance(pair[1], str) else None
