"""Programs that run in the sandbox with the prepared environment: sent there as text, never imported here."""
