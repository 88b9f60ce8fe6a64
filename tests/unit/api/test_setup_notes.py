from dataclasses import replace

import pytest

from assay.api.schemas.catalogue import setup_notes
from assay.domain.benchmark import Need
from tests.builders import CARD


@pytest.mark.parametrize("need", Need)
def test_every_need_is_said_before_the_first_run(need: Need) -> None:
    assert setup_notes(replace(CARD, needs=frozenset({need}))).startswith("Needs a")
