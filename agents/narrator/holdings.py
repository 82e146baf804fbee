"""Who has a thing now: the fact that says so, and the facts that it ends. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import LOCATED_IN
from agents.canon_keeper.proposal_subjects import normalize_name
from agents.proposals.statements import STATED_PREDICATE
from stores.records.canon import AssertFact, Fact, FactKind, Involvement
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

HOLDING_VERBS: Final = frozenset(
    {"has", "have", "holds", "hold", "carries", "keeps", "wears", "takes", "has_got"}
)
"""Verbs by which a model says that somebody has a thing."""
_DETERMINER: Final = r"(?:(?:the|a|an|his|her|their|its|my|your) )?"
_HAS: Final = re.compile(
    rf"(?:The )?.{{1,80}}? (?:has|holds|carries|wears) {_DETERMINER}(?P<thing>.+?)\.?", re.I
)
_LIES: Final = re.compile(
    r"(?:The )?(?P<thing>.+?) (?:lies|is|stands|hangs|rests|waits) (?:in|on|under|at|by|inside|behind|beneath) .+",
    re.I,
)
_ARTICLE: Final = re.compile(r"(?:the|a|an|his|her|their|its|my|your)\s+", re.IGNORECASE)


def build_holding(holder: Entity, thing: Entity | None, thing_words: str, tick: int) -> AssertFact:
    """Return the fact that somebody has a thing, which may have no record: then `thing_words` call it."""
    involves = [Involvement(role="subject", entity_id=holder.id)]
    if thing is not None:
        involves.append(Involvement(role="participant", entity_id=thing.id))
    bare_name = _ARTICLE.sub("", thing.name if thing else thing_words, count=1)
    return AssertFact(
        fact_kind=FactKind.ATTRIBUTE,
        predicate=STATED_PREDICATE,
        statement=f"{holder.name} has the {bare_name.rstrip('.')}.",
        involves=tuple(involves),
        valid_from=tick,
    )


def find_former_holdings(
    holding: AssertFact, thing: Entity | None, facts: Iterable[Fact], proposals: Iterable[ProposedChange]
) -> tuple[Id, ...]:
    """Return the facts, of canon and proposed, that say of the thing that somebody has it or that it lies somewhere."""
    thing_name = normalize_name(thing.name if thing else _read_thing(_HAS, holding.statement))
    proposed = ((fact_id_of(p), p.change) for p in proposals if isinstance(p.change, AssertFact))
    statements = [
        *((f.id, f.predicate, f.statement, f.entity("subject")) for f in facts if f.valid_to is None),
        *((fact_id, c.predicate, c.statement, _subject_of(c)) for fact_id, c in proposed),
    ]
    return tuple(
        dict.fromkeys(
            fact_id
            for fact_id, predicate, statement, subject_id in statements
            if (predicate == LOCATED_IN and thing is not None and subject_id == thing.id)
            or (
                predicate == STATED_PREDICATE
                and thing_name
                and thing_name in (normalize_name(_read_thing(p, statement)) for p in (_HAS, _LIES))
            )
        )
    )


def _read_thing(pattern: re.Pattern[str], statement: str) -> str:
    match = pattern.fullmatch(statement.strip())
    return match["thing"] if match else ""


def _subject_of(change: AssertFact) -> Id | None:
    return next((i.entity_id for i in change.involves if i.role == "subject"), None)
