"""The documentation builds as a web site without a fault, and its link checker finds faults."""

import re
from pathlib import Path

import pytest

from scripts.docs_site.__main__ import build
from scripts.docs_site.check import faults
from scripts.docs_site.stage import DOCS, PROJECT, LinkError, page

CONTENTS = (DOCS / "README.md").read_text(encoding="utf-8")


def test_the_site_builds_with_every_page_and_no_broken_link(tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert build(site) is None
    pages = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.rglob("*.md")}
    pages |= {f"project/{Path(name).stem.lower()}.html" for name in PROJECT}
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert built - {"404.html", "index.html"} == pages - {"README.html"}
    assert (site / "search.json").is_file()
    assert (site / "files/deploy/prometheus/alerts.yml").is_file()


def test_every_page_is_in_the_contents() -> None:
    linked = set(re.findall(r"\]\(([^)#]+\.md)\)", CONTENTS))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"README.md"}
    assert linked == pages | {f"../{name}" for name in PROJECT}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="other.html#here">', None),
        ('<a href="other.html#there">', "a.html: other.html#there: no such anchor"),
        ('<a href="none.html">', "a.html: none.html: leads nowhere"),
        ('<a href="https://example.org/x">', None),
        ('<a href="http://example.org">', "a.html: http://example.org: not an address"),
        ('<a href="https:///x">', "a.html: https:///x: not an address"),
        ('<img src="none.png">', "a.html: none.png: leads nowhere"),
        (
            '<script src="https://cdn.example.org/x.js">',
            "a.html: https://cdn.example.org/x.js: loaded from elsewhere",
        ),
    ],
)
def test_faults_of_links_are_found(tmp_path: Path, body: str, fault: str | None) -> None:
    (tmp_path / "other.html").write_text('<h2 id="here">Here</h2>')
    (tmp_path / "a.html").write_text(body)
    assert list(faults(tmp_path)) == ([fault] if fault else [])


@pytest.mark.parametrize("target", ["none.md", "../deploy", "../../outside.md"])
def test_links_that_cannot_be_on_the_site_are_refused(tmp_path: Path, target: str) -> None:
    source = DOCS / "from-a-test.md"
    with pytest.raises(LinkError, match=r"docs/from-a-test\.md"):
        page(source, f"see [this]({target})", tmp_path)


def test_links_in_code_are_left_alone(tmp_path: Path) -> None:
    text = "```python\nnames[0](none.md)\n```\n"
    assert page(DOCS / "from-a-test.md", text, tmp_path) == text
