"""Whatever is done to an export, verification fails and names the check."""

import asyncio
import io
import json
import zipfile
from base64 import b64decode, b64encode
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.domain.run import Budget, State
from assay.engine.exports.archive import ArchiveLimits
from assay.engine.exports.bundle import MANIFEST, MEMBERS, PUBLIC_KEY, RESULTS, SIGNATURE, fingerprint_of
from assay.engine.exports.verification.checks import Check, not_proven, proven
from assay.engine.exports.verification.verify import Trust, Verifier
from tests.exports import (
    OTHER_SIGNER,
    SIGNER,
    bench_runner_export,
    bundle,
    content_of,
    exported,
    failed_checks,
    forged,
    members_of,
    verified,
    verifier,
    world,
    zipped,
)

Results = dict[str, Any]


def test_an_untouched_export_is_proven_by_every_check() -> None:
    report = verified(bundle())
    assert [one.status for one in report.findings] == ["passed"] * len(report.findings)
    assert {one.check for one in report.findings} == set(Check) - {Check.ITEM, Check.RESCORE, Check.STOPPING}
    assert report.is_proven
    assert len(proven(report)) == 5
    assert any("graded again" in line for line in not_proven(report))


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_any_flipped_bit_in_any_member_is_found(data: st.DataObject) -> None:
    members = members_of(bundle())
    name = data.draw(st.sampled_from(MEMBERS))
    place = data.draw(st.integers(0, len(members[name]) - 1))
    changed = bytearray(members[name])
    changed[place] ^= 1 << data.draw(st.integers(0, 7))
    report = verified(zipped(members | {name: bytes(changed)}))
    expected = {
        RESULTS: {"results-hash"},
        MANIFEST: {"signature", "archive"},
        SIGNATURE: {"signature"},
        PUBLIC_KEY: {"key"},
    }[name]
    assert failed_checks(report) & expected
    assert report.is_refuted
    assert proven(report) == ()


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_a_changed_byte_of_the_file_is_found_or_changes_nothing(data: st.DataObject) -> None:
    original = bundle()
    place = data.draw(st.integers(0, len(original) - 1))
    changed = bytearray(original)
    changed[place] ^= data.draw(st.integers(1, 255))
    report = verified(bytes(changed))
    if not report.is_refuted:
        assert members_of(bytes(changed)) == members_of(original)


def swap_attempts(results: Results) -> None:
    items = results["benchmarks"][0]["items"]
    items[0], items[1] = items[1], items[0]


def change_score(results: Results) -> None:
    item = next(one for one in results["benchmarks"][0]["items"] if one["score"] == 0.0)
    item |= {"score": 1.0, "outcome": "correct", "is_correct": True}


def drop_attempt(results: Results) -> None:
    del results["benchmarks"][0]["items"][0]


def repeat_attempt(results: Results) -> None:
    items = results["benchmarks"][0]["items"]
    items.insert(0, items[0])


def rename_run(results: Results) -> None:
    results["run"]["id"] = "another-run"


def raise_stated_score(results: Results) -> None:
    results["benchmarks"][0]["score"] = 0.99
    results["benchmarks"][0]["summary"]["score"]["value"] = 0.99


def raise_overall_score(results: Results) -> None:
    results["run"]["overall_score"] = 0.99


def claim_more_evaluations(results: Results) -> None:
    results["run"]["scored_evaluations"] = 7


def raise_accuracy(results: Results) -> None:
    results["benchmarks"][0]["metrics"]["accuracy"] = 0.99


def claim_more_attempts(results: Results) -> None:
    results["benchmarks"][0]["metrics"]["sampled_items"] += 1


def change_prompt(results: Results) -> None:
    results["benchmarks"][0]["items"][0]["prompt"] = "something easier"


def change_generation(results: Results) -> None:
    results["benchmarks"][0]["generation"]["temperature"] = 1.0


def change_served(results: Results) -> None:
    results["benchmarks"][0]["served_by"] = {"models": {"a-better-one": 12}, "system_fingerprints": {}}


