#!/bin/bash
# Runs the tests of the files that are named, with commas between.
cd /app
modules=$(echo "$1" | tr ',' '\n' | sed 's/\.py$//; s#/#.#g')
python3 -m unittest -v $modules
