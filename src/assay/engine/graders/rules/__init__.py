"""The graders that users name: in lines of data sets, and in benchmarks of one file."""
