from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.formats.chat_replies import ChatCollector
from assay.adapters.models.http_errors import Target
from assay.adapters.models.sse import EventSplitter
from assay.domain.calls.messages import Completion, Json, ToolCall, Usage
from assay.domain.errors import BadReplyError, RateLimitedError, ServerError

TARGET = Target("http://host/v1", "m", "VLLM_API_KEY")


def chunk(delta: Json, *, finish: str | None = None, **more: Json) -> bytes:
    return orjson.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})


def collected(*events: bytes) -> Completion:
    """The completion of events that arrive one second apart, the first a second after the request."""
    collector = ChatCollector(TARGET)
    for at_s, event in enumerate(events, start=1):
        collector.take(event, float(at_s))
    return collector.completion(started_s=0.0, ended_s=float(len(events)), silence_s=1.0)


STOP = chunk({}, finish="stop")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([chunk({"content": "a"}), chunk({"content": "b"}), STOP], Completion("ab")),
        ([chunk({"role": "assistant", "content": None}), chunk({"content": "a"}), STOP], Completion("a")),
        ([chunk({"reasoning_content": "r"}), chunk({"content": "a"}), STOP], Completion("a", "r")),
        ([chunk({"reasoning": "r"}), chunk({"content": "a"}), STOP], Completion("a", "r")),
        ([chunk({"reasoning": "r", "reasoning_content": "r"}), STOP], Completion("", "r")),
        ([chunk({"content": "<thi"}), chunk({"content": "nk>r</think>a"}), STOP], Completion("a", "r")),
        ([chunk({"content": "r</think>"}), chunk({"content": "a"}), STOP], Completion("a", "r")),
        (
            [chunk({"reasoning": "q"}), chunk({"content": "<think>r</think>a"}), STOP],
            Completion("a", "q\n\nr"),
        ),
        ([chunk({"reasoning": "q"}), chunk({"content": "b</think>a"}), STOP], Completion("b</think>a", "q")),
        ([chunk({"content": "<think>r"}), STOP], Completion("", "r", reasoning_unclosed=True)),
        ([chunk({"refusal": "I"}), chunk({"refusal": " won't"}), STOP], Completion("", refusal="I won't")),
        ([chunk({"content": [{"type": "text", "text": "a"}, "b"]}), STOP], Completion("ab")),
        (
            [
                chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}]}),
                chunk({"content": [{"type": "text", "text": "a"}]}),
                STOP,
            ],
            Completion("a", "r"),
        ),
        (
            [
                b'{"choices":[{"delta":{"content":"\\ud83d"}}]}',
                b'{"choices":[{"delta":{"content":"\\ude00"}}]}',
                STOP,
            ],
            Completion("😀"),
        ),
        ([chunk({"content": "a"}) + b"\n" + chunk({"content": "b"}), STOP], Completion("ab")),
        ([orjson.dumps({"choices": [{"delta": None, "finish_reason": "stop"}]})], Completion("")),
    ],
)
def test_texts_of_a_stream(events: list[bytes], expected: Completion) -> None:
    got = collected(*events, b"[DONE]")
    assert (got.answer, got.reasoning, got.refusal) == (expected.answer, expected.reasoning, expected.refusal)
    assert got.reasoning_unclosed == expected.reasoning_unclosed
    assert got.finish_reason == "stop"


def test_usage_in_any_chunk_and_names_of_the_server() -> None:
    usage: Json = {"prompt_tokens": 3, "completion_tokens": 4}
    for position in range(3):
        events = [chunk({"content": "a"}), chunk({"content": "b"}), STOP]
        events[position] = events[position][:-1] + b',"usage":' + orjson.dumps(usage) + b"}"
        assert collected(*events).usage == Usage(3, 4)
    last = orjson.dumps({"choices": [], "usage": usage, "model": "served", "system_fingerprint": "fp"})
    got = collected(chunk({"content": "a"}, usage=None), STOP, last)
    assert (got.usage, got.served_model, got.system_fingerprint) == (Usage(3, 4), "served", "fp")


def test_tool_calls_are_merged_by_index() -> None:
    got = collected(
        chunk({"tool_calls": [{"index": 1, "id": "b", "function": {"name": "g", "arguments": ""}}]}),
        chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x'}}]}),
        chunk({"tool_calls": [{"index": 1, "function": {"arguments": "{}"}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '": 1}'}}]}),
        chunk({}, finish="tool_calls"),
    )
    assert got.tool_calls == (ToolCall("a", "f", '{"x": 1}'), ToolCall("b", "g", "{}"))
    assert got.timing is not None
    assert (got.timing.chunks, got.timing.ttft_ms, got.timing.ttfat_ms) == (4, 1000.0, None)


def test_tool_calls_have_a_limit() -> None:
    with pytest.raises(BadReplyError, match="more than 10,000 tool calls"):
        collected(*[chunk({"tool_calls": [{"id": str(number)} for number in range(1_000)]})] * 11)


