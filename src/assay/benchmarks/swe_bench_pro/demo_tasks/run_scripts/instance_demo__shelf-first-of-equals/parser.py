"""Reads the results that unittest prints."""

import json
import re
import sys

_LINE = re.compile(r"(\w+) \((\S+)\) \.\.\. (ok|FAIL|ERROR)")


def name(method, place):
    parts = place.split(".")
    parts = parts[:-1] if parts[-1] == method else parts
    return f"{'/'.join(parts[:-1])}.py::{parts[-1]}.{method}"


with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
    found = {name(one[1], one[2]): one[3] for one in _LINE.finditer(file.read())}
tests = [{"name": one, "status": "PASSED" if result == "ok" else "FAILED"} for one, result in found.items()]
with open(sys.argv[3], "w", encoding="utf-8") as file:
    json.dump({"tests": tests}, file)
