"""Options of a benchmark of the harness, written as a variant: `code_catalogue:include-tests+thinking=high`.

They are part of the benchmark's name, and so of the fingerprint: results with other options are not
comparable.
"""

import re
from dataclasses import dataclass, replace

from assay.domain.benchmark import Card
from assay.domain.calls.messages import Json

_VALUE = re.compile(r"[A-Za-z0-9_./-]{1,64}")
_BUDGET = re.compile(r"budget_tokens=([1-9][0-9]{0,8})")
_FLAGS = ("include-tests", "incomplete-diffs", "rewrite-fallback")


@dataclass(frozen=True, slots=True)
class Options:
    include_tests: bool = False
    allow_incomplete_diffs: bool = False
    allow_rewrite_fallback: bool = False
    # A word such as `high`, or `budget_tokens=4096`.
    thinking: str | None = None
    provider: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Options | None":
        """None if a part of the text is no option, or if an option is given twice or out of order."""
        given: dict[str, str] = {}
        for part in text.split("+"):
            key, _, value = part.partition("=")
            if key in given:
                return None
            given[key] = value
        options = cls(
            include_tests="include-tests" in given,
            allow_incomplete_diffs="incomplete-diffs" in given,
            allow_rewrite_fallback="rewrite-fallback" in given,
            thinking=given.get("thinking"),
            provider=given.get("provider"),
        )
        return options if text and options.name == text and options._is_valid else None

    @property
    def name(self) -> str:
        """The options in their one order; empty for the defaults."""
        chosen = (self.include_tests, self.allow_incomplete_diffs, self.allow_rewrite_fallback)
        parts = [flag for flag, is_chosen in zip(_FLAGS, chosen, strict=True) if is_chosen]
        parts += [f"thinking={self.thinking}"] if self.thinking is not None else []
        parts += [f"provider={self.provider}"] if self.provider is not None else []
        return "+".join(parts)

    @property
    def _is_valid(self) -> bool:
        thinking = self.thinking is None or bool(
            _BUDGET.fullmatch(self.thinking) or _VALUE.fullmatch(self.thinking)
        )
        return thinking and (self.provider is None or bool(_VALUE.fullmatch(self.provider)))

    @property
    def is_of_code(self) -> bool:
        """Whether an option is given that only patches have a use for."""
        return self.include_tests or self.allow_incomplete_diffs or self.allow_rewrite_fallback

    def card(self, card: Card) -> Card:
        """That of the variant, from the benchmark's own."""
        generation = card.generation
        return replace(
            card,
            name=f"{card.name}:{self.name}",
            mode="variant",
            deviations=(*card.deviations, f"With the options {self.name}."),
            generation=replace(
                generation, reasoning_effort=self.reasoning_effort or generation.reasoning_effort
            ),
        )

    @property
    def reasoning_effort(self) -> str | None:
        return None if self.thinking is None or _BUDGET.fullmatch(self.thinking) else self.thinking

    @property
    def request_fields(self) -> dict[str, Json]:
        """Further fields of the request's body, as OpenRouter names them."""
        fields: dict[str, Json] = {}
        if self.thinking is not None and (budget := _BUDGET.fullmatch(self.thinking)):
            fields["reasoning"] = {"max_tokens": int(budget[1])}
        if self.provider is not None:
            fields["provider"] = {"order": [self.provider], "allow_fallbacks": False}
        return fields
