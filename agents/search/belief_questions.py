"""Recognizes questions that somebody's memories answer: `What does Bela know of the key?`, `Who told Osk?`. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.search.question import QuestionName, RecordQuestion, has_word_like, normalize_word, word_forms
from stores.records.ids import Id

_VERB: Final = r"(?:know|think|believe|remember|recall|suspect)"
_KNOWS: Final = re.compile(
    rf"^(?:what (?:else )?)?(?:does|did|do) (?P<owner>.+?) (?:really |still |already )?{_VERB}\b",
    re.IGNORECASE,
)
_WAS_TOLD: Final = re.compile(
    r"^(?:what (?:else )?)?(?:was|were|is|has|have) (?P<owner>.+?) (?:been )?told\b", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W_]+")
_ASKING_WORDS: Final = frozenset(
    map(normalize_word, ["know", "think", "believe", "remember", "recall", "suspect", "told", "tell", "true"])
)


def find_believers(question: RecordQuestion) -> frozenset[Id]:
    """Return whose memories the question asks for; empty if it asks for nobody's."""
    name = _find_owner(question)
    return name.entity_ids if name else frozenset()


def is_answered_by_memory(question: RecordQuestion, memory_text: str, about_ids: frozenset[Id]) -> bool:
    """Say whether a memory of the believer is on the matter of the question; any is, if it has none."""
    owner = _find_owner(question)
    memory_forms = word_forms(memory_text)
    other_names = [name for name in question.names if name is not owner]
    matter_words = question.content_words - _ASKING_WORDS
    has_names = all(
        name.entity_ids & about_ids or name.normalized_words <= memory_forms for name in other_names
    )
    has_words = not matter_words or any(has_word_like(word, memory_forms) for word in matter_words)
    return has_names and has_words


def _find_owner(question: RecordQuestion) -> QuestionName | None:
    text = question.text.strip()
    matched = _KNOWS.match(text) or _WAS_TOLD.match(text)
    if matched is None:
        return None
    owner_words = {normalize_word(word.casefold()) for word in _WORD.findall(matched["owner"])} - {"the"}
    return next((name for name in question.names if name.normalized_words == owner_words), None)
