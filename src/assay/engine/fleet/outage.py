"""Work that goes on without the database, and says so once."""

import contextlib
import logging
from collections.abc import Generator

from assay.domain.errors import StoreError

_log = logging.getLogger(__name__)


class Outage:
    """Tolerates a database that is away for a while: logged when it goes and when it is back."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self.is_on = False

    @contextlib.contextmanager
    def tolerated(self) -> Generator[None]:
        try:
            yield
        except StoreError as error:
            if not self.is_on:
                _log.warning("%s fails until the database answers again: %s", self._doing, error.message)
            self.is_on = True
        else:
            if self.is_on:
                _log.warning("%s works again", self._doing)
            self.is_on = False
