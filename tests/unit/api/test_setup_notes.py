from dataclasses import replace

import pytest

from assay.api.schemas.catalogue import Benchmark, setup_notes
from assay.domain.benchmark import Need
from assay.engine.planning.needs_setup import SETUP_CARDS
from tests.builders import CARD


@pytest.mark.parametrize("need", Need)
def test_every_need_is_said_before_the_first_run(need: Need) -> None:
    assert setup_notes(replace(CARD, needs=frozenset({need}))).startswith("Needs a")


def test_a_benchmark_that_needs_setup_has_the_fields_of_the_contract() -> None:
    shown = Benchmark.of_setup_card(SETUP_CARDS["critpt"])
    assert (shown.needs_setup, shown.requires_setup, shown.is_enabled) == (True, True, False)
    assert (shown.default_selected, shown.supports_subset, shown.total_items) == (False, False, 70)
    assert "evaluation server" in (shown.setup_notes or "")
