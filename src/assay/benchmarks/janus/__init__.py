"""The five benchmarks of the Janus suite, and the tasks that they share a format for."""
