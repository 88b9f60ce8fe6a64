"""Benchmark data: from the Hugging Face hub, from files, or shipped as demo items."""
