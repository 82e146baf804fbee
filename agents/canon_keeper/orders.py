"""What a ruling comes to: verdicts on what is proposed, and proposals that change the rest. Pure.

A fact of canon is never rewritten: one that was wrong in part is superseded by its correction, which
rests on the same evidence. Ticks are minutes of world time. Source: design/authority.md, "Contradictions".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from agents.canon_keeper.decisions import UNCHANGED
from agents.canon_keeper.readings import OCCURRENCES, is_open
from stores.errors import InputError
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    EndFact,
    Evidence,
    Fact,
    FactKind,
    FactStatus,
    Involvement,
    Payload,
    RetconFact,
    Standing,
)
from stores.records.ids import Id, derived
from stores.records.ledger import CourtRuling, ProposedChange, Verdict
from stores.records.world import Entity

Which = Literal["new", "old"]

_RIVALS = frozenset({"one_value", "exclusive", "irreversible"})
"""Conflicts in which what is accepted ends the other by itself."""

_PAIRS = _RIVALS | {"dead_do_not_act", "absent_do_not_act"}
"""Conflicts with what holds for a while: time can settle these."""

_MOMENTS = frozenset({"two_places", "not_yet_born", "effect_before_cause"})
"""Conflicts with what happened once: one of the two is not so, or of something else."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two statements; `proposal` is None for what is in canon."""

    fact: Fact
    proposal: ProposedChange | None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """How the GM settles it; `case_id` names the pair, `rule` the check that they met under.

    `yielding` is the side that ends, becomes a rumour or is about another entity; `entity` is the one
    that turns out to be two.
    """

    ruling: CourtRuling
    rule: str
    case_id: Id
    now: datetime
    tick: int | None = None
    yielding: Which = "new"
    standing: Standing = Standing.RUMOUR
    entity: Entity | None = None
    name: str = ""


@dataclass(slots=True)
class Draft:
    """`decided`: verdicts, with the edited payload if there is one. `upholds`: which side is true of the
    same thing from now on. `restated` are those of the staged that say what a proposal said, corrected."""

    decided: dict[Id, tuple[Verdict, Payload | None]] = field(default_factory=dict)
    staged: list[ProposedChange] = field(default_factory=list)
    restated: set[Id] = field(default_factory=set)
    upholds: Which = "new"
    tick: int | None = None


def open_to(rule: str, new: Side, old: Side, shared: Sequence[Id]) -> tuple[CourtRuling, ...]:
    """Return the rulings that can be made of a pair that meets under `rule`."""
    axiom = FactKind.AXIOM in (new.fact.kind, old.fact.kind)
    ways = [CourtRuling.NEW, CourtRuling.OLD]
    if rule in _PAIRS or (rule == "breaks_axiom" and old.fact.kind not in OCCURRENCES):
        ways += [CourtRuling.FROM_NOW, CourtRuling.BOUNDED]
    if rule in _PAIRS or rule in _MOMENTS or axiom:
        ways += [CourtRuling.BOTH]
    else:
        return ()
    if shared and not axiom:
        ways += [CourtRuling.SPLIT]
    return tuple(way for way in CourtRuling if way in ways)


def draft(terms: Terms, new: Side, old: Side) -> Draft:
    """Return what the ruling comes to. Raises InputError if it cannot be made on these terms."""
    settling = _Settling(terms, new, old)
    match terms.ruling:
        case CourtRuling.NEW:
            settling.gone(old)
            settling.keeps(new)
        case CourtRuling.OLD:
            settling.keeps(old)
            settling.gone(new)
            settling.draft.upholds = "old"
        case CourtRuling.FROM_NOW:
            settling.ends_old(new.fact.valid_from if terms.tick is None else terms.tick)
        case CourtRuling.BOUNDED:
            settling.bounded()
        case CourtRuling.BOTH:
            settling.both()
        case CourtRuling.SPLIT:
            settling.split()
    return settling.draft


