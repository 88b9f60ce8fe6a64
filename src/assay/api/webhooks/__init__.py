"""Notifications about runs that have ended."""
