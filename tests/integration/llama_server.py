"""llama.cpp's own server with a tiny model that this script makes: `llama_server.py FOLDER [KEY]`.

The model has random weights, so that it says nothing, but it says it as any model of that server does.
"""

import random
import struct
import sys
import threading
from array import array
from collections.abc import Sequence
from math import prod
from pathlib import Path

# xllamacpp carries the server of llama.cpp; it has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportAttributeAccessIssue=false, reportUnknownArgumentType=false
import xllamacpp

SLOTS = 2
CONTEXT = 2048
_EMBEDDING, _FEED_FORWARD, _HEADS = 64, 128, 4
_VOCABULARY = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
_UNKNOWN, _CONTROL, _BYTE = 2, 3, 6
# Numbers of the types in a GGUF file.
_UINT32, _INT32, _FLOAT32, _STRING, _ARRAY = 4, 5, 6, 8, 9
_ALIGNMENT = 32

_FIELDS: dict[str, str | int | float | Sequence[str] | Sequence[int] | Sequence[float]] = {
    "general.architecture": "llama",
    "llama.context_length": CONTEXT,
    "llama.embedding_length": _EMBEDDING,
    "llama.block_count": 1,
    "llama.feed_forward_length": _FEED_FORWARD,
    "llama.attention.head_count": _HEADS,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.dimension_count": _EMBEDDING // _HEADS,
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": _VOCABULARY,
    "tokenizer.ggml.scores": [0.0] * len(_VOCABULARY),
    "tokenizer.ggml.token_type": [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256],
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
}
_SHAPES = {
    "token_embd.weight": (_EMBEDDING, len(_VOCABULARY)),
    "output_norm.weight": (_EMBEDDING,),
    "output.weight": (_EMBEDDING, len(_VOCABULARY)),
    "blk.0.attn_norm.weight": (_EMBEDDING,),
    "blk.0.attn_q.weight": (_EMBEDDING, _EMBEDDING),
    "blk.0.attn_k.weight": (_EMBEDDING, _EMBEDDING),
    "blk.0.attn_v.weight": (_EMBEDDING, _EMBEDDING),
    "blk.0.attn_output.weight": (_EMBEDDING, _EMBEDDING),
    "blk.0.ffn_norm.weight": (_EMBEDDING,),
    "blk.0.ffn_gate.weight": (_EMBEDDING, _FEED_FORWARD),
    "blk.0.ffn_up.weight": (_EMBEDDING, _FEED_FORWARD),
    "blk.0.ffn_down.weight": (_FEED_FORWARD, _EMBEDDING),
}


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: str | float | Sequence[str] | Sequence[int] | Sequence[float]) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", _UINT32, value)
    if isinstance(value, float):
        return struct.pack("<If", _FLOAT32, value)
    if isinstance(value[0], str):
        return struct.pack("<IIQ", _ARRAY, _STRING, len(value)) + b"".join(_text(str(one)) for one in value)
    kind, code = (_FLOAT32, "f") if isinstance(value[0], float) else (_INT32, "i")
    return struct.pack(f"<IIQ{len(value)}{code}", _ARRAY, kind, len(value), *value)


def write_model(path: Path) -> None:
    """A model of 74,000 parameters in the GGUF format, the same on every machine."""
    numbers = random.Random(0)  # noqa: S311
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(_SHAPES), len(_FIELDS))
    head += b"".join(_text(name) + _value(value) for name, value in _FIELDS.items())
    data = b""
    for name, shape in _SHAPES.items():
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += array("f", (numbers.gauss(0, 0.3) for _ in range(prod(shape)))).tobytes()
        data += bytes(-len(data) % _ALIGNMENT)
    path.write_bytes(head + bytes(-len(head) % _ALIGNMENT) + data)


def main(folder: Path, *keys: str) -> None:
    model = folder / "tiny.gguf"
    write_model(model)
    options = xllamacpp.CommonParams()
    options.model.path = str(model)
    options.n_parallel = SLOTS
    options.n_ctx = SLOTS * CONTEXT
    options.cpuparams.n_threads = 1
    options.warmup = False
    options.model_alias = {"tiny"}
    options.port = 0
    options.api_keys = list(keys)
    server = xllamacpp.Server(options)
    print(str(server.listening_address), flush=True)  # noqa: T201
    threading.Event().wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
