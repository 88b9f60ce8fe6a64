"""The supervisor: a small process per slot that starts, watches and ends untrusted programs on this machine.

It imports the standard library and `assay.domain.sandbox` alone, and never runs anything it did not start.
"""
