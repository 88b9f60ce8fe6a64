"""Janus streaming: replies of a stated form, whose pace is measured beside their quality."""
