"""Pictures as PNG files, byte for byte the same wherever they are made.

The deflate stream is written here: that of zlib differs between its versions and the libraries in its place.
"""

import struct
import zlib

Colour = tuple[int, int, int]
_LONGEST = 258
_SHORTEST = 3
# Length codes 257 to 285: first length, extra bits (RFC 1951, 3.2.5).
_LENGTHS = [(3 + n, 0) for n in range(8)]
for _bits in range(1, 6):
    _LENGTHS += [(_LENGTHS[-1][0] + (1 << _LENGTHS[-1][1]) + (n << _bits), _bits) for n in range(4)]
_LENGTHS = [one for one in _LENGTHS if one[0] < _LONGEST] + [(_LONGEST, 0)]


class Bits:
    """Bits from the lowest of each byte on; Huffman codes go in from their highest bit on."""

    def __init__(self) -> None:
        self._value = 0
        self._count = 0
        self.bytes = bytearray()

    def add(self, value: int, count: int) -> None:
        self._value |= value << self._count
        self._count += count
        while self._count >= 8:
            self.bytes.append(self._value & 255)
            self._value >>= 8
            self._count -= 8

    def add_code(self, code: int, count: int) -> None:
        self.add(int(f"{code:0{count}b}"[::-1], 2), count)

    def whole(self) -> bytes:
        self.add(0, -self._count % 8)
        return bytes(self.bytes)


def _symbol(bits: Bits, symbol: int) -> None:
    """By the fixed code of deflate."""
    if symbol < 144:
        bits.add_code(48 + symbol, 8)
    elif symbol < 256:
        bits.add_code(400 + symbol - 144, 9)
    elif symbol < 280:
        bits.add_code(symbol - 256, 7)
    else:
        bits.add_code(192 + symbol - 280, 8)


def _deflated(data: bytes, row: int) -> bytes:
    """Repeats of the byte before and of the row above are all that these pictures have."""
    distances = {1: (0, 0, 0), row: _distance(row)}
    bits = Bits()
    bits.add(0b011, 3)
    at = 0
    while at < len(data):
        length, back = max((_match(data, at, back), back) for back in distances)
        if length < _SHORTEST:
            _symbol(bits, data[at])
            at += 1
            continue
        number = max(n for n, (first, _) in enumerate(_LENGTHS) if first <= length)
        first, extra = _LENGTHS[number]
        _symbol(bits, 257 + number)
        bits.add(length - first, extra)
        code, value, count = distances[back]
        bits.add_code(code, 5)
        bits.add(value, count)
        at += length
    _symbol(bits, 256)
    return b"\x78\x01" + bits.whole() + struct.pack(">I", zlib.adler32(data))


def _match(data: bytes, at: int, back: int) -> int:
    if at < back:
        return 0
    most = min(_LONGEST, len(data) - at)
    length = 0
    while length < most and data[at + length] == data[at + length - back]:
        length += 1
    return length


def _distance(back: int) -> tuple[int, int, int]:
    """Code, extra bits and their number."""
    first, code = 1, 0
    while True:
        extra = max(0, code // 2 - 1)
        if back < first + (1 << extra):
            return code, back - first, extra
        first += 1 << extra
        code += 1


def png(pixels: list[bytearray], palette: list[Colour]) -> bytes:
    """From rows of palette numbers, up to 16 of them: two pixels to a byte."""
    width, height = len(pixels[0]), len(pixels)
    rows = b"".join(b"\0" + bytes(row[x] << 4 | row[x + 1] for x in range(0, width, 2)) for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)
    parts = (
        (b"IHDR", header),
        (b"PLTE", b"".join(bytes(colour) for colour in palette)),
        (b"IDAT", _deflated(rows, width // 2 + 1)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
