"""Counts in the prompts of a recorded session what a strong model, put behind the program, had counted. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.llm.prompt_builder import estimate_tokens
from tests.long_model.section_earnings import split_sections

MEMORIES: Final = "What those here remember"
HISTORY: Final = "What came before"
MATTERS: Final = ("Other open matters", "Promised, owed or asked, and still open")
_MEMORY: Final = re.compile(r"^- (?:\[[^\]]*\] )?[^:]{1,60}? remembers?: (?P<words>.+)$")
_STAY: Final = re.compile(
    r"\b(?P<who>[A-Z]\w+(?: [A-Z]\w+)*) is in (?P<where>(?:the )?[A-Z]\w+(?: [A-Z]\w+)*)\."
)


@dataclass(frozen=True, slots=True)
class PromptCounts:
    """What stands in the Narrator's prompts of a session."""

    prompt_count: int
    mean_tokens: float
    largest_sections: tuple[tuple[str, float], ...]
    """The sections with most of the tokens, each with its share."""
    memory_count: int
    repeated_memory_count: int
    """Memories whose words stand elsewhere in the same prompt."""
    question_memory_count: int
    owed_history_count: int
    """Lines on what is promised in the summary of what came before, where a section of its own has them."""
    matter_count: int
    settled_matter_count: int
    two_places_count: int
    """Prompts that have one person in two places."""


def count_prompts(prompts: Sequence[str]) -> PromptCounts:
    """Return the counts of these prompts of the Narrator."""
    sections = [split_sections(prompt) for prompt in prompts]
    tokens: Counter[str] = Counter()
    for texts in sections:
        tokens.update({name: estimate_tokens(text) for name, text in texts.items()})
    memories = [memory for texts in sections for memory in _read_memories(texts)]
    matters = [line for texts in sections for name in MATTERS for line in _lines(texts.get(name, ""))]
    total = sum(map(estimate_tokens, prompts))
    return PromptCounts(
        prompt_count=len(prompts),
        mean_tokens=total / max(1, len(prompts)),
        largest_sections=tuple((name, count / total) for name, count in tokens.most_common(5)),
        memory_count=len(memories),
        repeated_memory_count=sum(is_repeated for _, is_repeated in memories),
        question_memory_count=sum(words.rstrip('”" ').endswith("?") for words, _ in memories),
        owed_history_count=sum(
            "Promised, owed or asked" in line for texts in sections for line in _lines(texts.get(HISTORY, ""))
        ),
        matter_count=len(matters),
        settled_matter_count=sum("SETTLED" in line for line in matters),
        two_places_count=sum(map(_has_somebody_twice, prompts)),
    )


def _read_memories(texts: dict[str, str]) -> Iterator[tuple[str, bool]]:
    """Yield the words of each memory, and whether another section has them, too."""
    others = " ".join(text for name, text in texts.items() if name != MEMORIES).casefold()
    for line in _lines(texts.get(MEMORIES, "")):
        match = _MEMORY.match(line)
        words = match["words"] if match else line.removeprefix("- ")
        yield words, words.strip(" .").casefold() in others


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def _has_somebody_twice(prompt: str) -> bool:
    # What was so when a scene ended is history, and says so.
    sections = split_sections(prompt).items()
    records = "\n".join(text for name, text in sections if name not in ("The last turns", HISTORY))
    places: defaultdict[str, set[str]] = defaultdict(set)
    for match in _STAY.finditer(records):
        places[match["who"]].add(match["where"].removeprefix("the "))
    return any(len(found) > 1 for found in places.values())
