"""From stored attempts to scores, comparisons and leaderboards."""
