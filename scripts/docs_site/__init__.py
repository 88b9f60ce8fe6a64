"""Builds the documentation as a web site and checks its links: `python -m scripts.docs_site [FOLDER]`."""
