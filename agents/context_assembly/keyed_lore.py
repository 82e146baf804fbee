"""Chooses the lore entries of a prompt: those that are always on, then those whose keys stand in the last turns.

They have a token budget of their own; what does not fit is reported. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.llm.prompt_builder import estimate_tokens
from agents.search.retrieval import OmittedItem
from stores.records.canon import Fact, LoreKeys

LORE_BUDGET: Final = 1_000
"""Tokens of all lore entries of one prompt, estimated rather too high than too low."""

MAX_SCANNED_TURNS: Final = 4
"""The last turns in which keys are looked for, besides the player's words."""

MAX_OMISSIONS: Final = 5
"""Entries that did not fit and are named one by one."""

_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Letters of scripts that write no spaces between words, or particles right after them."""


@dataclass(frozen=True, slots=True)
class LoreSelection:
    """The entries to show, and those that did not fit."""

    entries: tuple[Fact, ...] = ()
    omitted_items: tuple[OmittedItem, ...] = ()


def select_lore(lore_facts: Iterable[Fact], texts: Sequence[str], budget: int = LORE_BUDGET) -> LoreSelection:
    """Return the entries that are on for these texts, as far as the budget goes.

    Those that are always on come first, then the others, each by their order, the highest first.
    """
    scanned_text = _fold("\n".join(texts))
    shown_entries: list[Fact] = []
    omitted_items: list[OmittedItem] = []
    free_tokens = budget
    for fact, lore in sorted(
        ((f, f.lore) for f in lore_facts if f.lore is not None and is_on(f.lore, scanned_text)),
        key=lambda pair: (not pair[1].always, -pair[1].order, pair[0].recorded_at, pair[0].id),
    ):
        tokens = estimate_tokens(fact.statement)
        if tokens <= free_tokens:
            shown_entries.append(fact)
            free_tokens -= tokens
        else:
            reason = (
                f"“{lore.title}” left out: {tokens:,} tokens, and {free_tokens:,} of {budget:,} were free"
            )
            omitted_items.append(OmittedItem("lore", reason))
    if (unnamed_count := len(omitted_items) - MAX_OMISSIONS) > 0:
        omitted_items[MAX_OMISSIONS:] = [
            OmittedItem("lore", f"{unnamed_count:,} more left out: the budget is used")
        ]
    return LoreSelection(tuple(shown_entries), tuple(omitted_items))


def is_on(lore: LoreKeys, folded_text: str) -> bool:
    """Return whether an entry belongs into a prompt after this text, which is folded already."""
    if lore.always:
        return True
    has_key = any(_has_word(folded_text, _fold(key)) for key in lore.keys)
    return has_key and (
        not lore.secondary_keys or any(_has_word(folded_text, _fold(key)) for key in lore.secondary_keys)
    )


def _has_word(folded_text: str, folded_key: str) -> bool:
    """Return whether the key stands in the text as a whole word or words."""
    if not folded_key or folded_key not in folded_text:  # nearly always, and much quicker than a pattern
        return False
    before = "" if _UNSPACED.match(folded_key[0]) else r"(?<!\w)"
    after = "" if _UNSPACED.match(folded_key[-1]) else r"(?!\w)"
    return re.search(before + re.escape(folded_key) + after, folded_text) is not None


def _fold(text: str) -> str:
    """Return a text as keys are compared: without case, one spelling for one letter, single spaces and plain quotes."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(folded.split())
