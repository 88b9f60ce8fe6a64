"""An outage of the database is logged when it begins and when it ends."""

import pytest

from assay.domain.errors import StoreError
from assay.engine.fleet.outage import Outage


def test_an_outage_is_told_once_at_its_beginning_and_once_at_its_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outage = Outage("counting")
    for is_away in (False, True, True, True, False, False, True):
        with outage.tolerated():
            if is_away:
                raise StoreError("the database is away")
        assert outage.is_on is is_away
    begins = "counting fails until the database answers again: the database is away"
    assert caplog.messages == [begins, "counting works again", begins]
