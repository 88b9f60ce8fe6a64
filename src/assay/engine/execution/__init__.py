"""The life of a run: created, queued, executed shard by shard, controlled, finished."""
