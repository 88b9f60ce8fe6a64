"""Tool calls that arrive in pieces."""

import json
from dataclasses import dataclass, field

from assay.domain.calls.messages import Json, ToolCall


@dataclass(slots=True)
class _Draft:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])


class ToolCallMerger:
    """Joins the pieces of each call by its index; without one, an id or a name begins the next call."""

    __slots__ = ("_drafts",)

    def __init__(self) -> None:
        self._drafts: dict[int, _Draft] = {}

    def __len__(self) -> int:
        return len(self._drafts)

    def take(self, pieces: Json) -> bool:
        """Whether any of the pieces belonged to a call."""
        if not isinstance(pieces, list):
            return False
        calls = [piece for piece in pieces if isinstance(piece, dict)]
        for piece in calls:
            self._take(piece)
        return bool(calls)

    def _take(self, piece: dict[str, Json]) -> None:
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        call_id, name, arguments = piece.get("id"), function.get("name"), function.get("arguments")
        draft = self._draft(piece.get("index"), is_new=bool(call_id or name))
        if isinstance(call_id, str) and not draft.id:
            draft.id = call_id
        if isinstance(name, str) and not draft.name:
            draft.name = name
        if isinstance(arguments, str):
            draft.arguments.append(arguments)
        elif arguments is not None:
            draft.arguments.append(json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))

    def _draft(self, index: Json, *, is_new: bool) -> _Draft:
        if not isinstance(index, int):
            index = len(self._drafts) if is_new else max(0, len(self._drafts) - 1)
        return self._drafts.setdefault(index, _Draft())

    def merged(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(draft.id, draft.name, "".join(draft.arguments))
            for _, draft in sorted(self._drafts.items())
        )
