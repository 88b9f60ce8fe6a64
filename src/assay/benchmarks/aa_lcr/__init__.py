"""Artificial Analysis Long Context Reasoning."""
