"""A replacement for tqdm that draws nothing and reports bytes."""

from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from assay.engine.ports import Progress

if TYPE_CHECKING:
    from tqdm import tqdm


class _ByteCount:
    """The methods that huggingface_hub calls on its progress bars."""

    def __init__(self, *, total: int | None = None, initial: int = 0, **_: object) -> None:
        self._total = total
        self._done = initial
        self.report(self._done, self._total)

    def report(self, done: int, total: int | None) -> None:
        raise NotImplementedError

    def update(self, count: float | None = 1) -> None:
        self._done += int(count or 0)
        self.report(self._done, self._total)

    def update_transfer(self, count: float) -> None:
        """Ignored: bytes of the file are reported, not bytes on the wire."""

    def set_postfix_str(self, text: str, *, refresh: bool = True) -> None:
        """Ignored."""

    def set_transfer_postfix_str(self, text: str, *, refresh: bool = True) -> None:
        """Ignored."""

    def close(self) -> None:
        """Nothing to do."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def reporting_to(progress: Progress, name: str) -> "type[tqdm[object]]":
    """A class for huggingface_hub's `tqdm_class` whose bars call `progress` for the file `name`."""

    class Bar(_ByteCount):
        def report(self, done: int, total: int | None) -> None:
            progress(name, done, total)

    # huggingface_hub asks for a class that mimics tqdm, not for a subclass of it.
    return cast("type[tqdm[object]]", Bar)
