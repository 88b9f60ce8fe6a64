"""Sends notifications to the addresses that users give."""
