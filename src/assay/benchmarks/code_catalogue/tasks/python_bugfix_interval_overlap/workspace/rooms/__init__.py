"""Bookings of meeting rooms."""
