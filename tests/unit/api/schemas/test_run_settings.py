"""How a run was asked for, as it is shown."""

from decimal import Decimal

from assay.api.schemas.run_request import AgentConfig, RunConfig
from assay.api.schemas.run_settings import RunSettings
from assay.domain.agent import AgentLimits, OwnAgent
from assay.domain.calls.messages import Generation
from assay.domain.composite import CompositeRule, Weights
from assay.domain.judging import Judging
from assay.domain.run import RunSpec

SPEC = RunSpec(
    ("vllm/x",),
    ("letters",),
    generation=Generation(temperature=0.5, top_p=0.9, max_tokens=7, reasoning_effort="low"),
    base_url="http://user:secret@127.0.0.1:9/v1?key=hidden",
    judge=Judging(
        ("sim/a", "sim/b"),
        votes=3,
        generation=Generation(temperature=0.0, max_tokens=5),
        base_url="http://other:hidden@127.0.0.1:8/v1",
        timeout_s=30,
    ),
    user_model=Judging(("sim/oracle",)),
    agent=OwnAgent("python /agent/run.py", "/srv/agents/mine", AgentLimits(calls=7, usd=Decimal("0.5"))),
    composite=CompositeRule(Weights(50, 10, 15, 15, 10), 0.5),
    warmup=2,
)


def test_addresses_are_shown_without_what_may_be_secret() -> None:
    shown = RunSettings.of(SPEC)
    assert shown.base_url == "http://127.0.0.1:9/v1"
    assert shown.judge is not None
    assert shown.judge.base_url == "http://127.0.0.1:8/v1"
    assert "secret" not in shown.model_dump_json()
    assert "hidden" not in shown.model_dump_json()


def test_what_is_shown_can_be_asked_for_again() -> None:
    # Values of headers are not shown, and requests take none.
    shown = RunSettings.of(SPEC).model_dump(mode="json", exclude={"headers"})
    config = RunConfig.model_validate(shown | {"data": "demo"})
    assert (config.temperature, config.top_p, config.max_tokens) == (0.5, 0.9, 7)
    assert config.reasoning_effort == "low"
    assert config.user_model == "sim/oracle"
    assert config.composite() == SPEC.composite
    assert config.warmup == 2
    assert config.agent == AgentConfig(
        command="python /agent/run.py", folder="mine", max_calls=7, max_usd=0.5
    )
    assert not isinstance(config.judge, str)
    assert config.judge is not None
    assert SPEC.judge is not None
    assert config.judge.judging().label == SPEC.judge.label
    assert config.judge.timeout_s == 30
