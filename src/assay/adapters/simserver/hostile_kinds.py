"""The kinds of hostile replies: what each sends, and how an attempt that meets it ends."""

import gzip
import zlib
from collections.abc import Mapping

from assay.adapters.simserver.hostile import KEY, End, Kind, OneByOne, Repeated, Reply

_SCORED = ("scored",)
_ERROR = ("model_error",)
_TIMEOUT = ("timeout",)
# Whichever limit is reached first: of bytes, or of seconds.
_LIMIT = ("model_error", "timeout")
_BUSY = ("rate_limited",)
_DEPTH = 100_000
_LINES_BYTES = 10_000_000
_SLOW_S = 0.05


def _head(*headers: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "Connection: close", "", ""]).encode()


def _body(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    return _head(f"Content-Length: {len(body)}", *headers, status=status) + body


def _chunk(delta: str = '{"content":"The answer is (A)."}', finish: str = '"stop"', more: str = "") -> bytes:
    return f'data: {{"choices":[{{"delta":{delta},"finish_reason":{finish}}}]{more}}}\n\n'.encode()


def _chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)


def _whole(content: str = '"The answer is (A)."', finish: str = '"stop"', more: str = "") -> bytes:
    choice = f'{{"message":{{"content":{content}}},"finish_reason":{finish}}}'
    return f'{{"choices":[{choice}]{more}}}'.encode()


_SSE = "Content-Type: text/event-stream"
_STREAM = _head(_SSE)
_CHUNKED = f"HTTP/1.1 200 OK\r\n{_SSE}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
_TEXT = _chunk(finish="null")
_LAST = _chunk("{}")
_DONE = b"data: [DONE]\n\n"
_ANSWER = _STREAM + _TEXT + _LAST + _DONE
_NO_MODELS: Reply = (_body(b'{"object":"list","data":[]}'),)


def _kind(about: str, ends: tuple[str, ...], *replies: Reply, models: Reply = _NO_MODELS) -> Kind:
    return Kind(about, ends, replies or ((_ANSWER,),), models)


def _with_usage(number: str) -> Reply:
    """An answer with the number in every field of its usage."""
    counts = ("prompt_tokens", "completion_tokens", "total_tokens", "cost", "cost_usd")
    fields = [f'"{name}":{number}' for name in counts]
    fields.append(f'"completion_tokens_details":{{"reasoning_tokens":{number}}}')
    fields.append(f'"prompt_tokens_details":{{"cached_tokens":{number}}}')
    fields.append(f'"is_byok":true,"cost_details":{{"upstream_inference_cost":{number}}}')
    usage = f',"usage":{{{",".join(fields)}}}'
    return (_STREAM + _TEXT + _chunk("{}", more=usage) + _DONE,)


_NUMBERS = {
    "infinite": "1e400",
    "huge": "1e30",
    "int64": str(2**63 - 1),
    "beyond-int64": str(10**30),
    "negative": "-1",
    "tiny": "1e-400",
    "nan": "NaN",
    "text": '"12 tokens"',
}
_USAGE = {
    f"usage-{name}": _kind(f"`{number[:22]}` in every field of the usage", _SCORED, _with_usage(number))
    for name, number in _NUMBERS.items()
}
# Python reads no integer of more than 4,300 digits: that reply is not JSON to it.
_USAGE["usage-long"] = _kind(
    "5,000 digits in every field of the usage", ("scored", "model_error"), _with_usage("9" * 5000)
)
_USAGE["usage-types"] = _kind(
    "no numbers in the fields of the usage", _SCORED, *map(_with_usage, ("true", "[1]", '{"n":1}', "null"))
)

_WRONG = ("true", "7", "-1e300", "1e400", '"text"', "[]", "{}", "[[null]]", '{"a":{"b":[]}}', "null")
# A field of the reply, and the chunk with a wrong value in it; what is no answer is no answer of the model's.
_FIELDS = {
    "choices": '"choices":{0}',
    "choice": '"choices":[{0}]',
    "delta": '"choices":[{{"delta":{0},"finish_reason":null}}]',
    "content": '"choices":[{{"delta":{{"content":{0}}}}}]',
    "reasoning": '"choices":[{{"delta":{{"reasoning_content":{0},"reasoning":{0}}}}}]',
    "tool-calls": '"choices":[{{"delta":{{"tool_calls":{0}}}}}]',
    "tool-call": '"choices":[{{"delta":{{"tool_calls":[{0},{{"index":{0},"function":{0}}}]}}}}]',
    "refusal": '"choices":[{{"delta":{{"refusal":{0}}}}}]',
    "finish": '"choices":[{{"delta":{{}},"finish_reason":{0}}}]',
    "error": '"choices":[],"error":{0}',
    "error-code": '"error":{{"code":{0},"type":{0},"message":{0},"metadata":{0}}}',
    "rest": '"id":{0},"object":{0},"created":{0},"model":{0},"system_fingerprint":{0},"usage":{0}',
}


