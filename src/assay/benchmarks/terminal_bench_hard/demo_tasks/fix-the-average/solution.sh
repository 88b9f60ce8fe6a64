#!/bin/bash
cat > /app/average.py <<'EOF'
import sys

with open(sys.argv[1]) as file:
    numbers = [float(line) for line in file if line.strip()]
print(f"{sum(numbers) / len(numbers) if numbers else 0:.2f}")
EOF
