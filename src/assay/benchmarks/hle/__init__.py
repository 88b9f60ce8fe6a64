"""Humanity's Last Exam."""
