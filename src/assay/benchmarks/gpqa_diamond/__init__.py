"""GPQA Diamond."""
