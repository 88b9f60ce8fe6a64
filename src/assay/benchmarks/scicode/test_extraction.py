import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.scicode.extraction import code_in

PIECES = st.sampled_from(
    [
        "import",
        "import ",
        "from",
        "from ",
        " import ",
        "import\n",
        "x",
        "def f():",
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
    ]
)


def official(code: str) -> str:
    return re.sub(r"^\s*(import .*|from .*\s+import\s+.*)", "", code, flags=re.MULTILINE)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_imports_go_as_the_official_pattern_takes_them(code: str) -> None:
    assert code_in(code) == official(code)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("no fence at all", "no fence at all"),
        ("```\nx = 1\n```", "\nx = 1\n"),
        ("```js\n1\n```\n```python\nx = 1\n```\n```python\ny = 2\n```", "\nx = 1\n"),
        ("```python\nx = 1", "\nx = 1"),
        (
            "```python\nimport numpy as np\n\nfrom math import (\n    pi)\nx = pi\n```",
            "\n\n    pi)\nx = pi\n",
        ),
        ("```python\ndef f():\n    import os\n    return 1\n```", "\ndef f():\n\n    return 1\n"),
    ],
)
def test_the_first_block_is_taken(reply: str, code: str) -> None:
    assert code_in(reply) == code


@pytest.mark.parametrize(
    "piece", ["\n", "from ", "from  \n", "import ", "from x import\n", "```", "```python"]
)
def test_a_reply_that_is_far_too_long_has_no_code(piece: str) -> None:
    assert code_in(f"```python\nx = 1\n```{piece * 1_000_000}") == ""
