"""What `import assay` offers to programs and notebooks, over the engine that the command line uses."""
