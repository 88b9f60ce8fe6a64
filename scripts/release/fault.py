class ReleaseError(Exception):
    """Carries one sentence: what is wrong, and what to do."""
