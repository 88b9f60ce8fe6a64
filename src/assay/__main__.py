"""`python -m assay` is the same as `assay`."""

from assay.cli.main import main

main()
