"""Reading a benchmark's card."""

from pathlib import Path

import pytest

from assay.domain.benchmark import Card, DataFile, JudgeFacts, Need, Source
from assay.domain.calls.messages import Generation
from assay.domain.errors import InvalidValueError
from assay.engine.planning.card import load_card

CARD = """
name = "capitals"
title = "Capitals"
version = "3"
description = "Asks for capitals."
licence = "CC0-1.0"
size = 12
metric = "accuracy"
chance = 0.25
mode = "official"
deviations = []
grader = "letter/1"
typical_output_tokens = [5, 50]
typical_calls = [2, 3]
category = "Geography"
paper = "https://example.org/paper"
needs = ["judge"]
grading = "heavy"

[source]
repository = "example/capitals"
revision = "abc"
gated = true

[[source.files]]
path = "data/test.parquet"
split = "test"
sha256 = "SHA"

[[source.files]]
path = "data/dev.jsonl"
split = "dev"

[source.local_names]
test = ["questions"]

[generation]
temperature = 0
top_p = 1.0
max_tokens = 100
reasoning_effort = "low"
seed = 7
stop = ["END"]

[judge]
model = "example/judge"
prompt_tokens = 120
output_tokens = [2, 40]

[variants.brief]
title = "Capitals, briefly"
mode = "variant"
deviations = ["shorter prompt"]
chance = 0.5

[variants.brief.generation]
max_tokens = 10
""".replace("SHA", "0" * 64)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, CARD)


def written(folder: Path, text: str) -> Path:
    (folder / "card.toml").write_text(text, encoding="utf-8")
    return folder


def test_every_field_is_read(folder: Path) -> None:
    assert load_card(folder) == Card(
        name="capitals",
        title="Capitals",
        version="3",
        description="Asks for capitals.",
        licence="CC0-1.0",
        source=Source(
            repository="example/capitals",
            revision="abc",
            files=(DataFile("data/test.parquet", "test", "0" * 64), DataFile("data/dev.jsonl", "dev")),
            gated=True,
            local_names={"test": ("questions",)},
        ),
        size=12,
        metric="accuracy",
        chance=0.25,
        mode="official",
        deviations=(),
        grader="letter/1",
        generation=Generation(
            temperature=0.0, top_p=1.0, max_tokens=100, reasoning_effort="low", seed=7, stop=("END",)
        ),
        typical_output_tokens=(5, 50),
        typical_calls=(2, 3),
        category="Geography",
        paper="https://example.org/paper",
        needs=frozenset({Need.JUDGE}),
        grading="heavy",
        judge=JudgeFacts("example/judge", 120, (2, 40)),
    )


def test_optional_keys_have_the_defaults_of_the_card(tmp_path: Path) -> None:
    optional = ("typical_calls", "category", "paper", "needs", "grading", "gated")
    lines = [line for line in CARD.splitlines() if not line.startswith(optional)]
    card = load_card(written(tmp_path, "\n".join(lines)))
    assert (card.category, card.paper, card.needs, card.grading, card.source.gated) == (
        "Core Benchmarks",
        "",
        frozenset(),
        "light",
        False,
    )


def test_a_variant_overrides_what_it_names_and_keeps_the_rest(folder: Path) -> None:
    official, brief = load_card(folder), load_card(folder, variant="brief")
    assert brief.name == "capitals:brief"
    assert (brief.title, brief.mode, brief.chance) == ("Capitals, briefly", "variant", 0.5)
    assert brief.deviations == ("shorter prompt",)
    assert brief.generation == Generation(max_tokens=10)
    assert (brief.source, brief.version, brief.grader) == (official.source, official.version, official.grader)


def test_a_variant_without_a_judge_has_no_facts_of_one(tmp_path: Path) -> None:
    text = CARD.replace('mode = "variant"', 'mode = "variant"\nneeds = []\nsize = 5')
    brief = load_card(written(tmp_path, text), variant="brief")
    assert (brief.needs, brief.judge, brief.size) == (frozenset(), None, 5)


def test_an_unknown_variant_is_an_error_that_lists_the_known_ones(folder: Path) -> None:
    with pytest.raises(InvalidValueError, match="no variant 'long'; the card has: brief"):
        load_card(folder, variant="long")


