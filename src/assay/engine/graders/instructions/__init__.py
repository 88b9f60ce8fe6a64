"""Grades answers by instructions that a program can verify, as IFEval introduced it: strictly and loosely."""