def _with_wrong(text: str, value: str) -> Reply:
    """A chunk that is wrong, and then an answer."""
    return (_STREAM + f"data: {{{text.format(value)}}}\n\n".encode() + _TEXT + _LAST + _DONE,)


_TYPES = {
    f"type-{name}": _kind(
        f"a wrong type in `{name}`, a different one in each reply",
        ("scored", "refused", "model_error"),
        *(_with_wrong(text, value) for value in _WRONG),
    )
    for name, text in _FIELDS.items()
}

_JSON = {
    "deep-reply": _kind("100,000 opening brackets as the reply", _ERROR, (_body(b"[" * _DEPTH),)),
    "deep-event": _kind(
        "100,000 opening brackets in an event", _ERROR, (_STREAM + b"data: " + b"[" * _DEPTH + b"\n\n",)
    ),
    "deep-objects": _kind(
        "objects nested 20,000 deep, and closed", _ERROR, (_body(b'{"a":' * 20_000 + b"1" + b"}" * 20_000),)
    ),
    "deep-error": _kind(
        "100,000 brackets as the body of a 500", _ERROR, (_body(b"[" * _DEPTH, status="500 x"),)
    ),
    "wide-reply": _kind(
        "30 MB of empty objects", _ERROR, (_STREAM + b'{"choices":[', Repeated(b"{},", 10_000_000), b"{}]}")
    ),
    "not-an-object": _kind(
        "JSON that is no object", _ERROR, (_body(b"[]"),), (_body(b"7"),), (_body(b'"a"'),)
    ),
    "no-choices": _kind("a list of choices that is empty", _ERROR, (_body(b'{"choices":[]}'),)),
    "half-json": _kind("half of a JSON object, with the right length", _ERROR, (_body(_whole()[:30]),)),
    "same-key-twice": _kind(
        "`choices` twice in one object", _SCORED, (_body(b'{"choices":[7],' + _whole()[1:]),)
    ),
    "invalid-utf8": _kind(
        "bytes that are not UTF-8 in the text",
        _ERROR,
        (_STREAM + _chunk('{"content":"@"}').replace(b"@", b"\xff\xfe"),),
    ),
    "surrogates": _kind(
        "half of a surrogate pair", _SCORED, (_STREAM + _chunk('{"content":"\\ud800a"}') + _DONE,)
    ),
    "nul-characters": _kind(
        "NUL characters in text, model and finish reason",
        _SCORED,
        (_STREAM + _chunk('{"content":"a\\u0000"}', '"stop\\u0000"', ',"model":"m\\u0000"') + _DONE,),
    ),
    "control-characters": _kind(
        "terminal escapes in the text",
        _SCORED,
        (_STREAM + _chunk('{"content":"\\u001b[2J\\u009b31ma"}') + _DONE,),
    ),
    "control-characters-in-error": _kind(
        "terminal escapes in an error",
        _ERROR,
        (_body(b"\x1b]0;owned\x07\x1b[2J no", status="400 \x1b[31mBad"),),
    ),
}

