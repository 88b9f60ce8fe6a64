#!/bin/bash
reward=0
printf 'db 3\nweb 2\ncache 1\nmail 1\n' > /tests/expected.txt
if [ "$(cat /app/report.txt)" = "$(cat /tests/expected.txt)" ]; then
  reward=1
fi
echo $reward > /logs/verifier/reward.txt
