"""Measures what each section of the Narrator's prompts earns: what was needed and stood in no other section.

Without a section, a prompt lacks what only that section has. So one play shows what leaving out each of them
would cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agents.llm.prompt_builder import estimate_tokens

_HEADING: Final = re.compile(r"^## (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FedPrompt:
    """A prompt of the Narrator, and the words that it needed."""

    text: str
    needed_words: tuple[str, ...] = ()


@dataclass
class SectionEarnings:
    """What a section held over all prompts."""

    prompt_count: int = 0
    """Prompts that had the section."""
    token_count: int = 0
    needed_count: int = 0
    """Needed words that it held."""
    needed_here_alone: dict[str, int] = field(default_factory=dict)
    """Needed words that no other section held, and in how many prompts."""

    @property
    def alone_count(self) -> int:
        return sum(self.needed_here_alone.values())

    @property
    def earned_per_1000_tokens(self) -> float:
        """Needed words that would be missing without it, for 1,000 tokens of it."""
        return 1_000 * self.alone_count / max(1, self.token_count)


def split_sections(prompt: str) -> dict[str, str]:
    """Return the texts of a prompt's sections by their headings; what stands before the first is left out."""
    parts = _HEADING.split(prompt)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def measure_sections(prompts: Iterable[FedPrompt]) -> dict[str, SectionEarnings]:
    """Return what each section earns, by its heading, in the order of the prompts."""
    earnings: dict[str, SectionEarnings] = {}
    for prompt in prompts:
        texts = split_sections(prompt.text)
        for heading, text in texts.items():
            section = earnings.setdefault(heading, SectionEarnings())
            section.prompt_count += 1
            section.token_count += estimate_tokens(text)
        for words in prompt.needed_words:
            holding = [heading for heading, text in texts.items() if words in text]
            for heading in holding:
                earnings[heading].needed_count += 1
            if len(holding) == 1:
                alone = earnings[holding[0]].needed_here_alone
                alone[words] = alone.get(words, 0) + 1
    return earnings


def format_earnings(earnings: Mapping[str, SectionEarnings]) -> str:
    """Return the figures as a table in text."""
    lines = [
        f"{'section of the prompt':<44}{'prompts':>8}{'tokens each':>13}{'needed':>8}{'only here':>11}{'/1,000':>8}"
    ]
    for heading, section in sorted(earnings.items(), key=lambda one: -one[1].earned_per_1000_tokens):
        lines.append(
            f"{heading[:43]:<44}{section.prompt_count:>8}{section.token_count / section.prompt_count:>13.0f}"
            f"{section.needed_count:>8}{section.alone_count:>11}{section.earned_per_1000_tokens:>8.1f}"
        )
    return "\n".join(lines)
