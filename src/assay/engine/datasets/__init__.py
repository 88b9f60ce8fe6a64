"""Users' own data sets as benchmarks."""
