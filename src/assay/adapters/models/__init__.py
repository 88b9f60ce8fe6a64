"""Models behind OpenAI-compatible endpoints, and simulated ones."""
