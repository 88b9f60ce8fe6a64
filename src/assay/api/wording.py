"""Messages in terms of the API: options and commands of the command line are fields and paths there."""

import re
from collections.abc import Mapping
from typing import Final

_WORDS: Final[Mapping[str, str]] = {
    "or name a file with --data": "or upload a data set",
    "--data": "`config.data`",
    "--prompt-field": "`prompt_field`",
    "--answer-field": "`answer_field`",
    "--judge MODEL": "`config.judge`",
    "--judge": "`config.judge`",
    "--user-model MODEL": "`config.user_model`",
    "--user-model": "`config.user_model`",
    "--few-shot": "`config.few_shot`",
    "--agent-command": "`config.agent`",
    "--base-url": "`config.base_url`",
    "`assay benchmarks`": "`GET /api/benchmarks`",
    "`assay datasets list`": "`GET /admin/datasets`",
    "`assay users list`": "`GET /api/admin/users`",
    "`assay resume`": "`PATCH /api/runs/{run_id}`",
    "`assay retry`": "`POST /api/runs/{run_id}/retry`",
    "`assay requeue`": "`POST /api/runs/{run_id}/requeue`",
}
# Longer phrases come before the words they hold. Words of a server, such as `--data-raw`, are left alone.
_ANY_OF_THEM: Final = re.compile("|".join(rf"(?<![\w-]){re.escape(one)}(?![\w-])" for one in _WORDS))


def in_words_of_the_api(message: str) -> str:
    return _ANY_OF_THEM.sub(lambda found: _WORDS[found[0]], message)
