"""Reads which event says when: `on the night of the fire`, `before the wedding`. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, assert_never

from agents.search.normal_words import STOP_WORDS, equivalent_forms, has_word_like, word_forms
from agents.search.question import RecordQuestion
from agents.search.turn_ranking import turn_time_order
from stores.records.ids import Id
from stores.records.play import Turn

_EVENT: Final = (
    r"(?:(?:on|in) the (?:very )?(?:night|day|morning|evening|afternoon|week|eve|time) of"
    r"|(?:(?<!the )(?:right|just|shortly|soon|long) )?"
    r"(?P<relation>during|before|after|since)) (?P<event>(?:the|my|our|his|her|their|[^\W_]+['’]s?) [^,?]+?)"
)
_AT_END: Final = re.compile(rf" {_EVENT}[\s?.!]*$", re.IGNORECASE)
_AT_BEGINNING: Final = re.compile(rf"^{_EVENT}, ", re.IGNORECASE)


class EventRelation(StrEnum):
    """How what is asked stands to an event in time."""

    DURING = "during"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class AskedEvent:
    """An event that says when something is asked to have been."""

    relation: EventRelation
    text: str
    """As the question has it: `the fire`."""
    forms: frozenset[str]
    """Its words in normal form."""
    other_question: RecordQuestion
    """What is asked, without the event."""

    @property
    def words(self) -> str:
        """What to search for: the words for it, and others that say the same."""
        other_words = frozenset[str]().union(*map(equivalent_forms, self.forms))
        return " ".join((self.text, *sorted(other_words)))

    def is_told_in(self, text: str) -> bool:
        """Say whether a text speaks of the event, in these or other words."""
        text_forms = word_forms(text)
        return all(has_word_like(form, text_forms) for form in self.forms)

    def includes(self, turn: Turn, event_turns: Collection[Turn]) -> bool:
        """Say whether a turn stands so to one of those that tell of the event: in the scene of one, or before one."""
        match self.relation:
            case EventRelation.DURING:
                return any(turn.scene_id == event_turn.scene_id for event_turn in event_turns)
            case EventRelation.BEFORE:
                return any(turn_time_order(turn) < turn_time_order(event_turn) for event_turn in event_turns)
            case EventRelation.AFTER:
                return any(turn_time_order(turn) > turn_time_order(event_turn) for event_turn in event_turns)
            case _:
                assert_never(self.relation)


def read_asked_event(question: RecordQuestion) -> AskedEvent | None:
    """Return the event by which a question says when; None if it names none, or asks for nothing beside it."""
    matched = _AT_END.search(question.text) or _AT_BEGINNING.match(question.text)
    if matched is None:
        return None
    forms = word_forms(matched["event"]) - STOP_WORDS
    other_text = f"{question.text[: matched.start()]} {question.text[matched.end() :]}".strip()
    other_forms = word_forms(other_text)
    other_question = replace(
        question,
        text=f"{other_text.rstrip('?')}?",
        content_words=question.content_words & other_forms,
        names=tuple(name for name in question.names if name.normalized_words <= other_forms),
    )
    if not forms or other_question.is_empty:
        return None
    return AskedEvent(
        _RELATIONS[(matched["relation"] or "").casefold()], matched["event"], forms, other_question
    )


def find_event_scene(telling_turns: Collection[Turn]) -> list[Turn]:
    """Return those turns that stand in the scene of the event: where most tell of it, or the first such scene."""
    turns_by_scene: dict[Id, list[Turn]] = {}
    for turn in sorted(telling_turns, key=turn_time_order):
        turns_by_scene.setdefault(turn.scene_id, []).append(turn)
    return max(turns_by_scene.values(), key=len, default=[])


_RELATIONS: Final = {
    "": EventRelation.DURING,
    "during": EventRelation.DURING,
    "before": EventRelation.BEFORE,
    "after": EventRelation.AFTER,
    "since": EventRelation.AFTER,
}
