"""Reads a lore entry as it is typed: its keys, a colon, its text."""

from __future__ import annotations

from typing import Final

from agents.proposals.statements import (
    LORE_PREDICATE,
    MAX_LORE_LENGTH,
    MAX_NAME_LENGTH,
    as_sentence,
    require_statement_length,
)
from agents.sanitize import clean
from stores.errors import InputError
from stores.records.canon import AssertFact, FactKind, LoreKeys

ALWAYS: Final = "always"
"""Typed in place of keys: the entry stands in every prompt."""

TITLE_WORDS: Final = 6


def read_lore(argument: str) -> AssertFact:
    """Return the lore entry of `salt house, salthouse: It stands on piles` or `always: The tide rules here`.

    Raises InputError without keys or without a text.
    """
    keys_text, _, text = argument.partition(":")
    text = require_statement_length(clean(text), MAX_LORE_LENGTH)
    keys = tuple(
        dict.fromkeys(" ".join(clean(key).split())[:MAX_NAME_LENGTH] for key in keys_text.split(","))
    )
    keys = tuple(key for key in keys if key)
    if not keys or not text:
        raise InputError(
            "A lore entry has keys and a text.",
            kept="Nothing was proposed and your words are still in the prompt.",
            todo="Type /lore salt house: It stands on piles. Or /lore always: The tide rules here.",
        )
    always = keys[0].casefold() == ALWAYS and len(keys) == 1
    title = " ".join(text.split()[:TITLE_WORDS]) if always else keys[0]
    return AssertFact(
        fact_kind=FactKind.LORE,
        predicate=LORE_PREDICATE,
        statement=as_sentence(text),
        lore=LoreKeys(title=title, keys=() if always else keys, always=always),
    )