def change_cost(results: Results) -> None:
    results["benchmarks"][0]["summary"]["cost_usd"] = "0.01"


CHANGES = [
    (swap_attempts, {"attempts", "merkle"}),
    (change_score, {"merkle", "aggregates"}),
    (drop_attempt, {"merkle", "aggregates"}),
    (repeat_attempt, {"attempts", "merkle", "aggregates"}),
    (rename_run, {"run-id"}),
    (raise_stated_score, {"aggregates"}),
    (raise_overall_score, {"aggregates"}),
    (claim_more_evaluations, {"aggregates"}),
    (raise_accuracy, {"aggregates"}),
    (claim_more_attempts, {"aggregates"}),
    (change_prompt, {"attempts", "merkle"}),
    (change_generation, {"fingerprints"}),
    (change_served, {"aggregates"}),
    (change_cost, {"aggregates"}),
]


@pytest.mark.parametrize(("change", "checks"), CHANGES, ids=lambda value: getattr(value, "__name__", ""))
def test_results_changed_and_hashed_again_are_found(change: Any, checks: set[str]) -> None:
    report = verified(forged(change))
    assert failed_checks(report) >= checks | {"signature"}


@pytest.mark.parametrize(("change", "checks"), CHANGES, ids=lambda value: getattr(value, "__name__", ""))
def test_even_the_holder_of_the_key_cannot_state_what_the_attempts_do_not_give(
    change: Any, checks: set[str]
) -> None:
    assert failed_checks(verified(forged(change, signer=SIGNER))) == checks


def test_a_file_from_before_evaluations_were_counted_is_still_proven() -> None:
    def older(results: Results) -> None:
        results["run"]["overall_score"] = results["benchmarks"][0]["score"]
        del results["run"]["scored_evaluations"], results["run"]["total_evaluations"]
        for one in results["benchmarks"]:
            one["metrics"] = {name: figure["value"] for name, figure in one["summary"]["metrics"].items()}

    assert failed_checks(verified(forged(older, signer=SIGNER))) == set()


def test_a_run_that_ran_out_of_budget_has_no_overall_score() -> None:
    async def paused() -> bytes:
        content = await content_of(world(), budget=Budget(tokens=20), max_connections=1)
        assert content.run.state is State.PAUSED
        return await exported(content)

    file = asyncio.run(paused())
    run = json.loads(members_of(file)[RESULTS])["run"]
    assert (run["overall_score"], run["scored_evaluations"], run["total_evaluations"]) == (None, 0, 1)
    assert failed_checks(verified(file)) == set()


def test_another_key_is_found_even_where_it_signed_everything() -> None:
    report = verified(forged(lambda _results: None, signer=OTHER_SIGNER))
    assert failed_checks(report) == {"key"}
    assert proven(report) == ()


def test_a_replaced_public_key_is_found() -> None:
    members = members_of(bundle()) | {PUBLIC_KEY: b64encode(OTHER_SIGNER.public_key)}
    assert failed_checks(verified(zipped(members))) == {"key", "signature"}


def test_without_a_key_to_expect_nothing_is_said_about_who_signed() -> None:
    report = verified(bundle(), Trust(is_strict=False))
    assert report.status(Check.KEY) == "unknown"
    assert not report.is_refuted
    assert not report.is_proven
    assert "the bundle was signed with the key that you trust" not in proven(report)


def test_a_signature_in_another_spelling_is_refused() -> None:
    members = members_of(bundle())
    text = members[SIGNATURE]
    # The last digit before the padding carries two bits that stand for nothing.
    other = text[:-3] + bytes([text[-3] + 1]) + b"=="
    assert b64decode(other) == b64decode(text)
    assert failed_checks(verified(zipped(members | {SIGNATURE: other}))) == {"signature"}


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "results.json/../x", "notes.txt", "RESULTS.JSON"]
)
def test_members_that_do_not_belong_there_are_refused(name: str) -> None:
    report = verified(zipped(members_of(bundle()) | {name: b"x"}))
    assert failed_checks(report) == {"archive"}


