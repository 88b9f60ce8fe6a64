"""Scores with intervals and paired comparisons with tests; standard library only."""

from assay.domain.stats.agreement import Agreement, cohen_kappa, krippendorff_alpha
from assay.domain.stats.betting import BettingTest
from assay.domain.stats.bootstrap import bootstrap_interval
from assay.domain.stats.clusters import clustered_standard_error
from assay.domain.stats.equivalence import (
    EquivalenceResult,
    EquivalenceRule,
    EquivalenceVerdict,
    ItemScores,
    Range,
    equivalence,
    same_model_noise,
)
from assay.domain.stats.estimate import Estimate, Interval, IntervalMethod
from assay.domain.stats.intervals import clopper_pearson, normal_interval, tango, unanimous_interval, wilson
from assay.domain.stats.paired import PairedResult, Verdict, paired_difference
from assay.domain.stats.passk import majority_vote, pass_at_k, pass_hat_k
from assay.domain.stats.power import finite_population_correction, items_needed, pairs_needed, pairs_to_find
from assay.domain.stats.preference import Duel, Strength, bradley_terry
from assay.domain.stats.quantiles import percentile_summary, percentiles
from assay.domain.stats.repeats import RepeatNoise, noise_floor, repeat_noise
from assay.domain.stats.score import missing_bounds, score_estimate
from assay.domain.stats.sequential import (
    BarSequence,
    BarVerdict,
    PairedSequence,
    Population,
    UnitScores,
    paired_limits,
    paired_value,
    score_limits_at,
    single_value,
)
from assay.domain.stats.significance import (
    PairedTest,
    Significance,
    benjamini_hochberg,
    holm,
    mcnemar,
    sign_flip,
)
from assay.domain.stats.wording import evidence, lead, plural, points, sentence

__all__ = [
    "Agreement",
    "BarSequence",
    "BarVerdict",
    "BettingTest",
    "Duel",
    "EquivalenceResult",
    "EquivalenceRule",
    "EquivalenceVerdict",
    "Estimate",
    "Interval",
    "IntervalMethod",
    "ItemScores",
    "PairedResult",
    "PairedSequence",
    "PairedTest",
    "Population",
    "Range",
    "RepeatNoise",
    "Significance",
    "Strength",
    "UnitScores",
    "Verdict",
    "benjamini_hochberg",
    "bootstrap_interval",
    "bradley_terry",
    "clopper_pearson",
    "clustered_standard_error",
    "cohen_kappa",
    "equivalence",
    "evidence",
    "finite_population_correction",
    "holm",
    "items_needed",
    "krippendorff_alpha",
    "lead",
    "majority_vote",
    "mcnemar",
    "missing_bounds",
    "noise_floor",
    "normal_interval",
    "paired_difference",
    "paired_limits",
    "paired_value",
    "pairs_needed",
    "pairs_to_find",
    "pass_at_k",
    "pass_hat_k",
    "percentile_summary",
    "percentiles",
    "plural",
    "points",
    "repeat_noise",
    "same_model_noise",
    "score_estimate",
    "score_limits_at",
    "sentence",
    "sign_flip",
    "single_value",
    "tango",
    "unanimous_interval",
    "wilson",
]
