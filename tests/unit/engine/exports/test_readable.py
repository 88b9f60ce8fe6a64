"""HTML and Markdown for people: complete, escaped, masked, and of a bounded size."""

import re
from html.parser import HTMLParser
from typing import Any

from assay.domain.calls.messages import Completion
from assay.engine.exports.comparison import comparison_content, comparison_html, comparison_markdown
from assay.engine.exports.formats import ExportFormat
from assay.engine.exports.html.items import MAX_SHOWN, shown_per_part
from assay.engine.exports.html.markup import MAX_TEXT_LENGTH
from assay.engine.exports.markdown import plain
from assay.engine.ports import Request
from assay.engine.results.masking import MASKED
from tests.builders import LetterBenchmark, ScriptedModel, World, right
from tests.exports import content_of, exported, gated_content, mixed, world

HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\ud800 | `x` [a](http://b)"
VOID = {"meta", "br", "img", "link", "input"}


class Page(HTMLParser):
    """Tags with their attributes, and what is not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.faults: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.faults += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(tag)


def checked(page: str) -> Page:
    """Fails for markup that is broken, loads something, or runs something."""
    found = Page(page)
    assert found.faults == []
    names = {tag for tag, _ in found.found}
    assert not names & {"script", "img", "link", "iframe", "object", "a", "form"}
    attributes = {name for _, given in found.found for name in given}
    assert not {name for name in attributes if name.startswith("on") or name in {"src", "href"}}
    assert "default-src 'none'" in str(found.found)
    return found


async def page_of(made: World, *, reveal: bool = False, **changes: Any) -> str:
    content = await content_of(made, reveal=reveal, **changes)
    return (await exported(content, ExportFormat.HTML)).decode()


async def test_a_run_is_one_page_with_scores_pictures_and_items() -> None:
    page = await page_of(world())
    found = checked(page)
    assert sum(tag == "svg" for tag, _ in found.found) >= 1
    assert sum(tag == "details" for tag, _ in found.found) == 6 + 1, "each item, and the fingerprint"
    for shown in ("60.0 %", "5 of 6", "Say c.", "the endpoint is on fire", "no letter at all"):
        assert shown in page, shown
    assert page.index("<code>3</code>") < page.index("<code>0</code>"), "what is not right comes first"
    assert "All 6 attempts" in page


async def test_what_a_model_writes_is_text_and_never_markup() -> None:
    def hostile(_request: Request, _number: int) -> Completion:
        return Completion(HOSTILE, reasoning=HOSTILE)

    made = World(benchmark=LetterBenchmark(size=2), model=ScriptedModel(hostile))
    page = await page_of(made)
    checked(page)
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page


async def test_a_page_of_a_large_run_says_what_it_leaves_out() -> None:
    size, text = MAX_SHOWN + 30, "y" * (MAX_TEXT_LENGTH + 5)

    def long(request: Request, number: int) -> Completion:
        return Completion(text) if number % 2 else right(request, number)

    page = await page_of(World(benchmark=LetterBenchmark(size=size), model=ScriptedModel(long)))
    found = checked(page)
    assert sum(tag == "details" for tag, _ in found.found) == MAX_SHOWN + 1
    assert f"{MAX_SHOWN} of {size} attempts" in page
    assert "30 are left out" in page
    assert "--format jsonl" in page
    assert "and 5 more characters" in page
    assert text not in page


def test_a_page_of_many_evaluations_shows_fewer_items_of_each() -> None:
    assert [shown_per_part(parts) for parts in (0, 1, 10, 50, 100_000)] == [100, 100, 100, 20, 5]


async def test_markdown_holds_scores_and_no_text_of_items() -> None:
    text = (await exported(await content_of(world()), ExportFormat.MARKDOWN)).decode()
    assert "| 60.0 % |" in text
    assert "1 unparsed" in text
    assert "Fingerprint" in text
    assert "Say c." not in text
    assert "no letter at all" not in text


def test_names_in_markdown_are_no_markup() -> None:
    escaped = plain(HOSTILE + "\n@owner #12 https://host www.host _x_ __init__ &lt; a_b")
    assert not re.search(r"[<>`\[\]|@\n]|(?<!&)#|://|www\.|&lt;|\b_", escaped)
    assert escaped.endswith(" a_b"), "what is no markup stays readable"


async def test_runs_are_compared_on_one_page_with_the_items_that_differ() -> None:
    made = World(benchmark=LetterBenchmark(size=6), model=ScriptedModel(mixed))
    first = await made.run()
    made.model = ScriptedModel(right)
    second = await made.run()
    content = await comparison_content(
        made.store, made.engine.planner.catalogue, [first.id, second.id[:8]], reveal=False
    )
    page = b"".join([piece async for piece in comparison_html(content)]).decode()
    found = checked(page)
    assert sum(tag == "svg" for tag, _ in found.found) == 2
    assert "2 of 5 shared items were scored differently" in page
    assert sum(tag == "details" for tag, _ in found.found) == 2
    assert "by 100 points" in page
    assert "no letter at all" in page
    text = comparison_markdown(content)
    assert plain(content.comparisons[0].sentence) in text
    assert "-40.0" in text
    assert "no letter at all" not in text


async def test_texts_of_gated_benchmarks_are_masked_unless_revealed() -> None:
    contents = [await gated_content(reveal=reveal) for reveal in (False, True)]
    hidden, shown = [(await exported(one, ExportFormat.HTML)).decode() for one in contents]
    assert MASKED in hidden
    assert "Say a." not in hidden
    assert "Say a." in shown
