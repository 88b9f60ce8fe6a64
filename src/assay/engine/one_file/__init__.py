"""Benchmarks that users write in one file: Python with a decorator, or a task of lm-eval."""
