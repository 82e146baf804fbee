"""What may be spoken of, and what each one holds of it: claims by their slots. Pure.

Source: design/product.md, "Truth against belief".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.memory_manager.claims import Claim
from agents.memory_manager.lived import Lived
from stores.records.canon import Fact, FactStatus, Standing
from stores.records.ids import Id
from stores.records.memory import How, Memory


class Known(NamedTuple):
    """What a fact claims; `until` (ticks) another one takes its place."""

    fact: Fact
    claim: Claim
    until: int | None = None

    @property
    def counts(self) -> bool:
        hearsay = (Standing.LIE, Standing.RUMOUR)
        return self.fact.status is not FactStatus.RETCONNED and self.fact.standing not in hearsay

    def holds(self, tick: int) -> bool:
        fact = self.fact
        began = fact.valid_from is None or fact.valid_from <= tick
        ends = [end for end in (fact.valid_to, self.until) if end is not None]
        return self.counts and began and all(tick < end for end in ends)


class Beliefs:
    """The facts of a stretch, and what those who live it are told; what is noted on the way counts for what
    comes after."""

    def __init__(self, lived: Lived) -> None:
        self._lived = lived
        self._read: dict[tuple[str, Id | None], list[Claim]] = {}
        self._held: dict[tuple[Id, str], dict[Id, tuple[Memory, Claim]]] = {}
        """What somebody holds, by whose it is and the slot that it is about."""
        self._linked: set[tuple[Id, Id]] = set()
        self._gone: set[Id] = set()
        facts: dict[str, list[Known]] = {}
        for fact in lived.known:
            for claim in lived.claims.of_fact(fact, lived.named):
                facts.setdefault(_place(claim), []).append(Known(fact, claim))
        self._facts = {place: _in_time(known) for place, known in facts.items()}
        for memory in lived.held:
            self.note(memory)

    def meant(self, claims: Sequence[Claim], tick: int) -> Fact | None:
        """Return the fact that is spoken of, as it is or otherwise: one that holds at that time first."""
        near = [(claim, known) for claim in claims for known in self._facts.get(_place(claim), ())]
        right = [known for claim, known in near if claim == known.claim]
        otherwise = [known for claim, known in near if claim.meets(known.claim)]
        for found in ([k for k in right if k.holds(tick)], [k for k in otherwise if k.holds(tick)], right):
            if found:
                return found[-1].fact
        return None

    def claimed(self, words: str, by: Id | None) -> list[Claim]:
        if (words, by) not in self._read:
            self._read[words, by] = self._lived.claims.of(words, self._lived.named, by)
        return self._read[words, by]

    def knows(self, who: Id, fact_id: Id) -> bool:
        return (who, fact_id) in self._linked

    def note(self, memory: Memory) -> None:
        if memory.linked_fact_id:
            self._linked.add((memory.entity_id, memory.linked_fact_id))
        if memory.corrects:
            self._gone.add(memory.corrects)
        if memory.how is How.SAW:
            return  # nothing takes the place of what was seen
        for claim in self.claimed(memory.text, memory.told_by):
            self._held.setdefault((memory.entity_id, claim.slot), {})[memory.id] = (memory, claim)

    def corrected(self, memory: Memory, correcting: bool) -> Id | None:
        """Return the memory of the same character that this one takes the place of."""
        if memory.how is How.SAW and memory.linked_fact_id is None:
            return None  # that something was said or done in a turn says no more
        claims = self.claimed(memory.text, memory.told_by)
        rivals = [
            old
            for claim in claims
            for old, other in self._held.get((memory.entity_id, claim.slot), {}).values()
            if claim.meets(other) and old.id != memory.id and old.tick <= memory.tick
        ]
        for old in sorted(rivals, key=lambda m: m.tick, reverse=True):
            if old.id not in self._gone and (
                memory.how is not How.TOLD
                or correcting
                or (self._is_right(claims, memory.tick) and not self._was_right(old, memory.tick))
            ):
                return old.id
        return None

    def _was_right(self, memory: Memory, tick: int) -> bool:
        return self._is_right(self.claimed(memory.text, memory.told_by), tick)

    def _is_right(self, claims: Sequence[Claim], tick: int) -> bool:
        return any(
            claim == known.claim and known.holds(tick)
            for claim in claims
            for known in self._facts.get(_place(claim), ())
        )


def _place(claim: Claim) -> str:
    """Return what a claim can be found by: its slot; of one that says no more than its words, those."""
    return claim.slot + (f"|{claim.value}" if claim.slot == "said" else "")


def _in_time(known: Sequence[Known]) -> list[Known]:
    """Return what fills one slot in the order it came about, each until the next that says otherwise: what is
    only proposed ends nothing yet, and is told all the same."""
    ordered = sorted(known, key=lambda k: -1 if k.fact.valid_from is None else k.fact.valid_from)
    found: list[Known] = []
    for n, one in enumerate(ordered):
        later = (k for k in ordered[n + 1 :] if k.counts and k.claim.meets(one.claim))
        newer = next((k.fact.valid_from for k in later if k.fact.valid_from is not None), None)
        found.append(one._replace(until=newer))
    return found
