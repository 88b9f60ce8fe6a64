"""Which runs a viewer sees."""

import pytest

from assay.domain.access.visibility import Viewer, Visibility
from assay.domain.errors import UnknownNameError
from assay.domain.run import Description, RunId
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter
from tests.contracts.test_run_store_pages import add_run

ADA, NOBODY, STRANGER = Viewer(("user:ada",)), Viewer((None,)), Viewer(is_known=False)


async def fill(store: Stores) -> None:
    for owner, name in (("user:ada", "ada"), ("user:bob", "bob"), (None, "none")):
        for visibility in Visibility:
            run_id = f"{visibility.value}-of-{name}"
            await add_run(
                store,
                run_id,
                ["sim/good"],
                owner=owner,
                description=Description(visibility=visibility),
            )


@pytest.mark.parametrize(
    ("viewer", "private", "others"),
    [
        (ADA, {"ada"}, ["public", "team"]),
        (NOBODY, {"none"}, ["public", "team"]),
        (STRANGER, set[str](), ["public"]),
    ],
)
async def test_a_viewer_sees_their_own_runs_and_what_others_let_them_see(
    store: Stores, viewer: Viewer, private: set[str], others: list[str]
) -> None:
    await fill(store)
    expected = {f"{one}-of-{name}" for one in others for name in ("ada", "bob", "none")}
    expected |= {f"private-of-{name}" for name in private}
    every = [run.id for run in (await store.runs.page(RunFilter())).runs]
    assert len(every) == 9
    seen = store.runs.seen_by(viewer)
    page = await seen.page(RunFilter(limit=5))
    assert page.total == len(expected)
    assert {run.id for run in page.runs} <= expected
    assert {one.run.id for one in (await seen.page_with_outcomes(RunFilter())).runs} == expected
    assert await seen.seen(every) == expected
    assert {run_id for run_id, own in (await seen.evaluations_of(every)).items() if own} == expected
    for run_id in every:
        assert len(await seen.evaluations(run_id)) == (run_id in expected)
        if run_id in expected:
            assert (await seen.get(run_id)).id == run_id
        else:
            for read in (seen.get, seen.get_with_outcomes):
                with pytest.raises(UnknownNameError, match="list the runs"):
                    await read(run_id)


async def test_the_start_of_an_id_means_a_run_that_is_seen(store: Stores) -> None:
    for run_id, visibility in (("abcd-1", Visibility.PRIVATE), ("abcd-2", Visibility.TEAM)):
        await add_run(store, run_id, owner="user:bob", description=Description(visibility=visibility))
    assert (await store.runs.seen_by(ADA).get("abcd")).id == "abcd-2"
    with pytest.raises(UnknownNameError, match="several runs"):
        await store.runs.get("abcd")


async def test_a_change_of_who_sees_a_run_counts_at_once(store: Stores) -> None:
    await add_run(store, "mine", owner="user:bob")
    seen = store.runs.seen_by(ADA)
    assert (await seen.get("mine")).description.visibility is Visibility.TEAM
    await store.runs.describe(RunId("mine"), Description(visibility=Visibility.PRIVATE))
    assert (await seen.page(RunFilter())).total == 0
