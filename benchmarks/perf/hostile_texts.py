"""Texts that are slow to grade: one piece over and over, and texts that never repeat themselves."""

import random
import string
from collections.abc import Callable, Iterator, Mapping

BYTES = 1_000_000
# fmt: off
PIECES = (
    "a", "A", " ", "\n", ",", '"', "'", "*", "*a ", "a. ", "A. ", "a.", "é", "éa ", "🙂", "🙂. ", "1",
    "1 ", "[", "[]", "<<", "<<a>>", "***", "*** a ", "{", '{"a":', "a b ", "aB", "a\n", "a\n\n",
    "* a\n", "- a\n", "*\n", "gull ", "p. ", "and ", "he ", "? ", "! ", "?!", "a? B. ", "Ab cd. ",
    "日本 ", "((", "()", "([{", "'\"", "<i>", "1,", "Question 1 ", "-", "--", "a@", "level ", "...",
    ". . ", "Mr. X. ", "can't ", "http://a ", "a.b@c.d ", "\t", "Zimbabwe\n", "Emma ", "1805-01-01,",
    "The tide, it *turns*. ", r"\boxed{", "Answer: ", "A is the correct ", "\u0301\u0316",
)
# For graders that look for a statement, a program, or reasoning to leave out.
REPLY_PIECES = (
    "A ", "A.", "A)", "(A) ", "AA.", "A\n", "A" + " " * 5_000, "Answer:" + " " * 5_000, "ANSWER",
    "Answer: A ", "Answer: K\n", "answer is ", "answer is (", "answer is (K) ", "The answer is A or B. ",
    "B is the correct one. ", "answer is is ", "answer - ", "so ", "Step 1 ", "1. ", "1,000,", "0", "3/",
    r"\boxed{}", r"\boxed{1}", r"\boxed{A", r"\boxed{\boxed{", r"\fbox{a}", r"\text{", r"\text{a}",
    r"\frac{1}{2}", "$", "\\", "}", "{}", "{1}", "box", "<think>", "<thin", "</think>", "`</think>` ",
    "<think></think>", "<|channel|>", "[THINK]", "<answer>", "```", "```\n", "```python\n", "import a\n",
    "from a import b\n", "from a ", "from a\n", "\n from ", "a: \n", "correct: \n", "reasoning:\n", ":",
    "[1,", "\\u", '"\\', "\u1e9b\u0323", "\u0130", "\ufdfa", "\0",
)
_ABBREVIATIONS = "mr dr e.g i.e st prof u.s a.m vs inc jr gen sen".split()  # noqa: SIM905 - reads best as text
# fmt: on
_SEPARATORS = ("", "", "\x1c", "\x1f ", "\n\x1e\n", "\u2003", "\u00a0 ", "\u2028", "\x85")
_LETTERS_BEYOND_ASCII = "àçéîñöüßæøżžдлжшщαβγδωאבגדعربيةहिन्दी日本語漢字한국어"

Source = random.Random


