"""Reads the weather station by its command-line tool."""
