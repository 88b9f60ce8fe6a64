"""Metrics and figures for operators."""
