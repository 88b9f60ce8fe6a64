"""Benchmark data: from the Hugging Face hub, from files, from samples."""
