set -e
export GIT_AUTHOR_DATE="2025-01-01T00:00:00Z" GIT_COMMITTER_DATE="2025-01-01T00:00:00Z"
git init -q -b main /app
cd /app
git config user.name Somebody
git config user.email somebody@example.org
mkdir notes
printf 'first draft\n' > notes/plan.txt
printf '# Project\n' > README.md
git add .
git commit -q -m "Begin"
printf 'water the plants\nmeasure twice\n\tcut once' > notes/plan.txt
git commit -q -a -m "Revise the plan"
git rm -q notes/plan.txt
printf '# The project\n' > README.md
git add .
git commit -q -m "Tidy up"
