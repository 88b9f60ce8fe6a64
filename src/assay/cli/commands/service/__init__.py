"""Commands for whoever operates an installation."""
