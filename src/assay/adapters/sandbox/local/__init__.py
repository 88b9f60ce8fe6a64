"""The supervisor: a small process per slot that starts, monitors and ends untrusted programs on this machine.

It imports the standard library and `assay.domain.programs.sandbox` alone, and signals only processes that it
started.
"""
