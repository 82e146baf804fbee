"""Statements of proposed facts: their limits, their form as a sentence, and the fact of a move."""

from __future__ import annotations

from collections.abc import Iterable

from agents.name_forms import name_at_start, name_within
from stores.errors import InputError
from stores.records.canon import AssertFact, FactKind, Involvement
from stores.records.ids import Id
from stores.records.world import Entity

STATED_PREDICATE = "stated"
"""The predicate of a fact that is stated in a free sentence."""
LORE_PREDICATE = "lore"
"""The predicate of a lore entry, whose statement is its text."""
MAX_NAME_LENGTH = 80
"""Characters of an entity's name."""

MAX_STATEMENT_LENGTH = 1_000
"""Characters of one statement."""

MAX_LORE_LENGTH = 8_000
"""Characters of the text of one lore entry."""


def as_sentence(text: str) -> str:
    """Return the text as a sentence: a capital first, a full stop last."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…", '"', "”")) else text + "."


def as_question(text: str) -> str:
    """Return the text as a question."""
    return as_sentence(f"{text.rstrip('. ')}?" if not text.endswith("?") else text)


def require_statement_length(text: str, limit: int = MAX_STATEMENT_LENGTH) -> str:
    """Return the text, or raise InputError if it is too long for one statement."""
    if len(text) > limit:
        raise InputError(
            f"That is {len(text):,} characters; one statement holds {limit:,}.",
            kept="Nothing was proposed and your words are still in the prompt.",
            todo="State it in several facts.",
        )
    return text


def build_location_fact(
    entity: Entity, place: Entity, tick: int, *, earlier_stays: Iterable[Id] = ()
) -> AssertFact:
    """Return the fact that an entity is now in a place; a move there ends `earlier_stays`, the facts of stays before.

    Moves of one minute of world time begin at the same tick: without these, nothing would say which came later.
    """
    return AssertFact(
        fact_kind=FactKind.RELATION,
        predicate="located_in",
        statement=f"{name_at_start(entity.name)} is in {name_within(place.name)}.",
        involves=(
            Involvement(role="subject", entity_id=entity.id),
            Involvement(role="object", entity_id=place.id),
        ),
        valid_from=tick,
        ends=tuple(dict.fromkeys(earlier_stays)),
    )
