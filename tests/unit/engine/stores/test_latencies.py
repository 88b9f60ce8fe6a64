from assay.engine.stores.latencies import BOUNDS_S, Latencies, Spread


def test_counts_add_up() -> None:
    all_within = Spread((1,) * (len(BOUNDS_S) + 1), 0.09)
    longer = Spread((*([0] * len(BOUNDS_S)), 1), 700.0)
    both = Spread((*([1] * len(BOUNDS_S)), 2), 700.09)
    assert Latencies(all_within) + Latencies(longer, all_within) + Latencies() == Latencies(both, all_within)
