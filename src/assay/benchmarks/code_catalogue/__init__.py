"""The code catalogue: tasks in six languages, solved by a patch that hidden tests grade."""
