"""Annotations of people, and stored answers graded again."""
