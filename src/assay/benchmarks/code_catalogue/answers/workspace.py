"""The files of a workspace while an answer is applied to them."""

from collections.abc import Callable, Mapping
from typing import Self

from assay.benchmarks.code_catalogue.answers.answer import AnswerError, Repair
from assay.benchmarks.code_catalogue.answers.limits import MOST_FILE_BYTES, MOST_FILES, WorkLimit
from assay.benchmarks.code_catalogue.answers.paths import checked_path, without_prefix


class EditedWorkspace:
    """What the files hold after the part of the answer that was applied so far."""

    def __init__(self, before: Mapping[str, bytes], is_protected: Callable[[str], bool]) -> None:
        self.before = before
        self._is_protected = is_protected
        self._folders = {path.split("/", 1)[0] for path in before if "/" in path}
        self._written: dict[str, bytes | None] = {}
        self.ignored: set[str] = set()
        self.repairs: set[Repair] = set()
        self.work = WorkLimit()

    def restarted(self) -> Self:
        """Without changes; repairs of the reply as a whole remain, and the work is counted on."""
        other = type(self)(self.before, self._is_protected)
        other.repairs = set(self.repairs)
        other.work = self.work
        return other

    def has(self, path: str) -> bool:
        return self._written.get(path, self.before.get(path)) is not None

    def path_of(self, named: str, *, may_name_side: bool = True) -> str:
        """The path that is meant; raises AnswerError if it is unsafe."""
        path = without_prefix(named, self.has, self._folders, may_name_side=may_name_side)
        checked = checked_path(path)
        if path != named:
            self.repairs.add(Repair.PATH_PREFIX)
        return checked

    def holds(self, named: str) -> bool:
        """Whether a file is meant by this, perhaps with a prefix."""
        return self.has(without_prefix(named, self.has, self._folders))

    def ignores(self, *paths: str) -> bool:
        """Whether one of the paths is protected, which is reported."""
        protected = set(filter(self._is_protected, paths))
        self.ignored |= protected
        return bool(protected)

    def read(self, path: str) -> str | None:
        """The text, in which bytes that are not UTF-8 are lone surrogates."""
        content = self._written.get(path, self.before.get(path))
        if content is None:
            return None
        self.work.spend(len(content))
        return content.decode("utf-8", "surrogateescape")

    def write(self, path: str, text: str) -> None:
        content = text.encode("utf-8", "surrogateescape")
        self.work.spend(len(content))
        if len(content) > MOST_FILE_BYTES:
            raise AnswerError(f"{path} would have {len(content):,} bytes; the limit is {MOST_FILE_BYTES:,}")
        self._set(path, content)

    def delete(self, path: str) -> None:
        self._set(path, None)

    def _set(self, path: str, content: bytes | None) -> None:
        self._written[path] = content
        if len(self._written) > MOST_FILES:
            raise AnswerError(f"the answer changes more than {MOST_FILES:,} files")

    def changed(self) -> dict[str, bytes | None]:
        """What differs from the workspace; raises AnswerError if a file would also be a folder."""
        changed = {
            path: content
            for path, content in sorted(self._written.items())
            if content != self.before.get(path)
        }
        files = {path for path in {*self.before, *changed} if self.has(path)}
        folders = {path[:at]: path for path in files for at, letter in enumerate(path) if letter == "/"}
        for path in sorted(files & folders.keys()):
            if path in changed or folders[path] in changed:
                raise AnswerError(f"{path!r} would be a file and the folder of {folders[path]!r}")
        return changed
