"""What agents of several benchmarks share."""
