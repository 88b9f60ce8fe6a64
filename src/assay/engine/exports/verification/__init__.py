"""Whether an export is what it says: read, recomputed and graded again."""
