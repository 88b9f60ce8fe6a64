"""What `assay doctor` says of one thing."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at; `remedy` is one line that mends it."""

    what: str
    status: Literal["ok", "note", "failure"]
    state: str
    remedy: str = ""
    # Said in red, though nothing is missing.
    is_alarming: bool = False

    @property
    def mark(self) -> str:
        return {"ok": "✓", "note": "·", "failure": "✗"}[self.status]

    @property
    def is_failure(self) -> bool:
        return self.status == "failure"

    def document(self) -> dict[str, str]:
        return {"what": self.what, "status": self.status, "state": self.state, "remedy": self.remedy}
