"""Lays out what the site is made of: the pages of `docs/`, and the files that they link to."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from posixpath import relpath

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
PROJECT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
TYPEFACE = REPOSITORY / "ui/node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"
ASSETS = {
    "tokens.css": REPOSITORY / "ui/src/tokens.css",
    "look.css": Path(__file__).with_name("look.css"),
    "logo.svg": REPOSITORY / "ui/public/favicon.svg",
}
FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s#]+)(?P<after>#[^)\s]*)?(?=\))")
CONTENTS_LINK = re.compile(r"\[(?P<title>[^\]]+)\]\((?P<target>[^)]+\.md)\)")


class LinkError(Exception):
    """A page links to something that cannot be on the site."""


def stage(folder: Path) -> None:
    """Writes pages, assets and configuration into an empty folder."""
    pages = folder / "pages"
    sources = [*DOCS.rglob("*"), *(REPOSITORY / name for name in PROJECT)]
    for source in sorted(path for path in sources if path.is_file()):
        target = pages / place(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = source.read_text(encoding="utf-8")
            target.write_text(page(source, text, pages), encoding="utf-8")
        else:
            shutil.copyfile(source, target)
    assets = pages / "assets"
    assets.mkdir()
    for name, source in ASSETS.items():
        shutil.copyfile(source, assets / name)
    if TYPEFACE.exists():
        shutil.copyfile(TYPEFACE, assets / "inter.woff2")
    settings = Path(__file__).with_name("zensical.toml").read_text(encoding="utf-8")
    configuration = settings.replace("[project]\n", f"[project]\n{navigation()}\n", 1)
    (folder / "zensical.toml").write_text(configuration, encoding="utf-8")


def place(source: Path) -> str:
    """Where a file of the repository is on the site."""
    if source.is_relative_to(DOCS):
        return source.relative_to(DOCS).as_posix().replace("README.md", "index.md")
    if source.name in PROJECT and source.parent == REPOSITORY:
        return f"project/{source.name.lower()}"
    return f"files/{source.relative_to(REPOSITORY).as_posix()}"


def page(source: Path, text: str, pages: Path) -> str:
    """The text of a page, its links those of the site; what it links to beside the pages is copied."""

    def linked(match: re.Match[str]) -> str:
        if re.match(r"[a-z]+:", match["target"]):
            return match[0]
        found = (source.parent / match["target"]).resolve()
        if not found.exists() or not found.is_relative_to(REPOSITORY):
            raise LinkError(f"{source.relative_to(REPOSITORY)}: nothing is at {match['target']!r}")
        if found.is_dir():
            if not found.is_relative_to(DOCS):
                raise LinkError(
                    f"{source.relative_to(REPOSITORY)}: {match['target']!r} is a folder; name a file"
                )
            found = DOCS / "README.md"
        where = place(found)
        if where.startswith("files/"):
            copy = pages / where
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found, copy)
        return (
            f"{match['before']}{relpath(where, Path(place(source)).parent.as_posix())}{match['after'] or ''}"
        )

    return "".join(part if is_code else LINK.sub(linked, part) for is_code, part in parts(text))


def parts(text: str) -> Iterator[tuple[bool, str]]:
    """A text in its order, code blocks and what is between them."""
    position = 0
    for block in FENCE.finditer(text):
        yield False, text[position : block.start()]
        yield True, block[0]
        position = block.end()
    yield False, text[position:]


def navigation() -> str:
    """The contents in `docs/README.md` as a line of TOML: a section for each heading, groups inside it."""
    contents = (DOCS / "README.md").read_text(encoding="utf-8")
    sections = [('{ "Home" = "index.md" }')]
    for part in re.split(r"^## ", contents, flags=re.MULTILINE)[1:]:
        heading, _, rest = part.partition("\n")
        first, *groups = re.split(r"^### ", rest, flags=re.MULTILINE)
        entries = list(links(first))
        for group in groups:
            name, _, inner = group.partition("\n")
            entries.append(f'{{ "{name}" = [{", ".join(links(inner))}] }}')
        sections.append(f'{{ "{heading}" = [{", ".join(entries)}] }}')
    return f"nav = [{', '.join(sections)}]"


def links(text: str) -> Iterator[str]:
    for match in CONTENTS_LINK.finditer(text):
        yield f'{{ "{match["title"]}" = "{place((DOCS / match["target"]).resolve())}" }}'
