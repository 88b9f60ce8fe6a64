"""What an agent did in a repository: its steps with their screens and costs, its changes and their tests."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from playwright.sync_api import Page, expect

from assay.domain.attempt import Call
from assay.domain.calls.messages import Usage
from assay.domain.calls.pricing import Price
from assay.domain.calls.transcript import transcript_text
from assay.domain.outcome import Outcome
from assay.domain.run import Run, RunId, RunSpec, State
from tests.builders import Seeded, attempt
from tests.conftest import absent
from tests.e2e.conftest import OpenTab, finished, served_store
from tests.e2e.test_screens import AXE, fits, violations
from tests.stores import memory_stores

pytestmark = pytest.mark.browser

RUN = "a9e27000-0000-4000-8000-000000000001"
SCREEN = "New output:\n\n$ pytest\n  tests/test_tide.py F.\n  AssertionError: 14:20 != 15:20"
PATCH = """diff --git a/src/tide/clock.py b/src/tide/clock.py
--- a/src/tide/clock.py
+++ b/src/tide/clock.py
@@ -1,2 +1,3 @@
 def high(moment):
-    return moment
+    hour = 1
+    return moment + hour
diff --git a/README.md b/README.md
new file mode 100644
--- /dev/null
+++ b/README.md
@@ -0,0 +1 @@
+Tides.
"""


@pytest.fixture(scope="module")
def agent_site() -> Iterator[str]:
    now = datetime.now(UTC)
    spec = RunSpec(("sim/agent",), ("letters",))
    run = Run(RunId(RUN), spec, now, State.SUCCEEDED, now, now)
    price = Price(Decimal(10), Decimal(100), "list")
    evaluation = replace(Seeded(run).evaluation(model="sim/agent", state=State.SUCCEEDED), price=price)
    calls = tuple(
        Call(now + timedelta(seconds=step), 1_500, status=200, usage=Usage(1_000 * (step + 1), 20))
        for step in range(3)
    )
    commands = [
        {"analysis": f"look {number}", "commands": [{"keystrokes": "pytest\n"}]} for number in range(3)
    ]
    messages = [
        message
        for number, said in enumerate(commands)
        for message in (
            {"role": "user", "content": SCREEN if number == 2 else f"New output:\n\n$ ls {number}"},
            {"role": "assistant", "content": json.dumps(said)},
        )
    ]
    made = replace(
        attempt("1", evaluation_id=evaluation.id, outcome=Outcome.INCORRECT, score=0.0),
        prompt="Mend the clock of the tides.",
        answer=transcript_text(messages, patch=PATCH, agent_ended="done", steps=3),
        extracted=PATCH,
        explanation="1 required tests did not pass: test_ebb",
        details={"agent_ended": "done", "steps": 3, "passed": 7, "missing": ["test_ebb"], "ended": "ok"},
        calls=calls,
    )
    store = memory_stores()
    finished(store.runs.add(run, [evaluation], []))
    finished(store.attempts.add([made]))
    with served_store(store) as address:
        yield f"{address}/ui"


def test_steps_have_their_screens_and_costs_and_are_searched(page: Page, agent_site: str) -> None:
    page.goto(f"{agent_site}/runs/{RUN}/items/1?benchmark=letters&model=sim/agent")
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    expect(steps).to_have_count(3)
    expect(steps.nth(1)).to_contain_text("2,000 in · 20 out · 1.5\N{NARROW NO-BREAK SPACE}s · $0.0220")
    expect(steps.nth(0).get_by_role("region", name="Commands of step 1")).to_contain_text('"keystrokes"')
    screen = page.get_by_role("region", name="Observation of step 2")
    expect(screen).to_have_text(SCREEN)
    page.get_by_role("button", name="Fold all", exact=True).click()
    expect(screen).to_be_hidden()
    page.get_by_role("searchbox", name="Search the steps").fill("assertionERROR")
    expect(steps).to_have_count(1)
    expect(page.get_by_text("1 of 3")).to_be_visible()
    expect(screen).to_be_visible()
    assert page.evaluate("[...CSS.highlights.get('transcript-search')].join()") == "AssertionError"


def test_changes_are_shown_by_folder_beside_the_tests(open_tab: OpenTab, agent_site: str) -> None:
    if not AXE.is_file():
        absent("no axe-core; run `npm --prefix ui ci`")
    page = open_tab(width=1440)
    page.goto(f"{agent_site}/runs/{RUN}/items/1?benchmark=letters&model=sim/agent")
    tests = page.get_by_role("region", name="Tests")
    expect(tests).to_contain_text("7 of 8 passed")
    expect(tests).to_contain_text("test_ebb")
    patch = page.get_by_role("region", name="Patch")
    expect(patch.get_by_text("src/tide/", exact=True)).to_be_visible()
    expect(patch.get_by_role("listitem").filter(has_text="clock.py").first).to_contain_text(
        "+2 \N{MINUS SIGN}1"
    )
    patch.get_by_role("link", name="clock.py").click()
    expect(patch.get_by_role("region", name="Changes of src/tide/clock.py")).to_contain_text("moment + hour")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page) == []
    assert fits(page, 390)
