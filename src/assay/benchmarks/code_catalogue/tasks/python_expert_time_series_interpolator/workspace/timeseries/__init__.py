"""Brings the samples of sensors onto a regular grid."""

from timeseries.resample import Sample, resample

__all__ = ["Sample", "resample"]
