"""A tool with the options of `weather.py` that behaves as its first argument says."""

import os
import sys
import zlib


def main(behaviour, value, *options):
    given = dict(option.split("=", 1) for option in joined(options))
    city, day, units = given["--city"], given["--day"], given["--units"]
    found = {
        "city": text(city),
        "day": text(day),
        "units": text(units),
        "temperature": str(len(city) * 1.5),
        "sky": text("starry"),
        "token": text(f"{zlib.crc32(f'other/{city}/{day}/{units}'.encode()):08x}"),
    }
    error = b""
    if behaviour == "with":
        name, _, new = value.partition("=")
        found[name] = new
    elif behaviour == "without":
        del found[value]
    elif behaviour == "noisy":
        error = bytes.fromhex(value)
    elif behaviour == "late":
        import time

        time.sleep(float(value))
    elif behaviour == "signal":
        os.kill(os.getpid(), 9)
    elif behaviour == "fail":
        status, _, error = value.partition(":")
        os.write(2, bytes.fromhex(error))
        os.write(1, written(found))
        return int(status)
    os.write(2, error)
    os.write(1, bytes.fromhex(value) if behaviour == "print" else written(found))
    return 0


def joined(options):
    """Each option as one word, also where its value came as the next word."""
    words = list(options)
    while words:
        word = words.pop(0)
        if "=" not in word:
            if not words or words[0].startswith("-"):
                os.write(2, f"the option {word} needs a value".encode())
                sys.exit(2)
            word = f"{word}={words.pop(0)}"
        yield word


def text(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def written(found):
    return ("{" + ", ".join(f'"{name}": {value}' for name, value in found.items()) + "}").encode()


sys.exit(main(*sys.argv[1:]))
