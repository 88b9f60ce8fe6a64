"""Figures for whoever operates the installation."""