@pytest.mark.parametrize("key", ["source", "name"])
def test_a_variant_cannot_change_what_identifies_the_data(tmp_path: Path, key: str) -> None:
    text = CARD.replace("[variants.brief]", f"[variants.brief]\n{key} = 1")
    with pytest.raises(InvalidValueError, match=f"key 'variants.brief.{key}' is the same for every variant"):
        load_card(written(tmp_path, text))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "Capitals"', "", "key 'title' is missing"),
        ('title = "Capitals"', 'title = "  "', "key 'title' must be a text that is not empty"),
        ('title = "Capitals"', 'titel = "Capitals"', "key 'title' is missing"),
        ("size = 12", 'size = "12"', "key 'size' must be a whole number, not '12'"),
        ("size = 12", "size = true", "key 'size' must be a whole number, not True"),
        ("size = 12", "size = 0", "key 'size' must be at least 1, not 0"),
        ("chance = 0.25", "chance = 25", "key 'chance' must be from 0 to 1, not 25"),
        ("chance = 0.25", "chance = true", "key 'chance' must be a number, not True"),
        ("chance = 0.25", "chance = nan", "key 'chance' must be from 0 to 1, not nan"),
        ('mode = "official"', 'mode = "fast"', "key 'mode' must be one of 'official', 'variant', not 'fast'"),
        ('needs = ["judge"]', 'needs = ["luck"]', "key 'needs' must be one of 'sandbox',"),
        ("deviations = []", "deviations = [1]", r"key 'deviations' must be an array of texts, not \[1\]"),
        ("deviations = []", 'deviations = ""', "key 'deviations' must be an array, not ''"),
        ("[5, 50]", "[50, 5]", "key 'typical_output_tokens' must be two numbers, the low one first"),
        ("[5, 50]", "[5]", "key 'typical_output_tokens' must be two numbers"),
        ("gated = true", 'gated = "yes"', "key 'source.gated' must be true or false, not 'yes'"),
        ('revision = "abc"', "", "key 'source.revision' is missing"),
        ('split = "dev"', "", r"key 'source.files\[1\].split' is missing"),
        (
            'split = "dev"',
            'split = "dev"\nrows = 3',
            r"key 'source.files\[1\].rows' is not known; known here: path,",
        ),
        ("data/dev.jsonl", "../dev.jsonl", r"key 'source.files\[1\].path' must stay inside the repository"),
        ("data/dev.jsonl", "/etc/passwd", r"key 'source.files\[1\].path' must stay inside the repository"),
        ("0" * 64, "abc", r"key 'source.files\[0\].sha256' must be 64 lower-case hexadecimal digits"),
        ('test = ["questions"]', 'exam = ["q"]', "key 'source.local_names.exam' is not a split of any file"),
        ("max_tokens = 100", "max_tokens = 0", "key 'generation.max_tokens' must be at least 1"),
        ("temperature = 0", "heat = 0", "key 'generation.heat' is not known"),
        ("[source.local_names]", "[source.other_names]", "key 'source.other_names' is not known"),
        ("[generation]", "[generation", "not valid TOML"),
    ],
)
def test_a_faulty_card_is_an_error_that_names_file_and_key(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in CARD
    with pytest.raises(InvalidValueError, match=complaint) as caught:
        load_card(written(tmp_path, CARD.replace(old, new, 1)))
    assert str(tmp_path / "card.toml") in caught.value.message


def test_an_unknown_key_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="key 'colour' is not known; known here: category,"):
        load_card(written(tmp_path, 'colour = "red"\n' + CARD))


def test_variants_must_be_tables(tmp_path: Path) -> None:
    text = CARD.partition("[variants.brief]")[0]
    with pytest.raises(InvalidValueError, match="key 'variants' must be a table"):
        load_card(written(tmp_path, 'variants = "brief"\n' + text))
    with pytest.raises(InvalidValueError, match=r"key 'variants\.brief' must be a table"):
        load_card(written(tmp_path, text + "\n[variants]\nbrief = 1\n"))


def test_a_missing_card_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match=r"card\.toml: the card cannot be read"):
        load_card(tmp_path)


def test_a_source_needs_a_file(tmp_path: Path) -> None:
    head, _, rest = CARD.partition("[[source.files]]")
    text = head + "files = []\n[generation]" + rest.partition("[generation]")[2]
    with pytest.raises(InvalidValueError, match=r"key 'source\.files' names no file"):
        load_card(written(tmp_path, text))
