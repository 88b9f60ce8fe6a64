#!/bin/bash
python3 - <<'EOF'
import collections
import pathlib

counts = collections.Counter(
    line.split(" ")[2]
    for path in pathlib.Path("/app/logs").iterdir()
    for line in path.read_text().splitlines()
    if line.split(" ")[1] == "ERROR"
)
lines = [f"{name} {count}\n" for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]
pathlib.Path("/app/report.txt").write_text("".join(lines))
EOF
