"""Follows every link of a built site: pages, anchors, files; and says what would be loaded from elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}
NOT_LOADED = {"canonical", "prev", "next", "alternate"}


@dataclass
class PageLinks(HTMLParser):
    """The anchors of a page, what it links to, and what a browser fetches for it."""

    anchors: set[str] = field(default_factory=set[str])
    links: list[str] = field(default_factory=list[str])
    loaded: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        """Starts the parser."""
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what a tag names or refers to."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        for name, value in given.items():
            if (tag, name) in LOADED and given.get("rel") not in NOT_LOADED:
                self.loaded.append(value)


def faults(site: Path) -> Iterator[str]:
    """What is wrong, a line each: page, link, reason."""
    pages = {path.resolve(): read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its links start at the root of the host, wherever it is shown
        name = path.relative_to(site.resolve())
        for link in page.links:
            if reason := fault(path, link, pages):
                yield f"{name}: {link}: {reason}"
        for link in page.loaded:
            if urlsplit(link).netloc:
                yield f"{name}: {link}: loaded from elsewhere"
            elif reason := fault(path, link, pages):
                yield f"{name}: {link}: {reason}"


def read(path: Path) -> PageLinks:
    page = PageLinks()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def fault(path: Path, link: str, pages: dict[Path, PageLinks]) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None if is_well_formed(link) else "not an address"
    found = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if found.is_dir():
        found /= "index.html"
    if not found.is_file():
        return "leads nowhere"
    if parts.fragment and found in pages and unquote(parts.fragment) not in pages[found].anchors:
        return "no such anchor"
    return None


def is_well_formed(link: str) -> bool:
    """Whether a link beyond the site is complete and encrypted, or of this machine; it is not fetched."""
    parts = urlsplit(link)
    is_local = parts.hostname in {"127.0.0.1", "localhost"}
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and is_local))
