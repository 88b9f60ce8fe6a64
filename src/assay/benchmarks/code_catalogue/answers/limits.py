"""Limits that keep a hostile reply from taking more than seconds."""

from assay.benchmarks.code_catalogue.answers.answer import AnswerError

MOST_REPLY_BYTES = 8 * 1024 * 1024
MOST_REPLY_LINES = 250_000
MOST_FILE_BYTES = 8 * 1024 * 1024
MOST_FILES = 2000
# Measured: about 3 s at worst. An ordinary answer needs less than a thousandth of it.
_MOST_WORK = 40_000_000


class WorkLimit:
    """Counts the characters copied and compared: unlike time, the same on every machine."""

    def __init__(self) -> None:
        self._left = _MOST_WORK

    def spend(self, characters: int) -> None:
        if not self.allows(characters):
            raise AnswerError("the answer has too many changes to find their places in files of this size")

    def allows(self, characters: int) -> bool:
        """Counts the work if the limit allows it."""
        if characters > self._left:
            return False
        self._left -= characters
        return True
