"""Pairs of stored answers to vote on, and the standings that follow from the votes."""
