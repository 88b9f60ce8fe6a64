"""Says where the tickets of a team are."""
