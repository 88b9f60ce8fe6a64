from decimal import Decimal

import pytest

from assay.adapters.models.formats.usage import parse_usage
from assay.adapters.models.json_text import loads
from assay.domain.calls.messages import Json, Usage


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, Usage()),
        ("many", Usage()),
        ({}, Usage()),
        ({"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}, Usage(5, 7)),
        ({"input_tokens": 5, "output_tokens": 0}, Usage(5, 0)),
        ({"prompt_tokens": 5.0, "completion_tokens": None}, Usage(5)),
        ({"prompt_tokens": True, "completion_tokens": -1}, Usage()),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 7,
                "completion_tokens_details": {"reasoning_tokens": 3},
                "prompt_tokens_details": {"cached_tokens": 2},
            },
            Usage(5, 7, 3, 2),
        ),
        (
            {"output_tokens_details": {"reasoning_tokens": 3}, "input_tokens_details": {"cached_tokens": 2}},
            Usage(None, None, 3, 2),
        ),
        ({"reasoning_tokens": 4, "completion_tokens_details": None}, Usage(reasoning_tokens=4)),
        ({"cost": 0.1}, Usage(reported_cost_usd=Decimal("0.1"))),
        ({"cost": 0}, Usage(reported_cost_usd=Decimal(0))),
        ({"cost_usd": 0.002}, Usage(reported_cost_usd=Decimal("0.002"))),
        ({"cost": "free"}, Usage()),
        (
            {"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.19}},
            Usage(reported_cost_usd=Decimal("0.20")),
        ),
        (
            {"cost": 0.01, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.01}},
            Usage(reported_cost_usd=Decimal("0.01")),
        ),
    ],
)
def test_usage_under_every_name(value: Json, expected: Usage) -> None:
    assert parse_usage(value) == expected


@pytest.mark.parametrize(
    "number",
    [
        *(b"1e400", b"-1e400", b"1e30", b"9223372036854775807", b"1" + b"0" * 400, b"NaN", b"-1", b"[[]]"),
        *(b'"1e-999999"', b'"0e-999999"', b'"0.' + b"1" * 150 + b'"'),
    ],
)
def test_number_that_cannot_be_one_is_unknown_and_noted(
    number: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    for name in (b"completion_tokens", b"prompt_tokens", b"reasoning_tokens", b"cached_tokens", b"cost"):
        assert parse_usage(loads(b'{"%b": %b}' % (name, number))) == Usage()
    assert len(caplog.messages) == 5
    assert "read as unknown" in caplog.text