@pytest.mark.parametrize("name", MEMBERS)
def test_missing_members_are_refused(name: str) -> None:
    members = members_of(bundle())
    del members[name]
    report = verified(zipped(members))
    assert failed_checks(report) == {"archive"}
    assert name in report.errors[0]


def test_a_member_twice_is_refused() -> None:
    file = io.BytesIO(bundle())
    with (
        zipfile.ZipFile(file, "a") as archive,
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        archive.writestr(RESULTS, b"{}")
    assert failed_checks(verified(file.getvalue())) == {"archive"}


@pytest.mark.parametrize("content", [b"PK", b"PK\x03\x04", bundle()[:-100]])
def test_a_damaged_archive_is_refused_without_an_exception(content: bytes) -> None:
    assert failed_checks(verified(content)) == {"archive"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a zip",
        b"%PDF-1.7",
        b"PK\x05\x06" + b"\0" * 18,
        zipped({"manifest.json": b"{}", "popup.html": b""}),
        zipped({f"{number}.txt": b"" for number in range(12_000)}),
    ],
)
def test_what_is_something_else_is_neither_proven_nor_refuted(content: bytes) -> None:
    report = verified(content)
    assert (report.is_export, report.is_refuted, report.is_proven) == (False, False, False)
    assert "not an Assay export" in report.errors[0]


def test_an_export_of_an_unknown_format_has_its_signature_checked_and_nothing_else() -> None:
    report = verified(bench_runner_export(SIGNER))
    assert [(one.check.value, one.status) for one in report.findings] == [
        ("archive", "unknown"), ("key", "passed"), ("signature", "passed"),
    ]  # fmt: skip
    assert not report.is_refuted
    changed = members_of(bench_runner_export(SIGNER))
    changed[MANIFEST] = changed[MANIFEST].replace(b'"r"', b'"s"')
    assert failed_checks(verified(zipped(changed))) == {"signature"}
    assert failed_checks(verified(bench_runner_export(OTHER_SIGNER))) == {"key"}


@pytest.mark.parametrize("manifest", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_manifest_that_is_none_is_refused(manifest: bytes) -> None:
    assert failed_checks(verified(zipped(members_of(bundle()) | {MANIFEST: manifest}))) == {"archive"}


@pytest.mark.parametrize(
    "results",
    [
        b"",
        b"[]",
        b"{}",
        b'{"benchmarks":[1]}',
        b'{"benchmarks":[{}]}',
        b'{"benchmarks":[{"items":[]}]}',
        b'{"benchmarks":[{"items":"x"}],"run":{}}',
        b'{"benchmarks":' + b"[" * 100_000,
    ],
)
def test_results_that_are_none_are_refused(results: bytes) -> None:
    failed = failed_checks(verified(zipped(members_of(bundle()) | {RESULTS: results})))
    assert failed >= {"results-hash", "attempts"}


def test_a_bomb_is_given_up_early() -> None:
    """Spaces pack to a thousandth; it must not be read to its end."""
    members = members_of(bundle())
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            if name != RESULTS:
                archive.writestr(name, content)
        with archive.open(RESULTS, "w", force_zip64=True) as member:
            for _ in range(80):
                member.write(b" " * (1 << 20))
    report = verified(file.getvalue())
    assert failed_checks(report) == {"archive"}
    assert "more bytes than is plausible" in report.errors[0]


def test_small_members_may_not_be_large() -> None:
    members = members_of(bundle()) | {SIGNATURE: b"A" * 1_000_000}
    assert failed_checks(verified(zipped(members))) == {"archive"}


async def test_the_limit_of_the_results_is_kept() -> None:
    base = verifier()
    strict = Verifier(base.is_signed_by, base.trust, base.catalogue, ArchiveLimits(results_bytes=1_000))
    report = await strict.verify(io.BytesIO(bundle()))
    assert failed_checks(report) == {"archive"}


def test_the_fingerprint_names_the_key() -> None:
    manifest = json.loads(members_of(bundle())[MANIFEST])
    assert manifest["public_key_fingerprint"] == fingerprint_of(SIGNER.public_key)
    assert manifest["public_key_fingerprint"].startswith(manifest["key_id"])
