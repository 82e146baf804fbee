"""Reads from the record who has the roles that a question or its answers may speak of. Read-only."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from agents.proposals.statements import STATED_PREDICATE
from agents.search.death_questions import subject_of
from agents.search.question import RecordQuestion, remove_all_questions
from agents.search.result_validity import is_ended
from agents.search.search_port import RecordSearch, SearchKind, SearchScope
from agents.search.spoken_roles import (
    describe_as_statement,
    find_roles,
    read_held_roles,
    read_role_names,
)
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery
from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity

ROLE_HITS: Final = 30
"""Records of a kind that are read to find who has a role."""
MAX_STATEMENTS: Final = 200
"""Statements of canon about somebody that are read for their roles."""
MAX_NAMED: Final = 6
MAX_HELD_ROLES: Final = 4
"""Those of a question whose roles are read, and the roles of them that are."""


@dataclass(frozen=True, slots=True)
class RoleNames:
    """Reads who has a role: canon, descriptions and turns must give one name for it, and no end of it."""

    canon: CanonReader
    log: LogReader
    record_search: RecordSearch

    async def find_asked(self, question: RecordQuestion, scope: SearchScope) -> dict[str, str]:
        """Return who has the roles that a question speaks of. Raises StoreError."""
        roles = find_roles(question)
        return await self._read_names(roles, scope) if roles else {}

    async def find_held(self, question: RecordQuestion, scope: SearchScope) -> dict[str, str]:
        """Return the roles that those have whom a question names, each with the name. Raises StoreError."""
        entities = await self._read_actors(question.entity_ids[:MAX_NAMED])
        roles: dict[str, str] = {}
        for entity in entities:
            query = FactsAboutQuery(predicate=STATED_PREDICATE, limit=MAX_STATEMENTS)
            facts = await self.canon.facts_about(entity.id, query)
            statements = [
                describe_as_statement(entity.name, entity.description),
                *(fact.statement for fact in facts if subject_of(fact) == entity.id),
            ]
            roles |= {role: entity.name for one in statements for role in read_held_roles(entity.name, one)}
        roles = dict(list(roles.items())[:MAX_HELD_ROLES])
        names = await self._read_names(roles, scope) if roles else {}
        return {role: holder for role, holder in roles.items() if _is_part(names.get(role, ""), holder)}

    async def _read_names(self, roles: Collection[str], scope: SearchScope) -> dict[str, str]:
        nouns = dict.fromkeys(role.partition(" ")[0] for role in roles)
        turn_ids, fact_ids, entity_ids = await gather(
            self._find_ids("turns", nouns, scope),
            self._find_ids("facts", nouns, scope),
            self._find_ids("entities", nouns, scope),
        )
        turns, facts, actors = await gather(
            self.log.turns(turn_ids), self.canon.facts_by_id(fact_ids), self._read_actors(entity_ids)
        )
        facts_on_actors = await self._keep_on_actors(facts.values())
        return read_role_names(
            roles,
            [
                *(remove_all_questions(turn.text) for turn in turns.values()),
                *(fact.statement for fact in facts_on_actors if not is_ended(fact)),
                *(describe_as_statement(actor.name, actor.description) for actor in actors),
            ],
            [fact.statement for fact in facts_on_actors if is_ended(fact)],
        )

    async def _find_ids(self, kind: SearchKind, words: Collection[str], scope: SearchScope) -> set[Id]:
        results = await gather(
            *(self.record_search.search_by_words(kind, word, scope, k=ROLE_HITS) for word in words)
        )
        return {hit.id for result in results for hit in result.hits}

    async def _read_actors(self, ids: Collection[Id]) -> list[Entity]:
        entities = await self.canon.entities_by_id(ids) if ids else {}
        return [entity for entity in entities.values() if entity.kind in ACTORS]

    async def _keep_on_actors(self, facts: Collection[Fact]) -> list[Fact]:
        """Return the facts that are true and on somebody, or on nobody whom canon knows."""
        subject_ids = {subject for fact in facts if (subject := subject_of(fact)) is not None}
        actor_ids = {actor.id for actor in await self._read_actors(subject_ids)}
        return [
            fact
            for fact in facts
            if fact.status is not FactStatus.RETCONNED
            and (subject_of(fact) is None or subject_of(fact) in actor_ids)
        ]


def _is_part(name: str, holder: str) -> bool:
    return bool(name) and set(name.casefold().split()) <= set(holder.casefold().split())
