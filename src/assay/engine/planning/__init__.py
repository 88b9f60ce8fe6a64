"""From a specification to the items, prompts and fingerprints of a run."""
