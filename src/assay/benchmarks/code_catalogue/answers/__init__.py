"""Turns the reply of a model into changed files, in memory.

`apply.apply_answer` accepts three kinds of answers and ignores the text around them:

1. Unified diffs, git style or plain, in code blocks or as the end of the reply. Several are applied in order.
2. Search/replace blocks. The path stands on the line before the block or before its code block.
3. Whole files in code blocks that name their path after the language, on the line before, or in a comment on
   their first line.

A reply that mixes them is read as the first kind in this list that it holds. What had to be put right is
recorded as a `Repair`. Anything else that is wrong raises `AnswerError`, unless an option allows a fallback.
"""
