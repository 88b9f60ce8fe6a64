#!/bin/bash
cd /app
last=$(git rev-list -n 1 HEAD -- notes/plan.txt)
git show "$last^:notes/plan.txt" > plan.txt
