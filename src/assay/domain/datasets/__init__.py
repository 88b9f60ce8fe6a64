"""Data sets and benchmarks that users bring."""
