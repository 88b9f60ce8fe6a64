from assay.domain.stats import paired_difference, sentence

WIN, LOSS, BOTH = (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)


def test_better() -> None:
    result = paired_difference([WIN] * 20 + [LOSS] * 2 + [BOTH] * 18)
    assert sentence(result, ours="sim/good", theirs="sim/weak", benchmark="mmlu_pro") == (
        "sim/good is better than sim/weak on mmlu_pro by 45.0 points"
        " (95 % interval 24.7 to 61.6, p = 0.0001, 40 items)."
    )


def test_worse_gives_positive_numbers() -> None:
    result = paired_difference([LOSS] * 20 + [WIN] * 2 + [BOTH] * 18)
    assert sentence(result, ours="A", theirs="B") == (
        "A is worse than B by 45.0 points (95 % interval 24.7 to 61.6, p = 0.0001, 40 items)."
    )


def test_a_very_small_p_value_is_bounded() -> None:
    assert "p < 0.0001," in sentence(paired_difference([WIN] * 40), ours="A", theirs="B")


def test_tied_states_the_margin() -> None:
    result = paired_difference([WIN] * 22 + [LOSS] * 20 + [BOTH] * 2000)
    assert sentence(result, ours="A", theirs="B", benchmark="ifeval") == (
        "A and B are tied on ifeval: A scored 0.1 points higher"
        " (95 % interval -0.5 to 0.8, p = 0.8776, 2,042 items), within 2 points either way."
    )


def test_not_enough_items_states_what_would_show() -> None:
    result = paired_difference([WIN] * 2 + [LOSS] * 3 + [BOTH] * 35)
    assert sentence(result, ours="A", theirs="B", benchmark="gpqa") == (
        "Not enough items to tell A from B on gpqa: A scored 2.5 points lower"
        " (95 % interval -16.0 to 10.5, p = 1, 40 items);"
        " a difference of 22.9 points or more would usually show."
    )


def test_equal_scores_are_not_called_no_difference() -> None:
    text = sentence(paired_difference([BOTH] * 40), ours="A", theirs="B")
    assert text.startswith("Not enough items to tell A from B: both scored the same (")


def test_too_few_items() -> None:
    text = sentence(paired_difference([WIN]), ours="A", theirs="B")
    assert text.endswith("p = 1, 1 item); so few cannot show any difference.")


def test_groups_and_adjusted_p_values_are_named() -> None:
    result = paired_difference([WIN, WIN, BOTH] * 12, [str(index // 3) for index in range(36)])
    text = sentence(result.adjusted(0.0123), ours="A", theirs="B")
    assert "adjusted p = 0.0123, 36 pairs in 12 groups" in text
    assert (
        sentence(paired_difference([WIN, WIN], ["a", "a"]), ours="A", theirs="B").count("2 pairs in 1 group)")
        == 1
    )


def test_a_limit_that_rounds_to_zero_has_no_sign() -> None:
    result = paired_difference([WIN] * 5 + [BOTH] * 25)
    assert "95 % interval 0.0 to" in sentence(result, ours="A", theirs="B")
