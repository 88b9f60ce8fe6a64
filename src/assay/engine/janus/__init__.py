"""The words of the `janus-bench` command: its suites, its draw of items, its reports."""
