"""MMLU-Pro."""
