"""Options go into the request body; what the harness sets itself is refused."""

import pytest

from assay.domain.calls.messages import Generation, Message, Prompt, merged_generation, with_system
from assay.domain.calls.request_options import MAX_OPTIONS_LENGTH, parsed_options
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json, digest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("top_k=40", {"top_k": 40}),
        ("min_p=0.05", {"min_p": 0.05}),
        ("user=me=you", {"user": "me=you"}),
        ("note=", {"note": ""}),
        ("safe=false", {"safe": False}),
        ('provider={"order":["a"]}', {"provider": {"order": ["a"]}}),
        ("chat_template_kwargs.enable_thinking=false", {"chat_template_kwargs": {"enable_thinking": False}}),
    ],
)
def test_values_are_json_where_they_parse(text: str, expected: Json) -> None:
    assert parsed_options([text]) == expected


def test_nested_keys_of_one_object_are_joined() -> None:
    assert parsed_options(["provider.order=[1]", "provider.sort=price"]) == {
        "provider": {"order": [1], "sort": "price"}
    }


@pytest.mark.parametrize("text", ["top_k", "=4", "a..b=1", ".a=1"])
def test_what_is_no_key_and_value_is_an_error(text: str) -> None:
    with pytest.raises(InvalidValueError, match=r"is not key=value; for example top_k=40"):
        parsed_options([text])


@pytest.mark.parametrize("name", ["model", "messages", "stream", "stream_options", "tools", "n"])
def test_what_the_harness_needs_cannot_be_overwritten(name: str) -> None:
    with pytest.raises(InvalidValueError, match=rf"option '{name}' is set by Assay in every request"):
        Generation(options={name: 1})


def test_an_option_that_has_a_setting_of_its_own_names_it() -> None:
    with pytest.raises(InvalidValueError, match=r"'max_completion_tokens'.*use the setting 'max_tokens'"):
        Generation(options={"max_completion_tokens": 1})


def nested(depth: int) -> Json:
    return {} if depth == 0 else {"a": nested(depth - 1)}


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (float("nan"), "finite number"),
        (2**63, "64 bits"),
        ("\ud800", "UTF-8"),
        (nested(20), "levels deep"),
        ("x" * MAX_OPTIONS_LENGTH, "bytes as JSON"),
    ],
)
def test_what_cannot_be_sent_is_an_error(value: Json, fault: str) -> None:
    with pytest.raises(InvalidValueError, match=fault):
        Generation(options={"x": value})


def test_settings_without_a_value_do_not_change_the_fingerprint() -> None:
    older: dict[str, Json] = {
        "temperature": 0.5,
        "top_p": None,
        "max_tokens": None,
        "reasoning_effort": None,
        "seed": None,
        "stop": [],
    }
    assert digest(Generation(temperature=0.5).to_json()) == digest(older)
    assert digest(Generation(temperature=0.5, logprobs=False).to_json()) == digest(older)


@pytest.mark.parametrize(
    "wanted",
    [
        Generation(system="Be brief."),
        Generation(stop=("\n",)),
        Generation(seed=1),
        Generation(options={"top_k": 40}),
        Generation(timeout_s=5),
        Generation(retries=0),
        Generation(logprobs=True),
    ],
)
def test_every_setting_changes_the_fingerprint(wanted: Generation) -> None:
    default = Generation(temperature=0.5, max_tokens=16)
    changed = merged_generation(default, wanted)
    assert digest(changed.to_json()) != digest(default.to_json())
    assert changed.temperature == 0.5


def test_a_system_prompt_comes_first_and_joins_the_benchmarks_own() -> None:
    user = Message("user", "hi")
    assert with_system(Prompt((user,)), None) == Prompt((user,))
    assert with_system(Prompt((user,)), "Be brief.").messages == (Message("system", "Be brief."), user)
    both = with_system(Prompt((Message("system", "You count."), user)), "Be brief.")
    assert both.messages == (Message("system", "Be brief.\n\nYou count."), user)


def test_a_system_prompt_is_put_into_complete_bodies_too() -> None:
    body: dict[str, Json] = {"messages": [{"role": "user", "content": "hi"}], "top_k": 1}
    sent = with_system(Prompt.of_body(body), "Be brief.").body
    assert sent == {
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
        "top_k": 1,
    }