class _Settling:
    def __init__(self, terms: Terms, new: Side, old: Side) -> None:
        self.draft = Draft(tick=terms.tick)
        self._terms = terms
        self._new = new
        self._old = old

    # --- the rulings with more to them ----------------------------------------------------------------

    def ends_old(self, tick: int | None) -> None:
        """The old one holds until `tick`, the new one from then on."""
        new, old = self._new, self._old
        if tick is None:
            raise _refused("It is not known from when on: say the time.")
        if old.fact.valid_from is not None and tick <= old.fact.valid_from:
            raise _refused("The old one began no earlier than that: then it never held at all.")
        self.draft.tick = tick
        begun = new.fact.valid_from
        moved = not _is_timeless(new.fact) and begun != tick
        changed: dict[str, Any] = {"valid_from": tick} if moved else {}
        change = new.proposal.change if new.proposal else None
        if old.proposal is not None or not is_open(old.fact):
            self._becomes(old, valid_to=tick)
        elif isinstance(change, AssertFact) and (moved or begun == tick):
            changed |= {"ends": tuple(dict.fromkeys((*change.ends, old.fact.id)))}
        elif moved or self._terms.rule not in _RIVALS:
            self._stage("end", EndFact(fact_id=old.fact.id, at=tick))
        if changed:
            self._becomes(new, **changed)
        else:
            self.keeps(new)

    def bounded(self) -> None:
        tick, new, old = self._terms.tick, self._new, self._old
        if self._terms.yielding == "old" or tick is None:
            self.ends_old(tick)
            return
        if _is_timeless(new.fact):
            raise _refused("What happens once has no end to be set.")
        if new.fact.valid_from is not None and tick <= new.fact.valid_from:
            raise _refused("The new one begins no earlier than that: then it never held at all.")
        if old.fact.valid_to is not None and old.fact.valid_to <= tick:
            raise _refused("The old one was over by then: then it never held at all.")
        self.draft.upholds = "old"
        if old.fact.valid_from is not None and old.fact.valid_from >= tick:
            self.keeps(old)
        else:
            self._becomes(old, valid_from=tick)
        self._becomes(new, valid_to=tick)

    def both(self) -> None:
        yielding, other = self._yielding()
        if yielding.fact.kind is FactKind.AXIOM:
            raise _refused("A rule of the world is no rumour: end it or retcon it.")
        self._becomes(yielding, standing=self._terms.standing)
        self.keeps(other)

    def split(self) -> None:
        entity = self._terms.entity
        if entity is None:
            raise _refused("They have nobody and nothing in common that could be two.")
        yielding, other = self._yielding()
        twin = derived("split", self._terms.case_id, entity.id)
        self._stage("entity", CreateEntity(entity_id=twin, entity_kind=entity.kind, name=self._terms.name))
        involves = tuple(
            Involvement(role=i.role, entity_id=twin if i.entity_id == entity.id else i.entity_id)
            for i in yielding.fact.involves
        )
        statement = yielding.fact.statement.replace(entity.name, self._terms.name)
        self._becomes(yielding, involves=involves, statement=statement)
        self.keeps(other)

    def _yielding(self) -> tuple[Side, Side]:
        if self._terms.yielding == "old":
            return self._old, self._new
        self.draft.upholds = "old"
        return self._new, self._old

    # --- what can be done with a side -------------------------------------------------------------------

    def keeps(self, side: Side) -> None:
        if side.proposal is not None:
            self.draft.decided[side.proposal.id] = (Verdict.ACCEPT, None)

    def gone(self, side: Side) -> None:
        if side.proposal is not None:
            self.draft.decided[side.proposal.id] = (Verdict.REJECT, None)
        else:
            self._stage("retcon", RetconFact(fact_id=side.fact.id))

    def _becomes(self, side: Side, **changes: Any) -> None:
        """Let the side be true with something about it changed."""
        fact = side.fact
        if fact.kind is FactKind.AXIOM:
            raise _refused("A rule of the world has no such bounds: end it or retcon it.")
        if side.proposal is not None and isinstance(side.proposal.change, AssertFact):
            edited = side.proposal.change.model_copy(update=changes)
            self.draft.decided[side.proposal.id] = (Verdict.ACCEPT, edited)
            return
        correction: dict[str, Any] = {
            "fact_kind": fact.kind,
            "predicate": fact.predicate,
            "statement": fact.statement,
            "involves": fact.involves,
            "value": fact.value,
            "standing": fact.standing,
            "valid_from": fact.valid_from,
            "valid_to": fact.valid_to,
            "because": fact.because,
        }
        if side.proposal is None and (is_open(fact) or fact.status is FactStatus.SUPERSEDED):
            correction["ends"] = (fact.id,)
        if "valid_from" in changes or not correction.get("ends"):
            # It would still hold before its correction begins, or has an end of its own.
            self.gone(side)
            correction.pop("ends", None)
        self._stage("correction", AssertFact(**correction | changes), side)

    def _stage(self, step: str, change: Payload, side: Side | None = None) -> None:
        case, ruling = self._terms.case_id, self._terms.ruling
        known, restated = self._new.proposal, side.proposal if side else None
        assert known is not None
        proposal_id = derived("ruled", case, ruling, self._terms.now, step, len(self.draft.staged))
        if restated is not None:
            self.draft.restated.add(proposal_id)
        self.draft.staged.append(
            ProposedChange(
                id=proposal_id,
                universe_id=known.universe_id,
                story_id=restated.story_id if restated else None,
                scene_id=restated.scene_id if restated else None,
                turn_id=restated.turn_id if restated else None,
                payload=change,
                evidence=side.evidence if side else (),
                authority=side.fact.authority if side else Authority.GM,
                tick=side.fact.valid_from if side else self.draft.tick,
                created_at=self._terms.now,
            )
        )


def _is_timeless(fact: Fact) -> bool:
    """Say whether the fact has no stretch of time to be cut short: what happens once, and a rule."""
    return fact.kind in OCCURRENCES or fact.kind is FactKind.AXIOM


def _refused(why: str) -> InputError:
    return InputError(why, kept=UNCHANGED)
