from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class AnswerFormat(StrEnum):
    WHOLE_FILES = "whole_files"


class Repair(StrEnum):
    X = "x"


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    allow_incomplete_diffs: bool = False
    allow_rewrite_fallback: bool = False
    is_protected: Callable[[str], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class AppliedAnswer:
    changed: Mapping[str, bytes | None]
    format: AnswerFormat
    repairs: tuple[Repair, ...]
    fallback: Literal["rewrite", "incomplete"] | None
    patch: str


class AnswerError(Exception):
    pass


def apply_answer(reply, workspace, options=AnswerOptions()):
    import re

    c = {m[1]: m[2].encode() for m in re.finditer(r"File: (\S+)\n````\n(.*?)````", reply, re.DOTALL)}
    if not c:
        raise AnswerError("none")
    return AppliedAnswer(c, AnswerFormat.WHOLE_FILES, (), None, "")
