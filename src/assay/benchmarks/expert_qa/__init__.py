"""Expert QA: short questions of the user's own, answered in a few words and judged."""
