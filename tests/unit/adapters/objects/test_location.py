"""What the setting may name as an object store."""

from pathlib import Path

import pytest

from assay.adapters.objects.location import object_location
from assay.domain.errors import InvalidValueError


@pytest.mark.parametrize(
    ("value", "scheme", "url"),
    [
        ("s3://bucket", "s3", "s3://bucket"),
        ("s3://bucket/a/b/", "s3", "s3://bucket/a/b"),
        ("gs://bucket/a", "gs", "gs://bucket/a"),
        ("az://container/a", "az", "az://container/a"),
        ("file:///srv/my%20files", "file", "file:///srv/my%20files"),
        ("/srv/my files", "file", "file:///srv/my%20files"),
    ],
)
def test_buckets_and_folders(value: str, scheme: str, url: str) -> None:
    found = object_location(value)
    assert (found.scheme, found.url) == (scheme, url)


def test_a_folder_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert object_location("shared").url == (tmp_path / "shared").as_uri()


@pytest.mark.parametrize(
    "value", ["http://host/bucket", "s3://", "file://host/folder", "file:///", "ftp://x/y", "s3://[bucket"]
)
def test_anything_else_is_refused_with_what_fits(value: str) -> None:
    with pytest.raises(InvalidValueError, match=r"ASSAY_OBJECT_STORE must be a folder, .*s3://bucket/prefix"):
        object_location(value)


@pytest.mark.parametrize(
    "value", ["s3://me:hidden@bucket/x", "s3://bucket/x?secret=hidden", "az://c/#hidden"]
)
def test_secrets_in_it_are_refused_and_not_shown(value: str) -> None:
    with pytest.raises(InvalidValueError, match="credentials as variables") as refused:
        object_location(value)
    assert "hidden" not in refused.value.message
