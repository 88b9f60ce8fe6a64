"""Whatever JSON an export or a proof holds, its verification ends in a report."""

import io
import json
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.api.schemas.exports import VerificationResult
from assay.engine.exports.bundle import MANIFEST, RESULTS, SIGNATURE
from assay.engine.exports.verification.checks import Report
from assay.engine.exports.verification.proof import AttemptSelector, make_proof, verify_proof
from tests.arbitrary_json import any_json, places, replaced
from tests.exports import SIGNER, bundle, canonical, members_of, verified, verifier, zipped

MEMBERS = members_of(bundle())
RESULTS_DOCUMENT, MANIFEST_DOCUMENT = json.loads(MEMBERS[RESULTS]), json.loads(MEMBERS[MANIFEST])
PROOF = make_proof(io.BytesIO(bundle()), AttemptSelector("1"))


def signed(manifest: Any, results: bytes) -> bytes:
    """With a genuine signature, so that nothing stops the verification early."""
    content = canonical(manifest)
    signature = b64encode(SIGNER.sign(content))
    return zipped(MEMBERS | {MANIFEST: content, RESULTS: results, SIGNATURE: signature})


def check(report: Report) -> None:
    assert report.findings
    assert json.loads(VerificationResult.of(report).model_dump_json())["checks"]


@settings(deadline=None, max_examples=60)
@given(place=st.sampled_from(places(RESULTS_DOCUMENT)), value=any_json)
@example(place=("run", "overall_score"), value=10**400)
@example(place=("run", "overall_score"), value=float("inf"))
@example(place=("run", "subset_pct"), value=10**400)
@example(place=("run", "model_slug"), value="\ud800")
def test_any_value_anywhere_in_the_results_gives_a_report(
    place: tuple[str | int, ...], value: object
) -> None:
    results = canonical(replaced(RESULTS_DOCUMENT, place, value))
    hashed = {"results_sha256": sha256(results).hexdigest(), "results_bytes": len(results)}
    check(verified(signed(MANIFEST_DOCUMENT | hashed, results)))


@settings(deadline=None, max_examples=40)
@given(place=st.sampled_from(places(MANIFEST_DOCUMENT)), value=any_json)
def test_any_value_anywhere_in_the_manifest_gives_a_report(
    place: tuple[str | int, ...], value: object
) -> None:
    check(verified(signed(replaced(MANIFEST_DOCUMENT, place, value), MEMBERS[RESULTS])))


@settings(deadline=None, max_examples=40)
@given(place=st.sampled_from(places(PROOF)), value=any_json)
def test_any_value_anywhere_in_a_proof_gives_a_report(place: tuple[str | int, ...], value: object) -> None:
    check(verify_proof(verifier(), canonical(replaced(PROOF, place, value)))[0])


@pytest.mark.parametrize("name", [RESULTS, MANIFEST])
@settings(deadline=None, max_examples=20)
@given(content=st.binary(max_size=60))
def test_any_bytes_in_any_member_give_a_report(name: str, content: bytes) -> None:
    check(verified(zipped(MEMBERS | {name: content})))
