import io
import json
from typing import Any

import pytest

from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.engine.exports.bundle import RESULTS
from assay.engine.exports.verification.proof import AttemptSelector, make_proof, verify_proof
from tests.exports import bundle, canonical, failed_checks, forged, members_of, verifier

ATTEMPTS = json.loads(members_of(bundle())[RESULTS])["benchmarks"][0]["items"]


def proof_of(item_id: str = "1", sample: int = 0) -> dict[str, Any]:
    return dict(make_proof(io.BytesIO(bundle()), AttemptSelector(item_id, sample)))


def checked(proof: dict[str, Any], *, item_id: str | None = None) -> set[str]:
    return failed_checks(verify_proof(verifier(), canonical(proof), item_id=item_id)[0])


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda one: f"{one['item_id']}-{one['sample']}")
def test_every_attempt_can_be_proven_alone(attempt: dict[str, Any]) -> None:
    proof = proof_of(attempt["item_id"], attempt["sample"])
    report, shown = verify_proof(verifier(), canonical(proof), item_id=attempt["item_id"])
    assert report.is_proven
    assert shown == attempt


def test_a_proof_shows_nothing_of_the_other_attempts() -> None:
    text = canonical(proof_of("1")).decode()
    assert "Say b." in text
    assert "Say a." not in text


def change_attempt(proof: dict[str, Any]) -> None:
    proof["attempt"] = proof["attempt"].replace('"score":0.0', '"score":1.0').replace("scripted", "other")


def change_index(proof: dict[str, Any]) -> None:
    proof["leaf_index"] += 1


def change_path(proof: dict[str, Any]) -> None:
    proof["path"][0] = "00" * 32


def shorten_path(proof: dict[str, Any]) -> None:
    del proof["path"][0]


def change_manifest(proof: dict[str, Any]) -> None:
    proof["manifest"] = proof["manifest"].replace('"leaves":12', '"leaves":13')


def break_path(proof: dict[str, Any]) -> None:
    proof["path"] = ["zz"]


def drop_path(proof: dict[str, Any]) -> None:
    del proof["path"]


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (change_attempt, "merkle"),
        (change_index, "merkle"),
        (change_path, "merkle"),
        (shorten_path, "merkle"),
        (break_path, "merkle"),
        (change_manifest, "signature"),
        (drop_path, "archive"),
    ],
)
def test_a_changed_proof_is_found(change: Any, check: str) -> None:
    proof = proof_of()
    change(proof)
    assert check in checked(proof)


def test_a_proof_of_another_item_is_told_apart() -> None:
    assert checked(proof_of("1"), item_id="2") == {"item"}


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b"[" * 100_000, b"%PDF-1.7", b"Hello"])
def test_what_is_something_else_is_neither_proven_nor_refuted(content: bytes) -> None:
    report, _attempt = verify_proof(verifier(), content)
    assert (report.is_export, report.is_refuted, report.is_proven) == (False, False, False)
    assert "not an Assay export" in report.errors[0]


@pytest.mark.parametrize("fields", [{}, {"manifest": "{}"}, {"manifest": 5}])
def test_a_broken_proof_is_refused(fields: dict[str, object]) -> None:
    content = json.dumps({"format": "assay-proof/1", **fields}).encode()
    assert failed_checks(verify_proof(verifier(), content)[0]) == {"archive"}


def test_an_unknown_attempt_is_named() -> None:
    with pytest.raises(UnknownNameError, match="nowhere"):
        proof_of("nowhere")
    with pytest.raises(UnknownNameError):
        proof_of("1", 2)


def test_benchmark_and_model_narrow_the_choice() -> None:
    file = io.BytesIO(bundle())
    assert make_proof(file, AttemptSelector("1", 0, "letters", "test/scripted"))["leaf_index"] == 2
    with pytest.raises(UnknownNameError):
        make_proof(io.BytesIO(bundle()), AttemptSelector("1", 0, "other"))


def test_several_attempts_of_one_name_are_not_guessed_between() -> None:
    def double(results: dict[str, Any]) -> None:
        results["benchmarks"].append(results["benchmarks"][0])

    with pytest.raises(InvalidValueError, match="2 attempts"):
        make_proof(io.BytesIO(forged(double)), AttemptSelector("1"))
