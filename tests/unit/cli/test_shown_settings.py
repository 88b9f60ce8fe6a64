"""What was sent to the model, in the notes below a run's table."""

import pytest

from assay.cli.output.print_run import print_run
from assay.cli.output.run_report import run_report
from assay.domain.calls.messages import Generation
from tests.builders import World


async def test_settings_are_shown_in_one_line_and_a_long_prompt_is_cut(
    capsys: pytest.CaptureFixture[str],
) -> None:
    world = World()
    asked = Generation(system="Be brief. " * 50, options={"top_k": 4}, stop=("#",), retries=0)
    run = await world.run(generation=asked)
    print_run(await run_report(world.store, run.id))
    shown = " ".join(capsys.readouterr().out.split())
    assert f"system {('Be brief. ' * 8).strip()}" in shown
    assert shown.count("Be brief.") == 8
    assert 'options {"top_k": 4}' in shown
    assert "retries 0" in shown


@pytest.mark.parametrize("is_asked", [True, False])
async def test_how_many_attempts_have_log_probabilities_is_said_where_they_were_asked_for(
    capsys: pytest.CaptureFixture[str], *, is_asked: bool
) -> None:
    world = World()
    run = await world.run(generation=Generation(logprobs=is_asked))
    print_run(await run_report(world.store, run.id))
    shown = capsys.readouterr().out
    assert ("log-probabilities: 0 of 4 attempts have them" in shown) is is_asked
    assert ("logprobs" in shown) is is_asked
