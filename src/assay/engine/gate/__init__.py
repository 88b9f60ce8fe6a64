"""Whether a run is good enough to go on with, for continuous integration."""
