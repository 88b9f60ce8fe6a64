"""What a browser must load before it can show anything."""

import gzip
import re

from assay.api.web import installed_ui
from tests.conftest import absent

MOST_BYTES = 200_000


def test_the_first_script_is_small() -> None:
    folder = installed_ui()
    if folder is None:
        absent("the web UI is not installed here; run `uv sync` without ASSAY_SKIP_UI_BUILD")
    page = (folder / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r'(?:src|href)="/ui/(assets/[^"]+\.js)"', page)
    assert scripts
    assert sum(len(gzip.compress((folder / path).read_bytes())) for path in scripts) < MOST_BYTES
