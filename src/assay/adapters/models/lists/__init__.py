"""The models that providers list, and what they can do."""
