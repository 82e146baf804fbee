"""Tells the sentence that says who killed somebody from one that only says that they are dead. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import build_name_book
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.world import Entity

_NOBODY: Final = frozenset({"", "person", "something", "thing"})
"""Heads of phrases that name no killer: `Somebody killed Dob`."""


def find_killers(statement: str, entities: Iterable[Entity]) -> frozenset[Id | str]:
    """Return who killed somebody by a sentence, by id or noun: `Pell killed Dob`, `Dob was killed by a wolf`."""
    return frozenset(
        claim.subject.entity or claim.subject.head
        for claim in read_statement(statement, build_name_book(entities)).claims
        if claim.relation == "verb:kill"
        and claim.is_affirmed
        and claim.object is not None
        and claim.subject != claim.object
        and (claim.subject.entity or claim.subject.head not in _NOBODY)
    )


def tells_other_killer(death: Fact, known: Fact, entities: Iterable[Entity]) -> bool:
    """Say whether a death is told with a killer whom the known fact of it does not name."""
    entities = tuple(entities)
    killers = find_killers(death.statement, entities)
    return bool(killers) and not killers <= find_killers(known.statement, entities)