def test_tool_calls_without_an_index() -> None:
    got = collected(
        chunk({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}]}),
        chunk({"tool_calls": [{"id": "b", "function": {"name": "g", "arguments": "{"}}]}),
        chunk({"tool_calls": [{"function": {"arguments": "}"}}]}),
        STOP,
    )
    assert got.tool_calls == (ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", "{}"))


@pytest.mark.parametrize(
    ("events", "ttft_s", "ttfat_s", "chunks"),
    [
        ([chunk({"role": "assistant", "content": ""}), chunk({"content": "a"}), STOP], 2, 2, 1),
        ([chunk({"reasoning_content": "r"}), chunk({"content": "a"}), STOP], 1, 2, 2),
        ([chunk({"content": "<think>r"}), chunk({"content": "</think>"}), chunk({"content": "a"})], 1, 3, 3),
        ([chunk({"content": "r"}), chunk({"content": "</think>\n"}), chunk({"content": "a"})], 1, 3, 3),
        ([chunk({"content": "<think>r"}), chunk({"content": "r"})], 1, None, 2),
        ([STOP], None, None, 0),
    ],
)
def test_first_token_and_first_answer_token(
    events: list[bytes], ttft_s: int | None, ttfat_s: int | None, chunks: int
) -> None:
    timing = collected(*events).timing
    assert timing is not None
    assert timing.ttft_ms == (None if ttft_s is None else ttft_s * 1000)
    assert timing.ttfat_ms == (None if ttfat_s is None else ttfat_s * 1000)
    assert timing.chunks == chunks


def test_reply_in_one_piece_has_a_duration_and_no_first_token() -> None:
    collector = ChatCollector(TARGET)
    message: Json = {"role": "assistant", "content": "<think>r</think>a"}
    collector.take(orjson.dumps({"choices": [{"message": message, "finish_reason": "length"}]}), 2.0)
    got = collector.completion(started_s=0.0, ended_s=2.0)
    assert (got.answer, got.reasoning, got.is_cut) == ("a", "r", True)
    assert got.timing is not None
    assert (got.timing.duration_ms, got.timing.ttft_ms, got.timing.chunks) == (2000.0, None, 0)


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (b'{"choices": [{"delta"', BadReplyError),
        (b'{"choices"\n:::', BadReplyError),
        (b"[]", BadReplyError),
        (b'"text"', BadReplyError),
        (b'{"choices": {"0": 1}}', BadReplyError),
        (b'{"choices": ["a"]}', BadReplyError),
        (b'{"choices": [{"delta": {"content": 7}}]}', BadReplyError),
        (b'{"error": {"message": "busy", "code": 429}}', RateLimitedError),
        (b'{"error": {"message": "busy", "code": "502"}}', ServerError),
        (b'{"error": {"message": "?"}}', BadReplyError),
        (b'{"error": "broken"}', BadReplyError),
        (b'{"object": "error", "message": "no", "code": 500}', ServerError),
        (b'{"choices": [{"delta": {}, "finish_reason": "error"}]}', ServerError),
        (b'{"choices": [{"finish_reason": "error", "error": {"code": 429}}]}', RateLimitedError),
    ],
)
def test_what_is_no_reply(event: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        collected(chunk({"content": "a"}), event)


def test_reply_without_choices() -> None:
    with pytest.raises(BadReplyError, match="choices"):
        collected(b'{"choices": []}', b"[DONE]")


EVENTS = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning_content": "Überlegung 🤔 "}),
    chunk({"content": "naïve 😀 "}),
    chunk({"content": "日本語"}),
    chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]}),
    chunk({}, finish="stop"),
    b'{"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}',
    b"[DONE]",
]


def streamed(blocks: list[bytes]) -> Completion:
    splitter, collector = EventSplitter(), ChatCollector(TARGET)
    for block in blocks:
        for data in splitter.feed(block):
            collector.take(data, 1.0)
    for data in splitter.finish():
        collector.take(data, 1.0)
    assert collector.is_whole
    return collector.completion(started_s=0.0, ended_s=1.0, silence_s=1.0)


@given(
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from([b"data: ", b"data:"]),
    st.sampled_from([b"", b": keep-alive\n\n"]),
    st.lists(st.integers(0, 2000), max_size=30),
)
def test_any_split_of_the_bytes_gives_the_same_completion(
    newline: bytes, field: bytes, comment: bytes, cuts: list[int]
) -> None:
    stream = b"".join(comment + field + event + newline * 2 for event in EVENTS)
    edges = sorted({0, *(cut for cut in cuts if cut < len(stream)), len(stream)})
    got = streamed([stream[start:end] for start, end in pairwise(edges)])
    assert got == streamed([stream])
    assert (got.answer, got.reasoning, got.usage) == ("naïve 😀 日本語", "Überlegung 🤔 ", Usage(3, 4))


@pytest.mark.parametrize(
    ("first", "usage", "rate"),
    [
        ({"content": "a" * 40}, {"completion_tokens": 20}, 20.0),
        ({"content": "a" * 40}, {"completion_tokens": 1_000_000}, 41.0),
        ({"content": "a" * 40}, {"completion_tokens": 2_020, "reasoning": 2_000}, 20.0),
        ({"content": "a" * 40}, {"completion_tokens": 20, "reasoning": 2_000}, 20.0),
        ({"reasoning": "a" * 40}, {"completion_tokens": 20, "reasoning": 10}, 20.0),
        ({"content": "<think>aaaaaaaaaaaaaaaa</think>"}, {"completion_tokens": 20, "reasoning": 10}, 20.0),
        ({"content": "\u4e16" * 10}, {"completion_tokens": 20}, 20.0),
    ],
)
def test_the_rate_is_of_tokens_that_the_chunks_can_have_carried(
    first: dict[str, Json], usage: dict[str, int], rate: float
) -> None:
    """Hidden reasoning was written before the first chunk, and no token is shorter than a byte."""
    details = {"reasoning_tokens": usage.get("reasoning", 0)}
    told = {
        "prompt_tokens": 1,
        "completion_tokens": usage["completion_tokens"],
        "completion_tokens_details": details,
    }
    reply = collected(chunk(first), chunk({"content": "b"}, finish="stop", usage=told))
    assert reply.timing is not None
    assert reply.timing.tokens_per_s == rate