def repeated(piece: str, size: int = BYTES) -> str:
    return piece * (size // len(piece.encode()))


def between_lines(text: str) -> str:
    """The text within other lines that have stars, so that all loose variants of an answer differ."""
    return f"Sure*é\n{text}\nx\nBye, bye. *x* Bye"


def varied(size: int = BYTES) -> Mapping[str, str]:
    """Each text is made of pieces drawn one by one, always the same ones."""
    return {name: _drawn(pieces, size) for name, pieces in _VARIED.items()}


def varied_replies(size: int = BYTES) -> Mapping[str, str]:
    """Texts of that kind for graders that look for a statement, a program, or reasoning to leave out."""
    replies = {name: _drawn(pieces, size) for name, pieces in _REPLIES.items()}
    return {**replies, "a JSON array": f"[{replies['JSON members']}0]"}


def _drawn(pieces: Callable[[Source], Iterator[str]], size: int) -> str:
    source = random.Random(0)  # noqa: S311 - the same texts each time
    drawn: list[str] = []
    missing = size
    while missing > 0:
        for piece in pieces(source):
            drawn.append(piece)
            missing -= len(piece.encode())
    return "".join(drawn)


def _word(source: Source, shortest: int = 2, longest: int = 9) -> str:
    return "".join(source.choices(string.ascii_lowercase, k=source.randint(shortest, longest)))


def _sentence(source: Source, words: int, ends: str = ".?!") -> str:
    drawn = " ".join(_word(source) for _ in range(words))
    return f"{drawn.capitalize()}{source.choice(ends)} "


def _prose(source: Source) -> Iterator[str]:
    yield _sentence(source, source.randint(4, 16))


def _terse(source: Source) -> Iterator[str]:
    yield _sentence(source, source.randint(1, 2))


def _of_five_words(source: Source) -> Iterator[str]:
    yield _sentence(source, 5)


def _quoted(source: Source) -> Iterator[str]:
    first, second, third = (_word(source) for _ in range(3))
    form = source.choice(
        ('"{}, {}," said {}. ', "({} {}'s {}!) ", "{}-{}: don't {}; ", "“{}” cannot {} {}… ", "[{} {}] {}? ")
    )
    yield form.format(first.capitalize(), second, third)


def _initials(source: Source) -> Iterator[str]:
    yield f"{source.choice(string.ascii_letters)}{source.choice('.?!')} "


def _abbreviated(source: Source) -> Iterator[str]:
    yield f"{source.choice(_ABBREVIATIONS).capitalize()}. {_word(source).capitalize()} "


def _numbers(source: Source) -> Iterator[str]:
    yield f"{source.randint(0, 99_999)}{source.choice(('. ', ', ', '.', ' ', '! '))}"


def _lines(source: Source) -> Iterator[str]:
    yield f"{source.choice(('', '* ', '- ', '  '))}{_sentence(source, source.randint(1, 5))}\n"


def _printable(source: Source) -> Iterator[str]:
    yield "".join(source.choices(string.printable[:95], k=1000))


def _marks(source: Source) -> Iterator[str]:
    yield "".join(source.choices(string.punctuation + "a ", k=1000))


def _unbroken(source: Source) -> Iterator[str]:
    yield "".join(source.choices(string.punctuation, k=1000))


def _separated(source: Source) -> Iterator[str]:
    """With what is white space to some and not to others."""
    yield f"{_sentence(source, source.randint(1, 9))}{source.choice(_SEPARATORS)}"


def _ends(source: Source) -> Iterator[str]:
    yield "".join(source.choices(".?! \"')aB", k=1000))


def _letters(source: Source) -> Iterator[str]:
    yield "".join(source.choices(_LETTERS_BEYOND_ASCII + "abc    .?!,", k=1000))


def _any_characters(source: Source) -> Iterator[str]:
    codes = [
        source.choice((source.randrange(32, 0x3000), source.randrange(0x1F300, 0x1F700))) for _ in range(9)
    ]
    yield "".join(map(chr, codes))
    yield source.choice((" ", ". ", "\n"))


def _with_emoji(source: Source) -> Iterator[str]:
    yield f"{_word(source).capitalize()} {_word(source)} {source.choice('🙂🎉🐟🌊')}. "


def _chained(source: Source) -> Iterator[str]:
    word = _word(source)
    yield f"{word}. {word.capitalize()} "


def _title(source: Source) -> Iterator[str]:
    yield _sentence(source, source.randint(2, 9)).title()


def _capitals(source: Source) -> Iterator[str]:
    yield _sentence(source, source.randint(2, 9)).upper()


def _pronouns(source: Source) -> Iterator[str]:
    yield f"{_word(source)}/{source.choice(('cannot', 'he', 'she', 'gimme'))} {_word(source)}, "


def _stated(source: Source) -> Iterator[str]:
    letter, other, word = source.choice(_CHOICES), source.choice(_CHOICES), _word(source)
    form = source.choice(
        (
            "The answer is ({} {}. ",
            "answer is {}{} ",
            "{} is the correct {}, ",
            "so {}, or {}? ",
            "the {} answer: ({}) or (B)\n",
            "I choose {} {}. ",
            "({}) {}.\n",
        )
    )
    yield form.format(*source.sample((letter, other, word), 2))


def _labels(source: Source) -> Iterator[str]:
    label = source.choice(
        ("Answer:", "answer:", "ANSWER :", "**Answer**: ", "Answer:\n", "Answer: $", "Final Answer:")
    )
    letter, after = source.choice(_CHOICES), source.choice(("", " ", "1", "\n", "nswer:"))
    yield f"{label}{' ' * source.randint(0, 3)}{letter}{after}"


def _boxes(source: Source) -> Iterator[str]:
    opening = source.choice((r"\boxed{", r"\fbox{", r"\framebox{", "boxed{", r"\boxed {", "{", ""))
    content = source.choice((_word(source), str(source.randint(0, 999)), "A", ""))
    yield f"{opening}{content}{source.choice(('}', '}}', ''))}"


def _latex(source: Source) -> Iterator[str]:
    yield source.choice(
        (
            r"\frac{",
            r"\text{",
            r"\mathrm{",
            "{",
            "}",
            "}",
            "$",
            "$$",
            "\\",
            r"\left(",
            r"\right)",
            "^",
            "_",
            r"\,",
            " ",
            "=",
            "\n",
        )
    )
    yield source.choice((_word(source, 1, 3), str(source.randint(0, 10**9)), ""))


def _digits(source: Source) -> Iterator[str]:
    yield "".join(source.choices(string.digits, k=source.choice((1, 3, 4, 70, 5000))))
    yield source.choice((",", ".", " ", "/", "-", "e", "^", "\n", ", ", " = ", ". "))


def _tags(source: Source) -> Iterator[str]:
    name = source.choice(("think", "thinking", "thought", "reasoning", "answer", "THINK"))
    form = source.choice(("<{}>", "</{}>", "`</{}>`", "[{}]", "[/{}]", "<{}", "'<{}>'", "<|{}|>"))
    yield f"{form.format(name)}{source.choice(('', ' ', chr(10), _word(source)))}"


def _fences(source: Source) -> Iterator[str]:
    yield source.choice(("```", "```\n", "```python\n", "`", "``", " ```json\n"))
    yield source.choice(("", f"{_word(source)} = {source.randint(0, 99)}\n", "\n", "</think>"))


def _program(source: Source) -> Iterator[str]:
    word = _word(source)
    form = source.choice(
        (
            "import {}\n",
            "from {}\n",
            "from {} import a\n",
            "  from {} import \n",
            "from x import\n\n{}\n",
            "{} = 1\n",
            "\n \n",
            "{}\n",
        )
    )
    yield form.format(word)


def _fields(source: Source) -> Iterator[str]:
    name = source.choice(("reasoning", "**Confidence**", "extracted_final_answer", "- strict", _word(source)))
    yield f"{name}{source.choice((': ', ':', ' '))}{source.choice(('yes', 'no', _word(source)))}\n"


def _json_members(source: Source) -> Iterator[str]:
    number, word = source.randint(0, 99_999), _word(source)
    yield source.choice(
        (
            f"{number},",
            "[],",
            f'{{"{word}":{number}}},',
            f'"{word}\\u00e9",',
            "null,",
            f"[[{number}]],",
            "1e9,",
        )
    )


_CHOICES = string.ascii_uppercase[:12] + "aj\u017f1"
_REPLIES: Mapping[str, Callable[[Source], Iterator[str]]] = {
    "statements": _stated,
    "labels": _labels,
    "boxes": _boxes,
    "LaTeX": _latex,
    "digits": _digits,
    "tags": _tags,
    "fences": _fences,
    "a program": _program,
    "fields": _fields,
    "JSON members": _json_members,
}
_VARIED: Mapping[str, Callable[[Source], Iterator[str]]] = {
    "prose": _prose,
    "terse sentences": _terse,
    "sentences of five words": _of_five_words,
    "quoted": _quoted,
    "initials": _initials,
    "abbreviations": _abbreviated,
    "numbers": _numbers,
    "lines": _lines,
    "printable characters": _printable,
    "marks": _marks,
    "unbroken marks": _unbroken,
    "separated sentences": _separated,
    "sentence ends": _ends,
    "letters beyond ASCII": _letters,
    "any characters": _any_characters,
    "emoji": _with_emoji,
    "chained sentences": _chained,
    "title case": _title,
    "capitals": _capitals,
    "pronouns": _pronouns,
}
