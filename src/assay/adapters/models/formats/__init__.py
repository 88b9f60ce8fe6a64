"""The wire formats: how requests are written and replies read."""
