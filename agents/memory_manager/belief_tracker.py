"""Tracks which facts a stretch of play may mention, and what each character believes of them.

Facts and beliefs are compared as claims, by their fact keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.memory_manager.scene_stretch import SceneStretch
from agents.memory_manager.sentence_claims import SentenceClaim
from stores.records.canon import Fact, FactStatus, Standing
from stores.records.ids import Id
from stores.records.memory import Memory, MemoryOrigin


class ClaimedFact(NamedTuple):
    """A fact with what it claims."""

    fact: Fact
    claim: SentenceClaim
    until_tick: int | None = None
    """World time at which another fact replaces it."""

    @property
    def is_established(self) -> bool:
        hearsay = (Standing.LIE, Standing.RUMOUR)
        return self.fact.status is not FactStatus.RETCONNED and self.fact.standing not in hearsay

    def holds_at(self, tick: int) -> bool:
        fact = self.fact
        began = fact.valid_from is None or fact.valid_from <= tick
        ends = [end for end in (fact.valid_to, self.until_tick) if end is not None]
        return self.is_established and began and all(tick < end for end in ends)


class BeliefTracker:
    """The facts of a stretch, and what its characters have been told so far."""

    def __init__(self, stretch: SceneStretch) -> None:
        self._stretch = stretch
        self._held_claims: dict[tuple[Id, str], dict[Id, tuple[Memory, SentenceClaim]]] = {}
        """What a character believes, by character and fact key."""
        self._linked_pairs: set[tuple[Id, Id]] = set()
        self._corrected_ids: set[Id] = set()
        facts: dict[str, list[ClaimedFact]] = {}
        for fact in stretch.speakable_facts:
            for claim in stretch.claim_reader.read_fact_claims(fact, stretch.ids_by_name):
                facts.setdefault(_lookup_key(claim), []).append(ClaimedFact(fact, claim))
        self._facts_by_key = {place: _sort_with_ends(claimed_facts) for place, claimed_facts in facts.items()}
        for memory in stretch.held_memories:
            self.add_memory(memory)

    def find_fact(self, claims: Sequence[SentenceClaim], tick: int) -> Fact | None:
        """Return the fact that the claims are about, in agreement or not; one that holds at that time comes first."""
        comparable_pairs = [
            (claim, claimed_fact)
            for claim in claims
            for claimed_fact in self._facts_by_key.get(_lookup_key(claim), ())
        ]
        agreeing_facts = [
            claimed_fact for claim, claimed_fact in comparable_pairs if claim == claimed_fact.claim
        ]
        contradicting_facts = [
            claimed_fact for claim, claimed_fact in comparable_pairs if claim.contradicts(claimed_fact.claim)
        ]
        for candidates in (
            [k for k in agreeing_facts if k.holds_at(tick)],
            [k for k in contradicting_facts if k.holds_at(tick)],
            agreeing_facts,
        ):
            if candidates:
                return candidates[-1].fact
        return None

    def read_claims(self, text: str, speaker_id: Id | None) -> list[SentenceClaim]:
        return self._stretch.claim_reader.read_claims(text, self._stretch.ids_by_name, speaker_id)

    def knows_fact(self, entity_id: Id, fact_id: Id) -> bool:
        return (entity_id, fact_id) in self._linked_pairs

    def add_memory(self, memory: Memory) -> None:
        if memory.linked_fact_id:
            self._linked_pairs.add((memory.entity_id, memory.linked_fact_id))
        if memory.corrects:
            self._corrected_ids.add(memory.corrects)
        if memory.how is MemoryOrigin.SAW:
            return  # what was seen is not replaced by hearsay
        for claim in self.read_claims(memory.text, memory.told_by):
            self._held_claims.setdefault((memory.entity_id, claim.fact_key), {})[memory.id] = (memory, claim)

    def find_corrected_id(self, memory: Memory, is_correcting: bool) -> Id | None:
        """Return the character's earlier memory that this one replaces."""
        if memory.how is MemoryOrigin.SAW and memory.linked_fact_id is None:
            return None  # seeing that something was said does not settle whether it is true
        claims = self.read_claims(memory.text, memory.told_by)
        rival_memories = [
            earlier_memory
            for claim in claims
            for earlier_memory, other_claim in self._held_claims.get(
                (memory.entity_id, claim.fact_key), {}
            ).values()
            if claim.contradicts(other_claim)
            and earlier_memory.id != memory.id
            and earlier_memory.tick <= memory.tick
        ]
        for earlier_memory in sorted(rival_memories, key=lambda m: m.tick, reverse=True):
            if earlier_memory.id not in self._corrected_ids and (
                memory.how is not MemoryOrigin.TOLD
                or is_correcting
                or (self._is_right(claims, memory.tick) and not self._was_right(earlier_memory, memory.tick))
            ):
                return earlier_memory.id
        return None

    def _was_right(self, memory: Memory, tick: int) -> bool:
        return self._is_right(self.read_claims(memory.text, memory.told_by), tick)

    def _is_right(self, claims: Sequence[SentenceClaim], tick: int) -> bool:
        return any(
            claim == claimed_fact.claim and claimed_fact.holds_at(tick)
            for claim in claims
            for claimed_fact in self._facts_by_key.get(_lookup_key(claim), ())
        )


def _lookup_key(claim: SentenceClaim) -> str:
    """Return the key under which claims are compared: the fact key, with the words if it stands for words alone."""
    return claim.fact_key + (f"|{claim.value}" if claim.fact_key == "said" else "")


def _sort_with_ends(claimed_facts: Sequence[ClaimedFact]) -> list[ClaimedFact]:
    """Return the facts of one fact key in time order, each with the time at which the next one replaces it.

    Facts that are only proposed replace nothing, but can be told all the same.
    """
    facts_in_time = sorted(
        claimed_facts, key=lambda k: -1 if k.fact.valid_from is None else k.fact.valid_from
    )
    facts_with_ends: list[ClaimedFact] = []
    for n, claimed_fact in enumerate(facts_in_time):
        contradicting_facts = (
            k for k in facts_in_time[n + 1 :] if k.is_established and k.claim.contradicts(claimed_fact.claim)
        )
        next_start = next(
            (k.fact.valid_from for k in contradicting_facts if k.fact.valid_from is not None), None
        )
        facts_with_ends.append(claimed_fact._replace(until_tick=next_start))
    return facts_with_ends
