"""Holds back from a chat client the secrets that no hero may know. Pure, but for reading which those are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from agents.canon_keeper.fact_ids import fact_id_of
from agents.context_assembly.known_secrets import fold_secrets
from agents.prose.struck_words import is_stated, strike_statements
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, ProposalQuery
from stores.records.canon import AssertFact, ChangeSecrecy, Fact
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposedChange
from stores.records.world import EntityKind


@dataclass(frozen=True, slots=True)
class HeldBack:
    """The secrets that are held back, in canon and proposed."""

    fact_ids: frozenset[Id] = frozenset()
    proposal_ids: frozenset[Id] = frozenset()
    statements: tuple[str, ...] = ()

    def strike(self, text: str) -> str:
        """Return the text without the sentences that state a secret in its very words, line by line."""
        if not any(is_stated(text, statement) for statement in self.statements):
            return text
        lines = ((line, strike_statements(line, self.statements)) for line in text.split("\n"))
        # A statement may go on over the end of a line: then nothing of the text is left.
        struck_text = "\n".join(struck for line, struck in lines if struck or not line)
        return "" if any(is_stated(struck_text, s) for s in self.statements) else struck_text

    def states_secret(self, text: str) -> bool:
        return any(is_stated(text, statement) for statement in self.statements)


NOTHING_HELD_BACK = HeldBack()


def find_held_back(
    secrets: Iterable[Fact],
    proposals: Collection[ProposedChange],
    proposed_secrets: Iterable[Fact],
    hero_ids: Collection[Id],
) -> HeldBack:
    """Return what is held back: the secrets of canon, and those that proposals would make, that no hero may know.

    What a proposal would reveal is a secret until it is decided.
    """
    hidden = [fact for fact in (*secrets, *proposed_secrets) if not fact.is_known_to_any(hero_ids)]
    hidden_ids = frozenset(fact.id for fact in hidden)
    hiding_proposals = (
        p.id
        for p in proposals
        if (isinstance(p.change, AssertFact) and fact_id_of(p) in hidden_ids)
        or (isinstance(p.change, ChangeSecrecy) and p.change.fact_id in hidden_ids)
    )
    statements = dict.fromkeys(fact.statement for fact in hidden)
    return HeldBack(hidden_ids, frozenset(hiding_proposals), tuple(statements))


async def read_held_back(canon: CanonReader, log: LogReader, universe_id: Id) -> HeldBack:
    """Return what is held back of a universe as it is now. Raises StoreError."""
    secrets = await canon.facts(universe_id, FactQuery(only_secrets=True, history=True))
    proposals = await log.proposals(
        ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES, with_sources=True)
    )
    changed_ids = {p.change.fact_id for p in proposals if isinstance(p.change, ChangeSecrecy)}
    plain_facts = await canon.facts_by_id(changed_ids - {fact.id for fact in secrets})
    proposed_secrets = fold_secrets((), proposals, plain_facts)
    heroes = await canon.entities(universe_id, kind=EntityKind.CHARACTER)
    hero_ids = {hero.id for hero in heroes if hero.is_pc}
    return find_held_back(secrets, proposals, proposed_secrets.values(), hero_ids)
