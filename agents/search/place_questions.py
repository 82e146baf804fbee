"""Recognizes questions that the scene in play answers: `Where am I?`, `Where is Bram?`, `Who is here?`. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.search.question import QuestionName, RecordQuestion, word_forms
from stores.records.world import Entity

_NOW: Final = r"(?: (?:right |just )?now| at the moment| currently)?"
_ASKS_WHERE: Final = re.compile(rf"where(?:['’]s| is| am| are) (?P<who>.+?){_NOW}[\s?.!]*", re.IGNORECASE)
_ASKS_WHO_IS_HERE: Final = re.compile(
    rf"who(?:['’]s| is| are)(?: all| else)? (?:here|present|around|with (?:me|us)|in (?:the|this) scene){_NOW}[\s?.!]*",
    re.IGNORECASE,
)
_HERO_WORDS: Final = frozenset({"i", "we"})


def asks_who_is_here(question: RecordQuestion) -> bool:
    """Say whether the question asks who is present."""
    return _ASKS_WHO_IS_HERE.fullmatch(question.text.strip()) is not None


def asks_where_hero_is(question: RecordQuestion) -> bool:
    """Say whether the question asks where the player's character is."""
    matched = _ASKS_WHERE.fullmatch(question.text.strip())
    return matched is not None and matched["who"].casefold() in _HERO_WORDS


def find_sought(question: RecordQuestion) -> tuple[QuestionName, ...]:
    """Return whose whereabouts the question asks for, and nothing else."""
    matched = _ASKS_WHERE.fullmatch(question.text.strip())
    return question.names if matched is not None and not question.content_words else ()


def is_called(entity: Entity, name: QuestionName) -> bool:
    """Say whether a name of the question may mean somebody, of canon or only proposed."""
    return entity.id in name.entity_ids or any(
        name.normalized_words <= word_forms(one) for one in (entity.name, *entity.aliases)
    )
