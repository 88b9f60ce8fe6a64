"""Files that all machines of an installation share, in an object store."""