_DEFLATE = zlib.compressobj(wbits=-zlib.MAX_WBITS)
# After a full flush nothing refers to what came before, so that the block can be repeated.
_MEBIBYTE = _DEFLATE.compress(b" " * (1 << 20)) + _DEFLATE.flush(zlib.Z_FULL_FLUSH)
_GZIP_HEAD = gzip.compress(b"")[:10]
_GZIP = "Content-Encoding: gzip"
_FILLER = b"x" * 1000
_SIZES = {
    "endless-headers": _kind(
        "headers without end", _LIMIT, (b"HTTP/1.1 200 OK\r\n", Repeated(b"X-A: b\r\n"))
    ),
    "endless-header": _kind("one header without end", _LIMIT, (b"HTTP/1.1 200 OK\r\nX: ", Repeated(_FILLER))),
    "endless-status": _kind("a status line without end", _LIMIT, (b"HTTP/1.1 200 ", Repeated(_FILLER))),
    "endless-1xx": _kind(
        "interim responses without end",
        _LIMIT,
        (Repeated(b"HTTP/1.1 100 Continue\r\n\r\n"),),
    ),
    "endless-trailers": _kind(
        "trailers without end",
        ("scored", *_LIMIT),
        (_CHUNKED + _chunked(_TEXT, _LAST) + b"0\r\n", Repeated(b"X-A: b\r\n")),
    ),
    "endless-chunk-extension": _kind(
        "a chunk size with an extension without end", _LIMIT, (_CHUNKED + b"5;a=", Repeated(_FILLER))
    ),
    "endless-chunks": _kind("chunks of one byte without end", _LIMIT, (_CHUNKED, Repeated(_chunked(b":")))),
    "endless-reply": _kind(
        "one JSON string without end", _LIMIT, (_STREAM + b'{"choices":["', Repeated(_FILLER))
    ),
    "endless-space": _kind("white space without end", _LIMIT, (_STREAM, Repeated(b" \n"))),
    "endless-line": _kind(
        "one line of an event without end", _LIMIT, (_STREAM + b"data: ", Repeated(_FILLER))
    ),
    "endless-event": _kind("lines of one event without end", _LIMIT, (_STREAM, Repeated(b"data: a\n"))),
    "endless-comments": _kind("comments without end", _LIMIT, (_STREAM, Repeated(b": ping\n\n"))),
    "endless-text": _kind("text without end", _LIMIT, (_STREAM, Repeated(_TEXT))),
    "endless-reasoning": _kind(
        "reasoning without end", _LIMIT, (_STREAM, Repeated(_chunk('{"reasoning_content":"so "}', "null")))
    ),
    "endless-tool-calls": _kind(
        "tool calls without end",
        _LIMIT,
        (_STREAM, Repeated(_chunk('{"tool_calls":[{"index":0,"id":"c"}]}', "null"))),
    ),
    "endless-empty-objects": _kind(
        "events of `{}` without end", _LIMIT, (_STREAM, Repeated(b"data: {}\n\n"))
    ),
    "endless-error": _kind("a 500 without end", _LIMIT, (_head(status="500 Oops"), Repeated(_FILLER))),
    "data-lines": _kind(
        "10 MB of `data:a` lines in one event",
        _LIMIT,
        (_STREAM, Repeated(b"data:a\n", _LINES_BYTES // 7), b"\n"),
    ),
    "gzip-bomb": _kind(
        "gzip of spaces without end, 1,000 to 1", _LIMIT, (_head(_GZIP) + _GZIP_HEAD, Repeated(_MEBIBYTE))
    ),
    "gzip-bomb-error": _kind(
        "gzip of spaces without end, with status 500",
        _LIMIT,
        (_head(_GZIP, status="500 Oops") + _GZIP_HEAD, Repeated(_MEBIBYTE)),
    ),
    "gzip-broken": _kind(
        "gzip that ends in the middle", _ERROR, (_body(gzip.compress(_whole())[:40], _GZIP),)
    ),
    "unknown-encoding": _kind(
        "an encoding that nobody asked for", _ERROR, (_body(_whole(), "Content-Encoding: br"),)
    ),
}

_CUTS = {
    "closed-at-once": _kind("the connection closed without a byte", _ERROR, ()),
    "reset-at-once": _kind("the connection reset without a byte", _ERROR, (End.RESET,)),
    "cut-in-status": _kind("the end inside the status line", _ERROR, (b"HTTP/1.1 2",)),
    "cut-in-headers": _kind("the end inside the headers", _ERROR, (b"HTTP/1.1 200 OK\r\nContent-Ty",)),
    "cut-after-headers": _kind("the end after the headers", _ERROR, (_STREAM,)),
    "reset-after-headers": _kind("a reset after the headers", _ERROR, (_STREAM, End.RESET)),
    "cut-in-event": _kind("the end inside an event", _ERROR, (_STREAM + _TEXT + _LAST[:20],)),
    "reset-in-event": _kind("a reset inside an event", _ERROR, (_STREAM + _TEXT + _LAST[:20], End.RESET)),
    "cut-before-finish": _kind("the end before the finish reason", _ERROR, (_STREAM + _TEXT,)),
    "cut-before-done": _kind("the end before `[DONE]`", _SCORED, (_STREAM + _TEXT + _LAST,)),
    "no-finish": _kind("`[DONE]` without a finish reason", _ERROR, (_STREAM + _TEXT + _DONE,)),
    "done-only": _kind("`[DONE]` and nothing else", _ERROR, (_STREAM + _DONE,)),
    "empty-stream": _kind("a stream without an event", _ERROR, (_STREAM + b": hello\n\n",)),
    "empty-reply": _kind("an empty reply", _ERROR, (_body(b""),)),
    "no-content": _kind("a 204", _ERROR, (_head(status="204 No Content"),)),
    "text-after-finish": _kind(
        "text after the finish reason", ("scored", "model_error"), (_STREAM + _TEXT + _LAST + _TEXT + _DONE,)
    ),
    "length-too-large": _kind(
        "a length beyond the body", _ERROR, (_head("Content-Length: 9999") + _whole(),)
    ),
    "length-too-small": _kind("a length below the body", _ERROR, (_head("Content-Length: 9") + _whole(),)),
}

_FRAMING = {
    "length-negative": _kind("a negative length", _ERROR, (_head("Content-Length: -5") + _whole(),)),
    "length-text": _kind("a length that is no number", _ERROR, (_head("Content-Length: many") + _whole(),)),
    "length-huge": _kind("a length of 30 digits", _ERROR, (_head(f"Content-Length: {10**30}") + _whole(),)),
    "length-twice": _kind(
        "two lengths that contradict each other",
        _ERROR,
        (_head("Content-Length: 9", f"Content-Length: {len(_whole())}") + _whole(),),
    ),
    "length-and-chunked": _kind(
        "a length and chunks",
        ("scored", "model_error"),
        (_head("Content-Length: 9", "Transfer-Encoding: chunked") + _chunked(_whole()) + b"0\r\n\r\n",),
    ),
    "chunk-size-text": _kind("a chunk size that is no number", _ERROR, (_CHUNKED + b"zz\r\n" + _TEXT,)),
    "chunk-size-negative": _kind("a negative chunk size", _ERROR, (_CHUNKED + b"-5\r\n" + _TEXT,)),
    "chunk-size-huge": _kind("a chunk size of 20 digits", _ERROR, (_CHUNKED + b"f" * 20 + b"\r\n" + _TEXT,)),
    "chunks-cut": _kind("chunks without the last one", _SCORED, (_CHUNKED + _chunked(_TEXT, _LAST, _DONE),)),
    "header-twice": _kind(
        "headers twice, in two cases", _SCORED, (_body(_whole(), _SSE, "content-TYPE: image/png"),)
    ),
    "header-without-colon": _kind("a header without a colon", _ERROR, (_body(_whole(), "no colon here"),)),
    "header-with-nul": _kind("a NUL byte in a header", _ERROR, (_body(_whole(), "X-A: \0"),)),
    "second-reply": _kind(
        "a second reply that nobody asked for, on a kept connection",
        ("scored", "model_error"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(_whole())
            + _whole()
            + b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(_whole('"The answer is (B)."'))
            + _whole('"The answer is (B)."'),
            End.KEEP,
        ),
    ),
    "no-http": _kind("text that is no HTTP", _ERROR, (b"SSH-2.0-OpenSSH_9.7\r\n",)),
    "http-0.9": _kind("a body without a status line", _ERROR, (_whole(),)),
    "http-9.9": _kind("an unknown version of HTTP", _ERROR, (_body(_whole()).replace(b"/1.1", b"/9.9"),)),
    "upgrade": _kind(
        "a switch to another protocol",
        _ERROR,
        (b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n\x81\x7f",),
    ),
    "status-zero": _kind("status 000", _ERROR, (_body(_whole(), status="000 None"),)),
    "status-unknown": _kind("status 799", _ERROR, (_body(_whole(), status="799 What"),)),
}

_SLOW = {
    "silent": _kind("nothing at all, on an open connection", _TIMEOUT, (End.HOLD,)),
    "silent-after-headers": _kind("nothing after the headers", _TIMEOUT, (_STREAM, End.HOLD)),
    "silent-after-text": _kind("nothing after the first text", _TIMEOUT, (_STREAM + _TEXT, End.HOLD)),
    "silent-after-finish": _kind(
        "nothing after the finish reason", ("scored", "timeout"), (_STREAM + _TEXT + _LAST, End.HOLD)
    ),
    "silent-after-done": _kind("an open connection after `[DONE]`", _SCORED, (_ANSWER, End.HOLD)),
    "slow-headers": _kind(
        "headers, one byte at a time", _TIMEOUT, (OneByOne(_STREAM, _SLOW_S), _TEXT + _LAST)
    ),
    "slow-text": _kind("text, one byte at a time", _TIMEOUT, (_STREAM, OneByOne(_TEXT * 20, _SLOW_S))),
    "slow-comments": _kind(
        "a comment now and then", _TIMEOUT, (_STREAM, Repeated(b": ping\n\n", every_s=_SLOW_S))
    ),
    "slow-error": _kind(
        "a 500, one byte at a time",
        _LIMIT,
        (_head(status="500 Oops"), Repeated(b"x", every_s=_SLOW_S)),
    ),
}


def _refused(*headers: str) -> Reply:
    return (_body(b"{}", *headers, status="429 Too Many Requests"),)


_KEY_CHUNK = _chunk('{"content":"@"}').replace(b"@", KEY)
_STATUSES = {
    "retry-after-huge": _kind("`Retry-After: 1e9`", _BUSY, _refused("Retry-After: 1e9")),
    "retry-after-infinite": _kind("`Retry-After: 1e400`", _BUSY, _refused("Retry-After: 1e400")),
    "retry-after-negative": _kind("`Retry-After: -5`", _BUSY, _refused("Retry-After: -5")),
    "retry-after-text": _kind("`Retry-After: soon`", _BUSY, _refused("Retry-After: soon")),
    "retry-after-date": _kind(
        "`Retry-After` in the year 9999", _BUSY, _refused("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT")
    ),
    "reset-far": _kind(
        "a reset of the limit in 10^300 s", _BUSY, _refused(f"x-ratelimit-reset: 1{'0' * 300}")
    ),
    "redirect": _kind(
        "a redirect to another host",
        _ERROR,
        (_body(b"", "Location: http://192.0.2.1/v1", status="307 Moved"),),
    ),
    "html-error": _kind(
        "a page of HTML with status 502", _ERROR, (_body(b"<html>Bad", status="502 Bad Gateway"),)
    ),
    "html-reply": _kind("a page of HTML with status 200", _ERROR, (_body(b"<html>Welcome</html>"),)),
    "key-in-answer": _kind("the client's key as the answer", _SCORED, (_STREAM + _KEY_CHUNK + _DONE,)),
    "key-in-error": _kind("the client's key in an error", _ERROR, (_head(status="400 No") + KEY,)),
    "error-in-stream": _kind(
        "an error after text", _ERROR, (_STREAM + _TEXT + b'data: {"error":{"code":500,"message":"no"}}\n\n',)
    ),
}

_ENTRY = '{{"id":{0},"name":{0},"context_length":{0},"pricing":{{"prompt":{0},"completion":{0}}}}}'
_LISTS = {
    "models-endless": _kind(
        "a list of models without end",
        ("scored", "failed"),
        models=(_head() + b'{"data":["', Repeated(_FILLER)),
    ),
    "models-endless-headers": _kind(
        "headers without end before the list",
        ("scored", "failed"),
        models=(b"HTTP/1.1 200 OK\r\n", Repeated(b"X-A: b\r\n")),
    ),
    "models-gzip-bomb": _kind(
        "gzip of spaces without end as the list",
        ("scored", "failed"),
        models=(_head(_GZIP) + _GZIP_HEAD, Repeated(_MEBIBYTE)),
    ),
    "models-deep": _kind(
        "100,000 brackets as the list", ("scored", "failed"), models=(_body(b"[" * _DEPTH),)
    ),
    "models-wide": _kind(
        "a list of 10,000,000 empty objects",
        ("scored", "failed"),
        models=(_head() + b'{"data":[', Repeated(b"{},", 10_000_000), b"{}]}"),
    ),
    "models-types": _kind(
        "a wrong type in every field of the list",
        ("scored", "failed"),
        models=(_body(('{"data":[' + ",".join(_ENTRY.format(value) for value in _WRONG) + "]}").encode()),),
    ),
    "models-silent": _kind("no list, on an open connection", ("failed",), models=(End.HOLD,)),
    "models-slow": _kind(
        "a list, one byte at a time", ("failed",), models=(_head(), Repeated(b" ", every_s=_SLOW_S))
    ),
    "models-cut": _kind(
        "half of the list", ("scored", "failed"), models=(_head("Content-Length: 999") + b'{"data":[{"id"',)
    ),
    "models-redirect": _kind(
        "a redirect of the list to another host",
        ("scored", "failed"),
        models=(_body(b"", "Location: http://192.0.2.1/v1/models", status="302 Found"),),
    ),
    "models-html": _kind(
        "a page of HTML as the list", ("scored", "failed"), models=(_body(b"<html>Welcome</html>"),)
    ),
    "models-error-endless": _kind(
        "a 500 without end as the list",
        ("scored", "failed"),
        models=(_head(status="500 Oops"), Repeated(_FILLER)),
    ),
}

KINDS: Mapping[str, Kind] = {
    **_USAGE,
    **_TYPES,
    **_JSON,
    **_SIZES,
    **_CUTS,
    **_FRAMING,
    **_SLOW,
    **_STATUSES,
    **_LISTS,
}
