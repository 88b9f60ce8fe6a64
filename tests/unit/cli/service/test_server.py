from pathlib import Path

import pytest

from assay.api.endpoint_policy import LOOPBACK
from assay.cli.service.server import endpoint_policy
from assay.settings import Settings


@pytest.mark.parametrize(
    ("given", "is_local", "hosts"),
    [
        (None, True, LOOPBACK),
        (None, False, ()),
        (("gpu-3",), True, ("gpu-3",)),
        (("localhost",), False, ("localhost",)),
    ],
)
def test_beyond_loopback_no_endpoint_is_allowed_by_default(
    tmp_path: Path, given: tuple[str, ...] | None, hosts: tuple[str, ...], *, is_local: bool
) -> None:
    settings = Settings(assay_home=tmp_path, assay_allowed_endpoints=given)
    assert endpoint_policy(settings, is_local=is_local).hosts == hosts


def test_behind_a_proxy_on_this_machine_no_endpoint_is_allowed_by_default(tmp_path: Path) -> None:
    settings = Settings(assay_home=tmp_path, assay_require_login=True)
    assert endpoint_policy(settings, is_local=True).hosts == ()
