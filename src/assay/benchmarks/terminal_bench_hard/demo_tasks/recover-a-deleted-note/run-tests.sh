#!/bin/bash
python3 -I "$TEST_DIR/run.py"
