"""Janus cost: right answers in few words and with few calls."""
