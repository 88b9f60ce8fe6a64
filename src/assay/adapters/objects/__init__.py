"""Places for files by name: an object store, or a folder of this machine."""
