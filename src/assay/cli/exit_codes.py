"""The exit codes of the `assay` command, beside 0."""

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_ENDPOINT = 3
EXIT_STORE = 4
EXIT_WARNING = 5
# What a shell reports for a command that SIGINT or SIGTERM has ended.
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143
