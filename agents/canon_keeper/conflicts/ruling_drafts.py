"""What a ruling comes to: verdicts on what is proposed, and proposals that change the rest. Pure.

A fact of canon is never rewritten: one that was wrong in part is superseded by its correction, which rests on
the same evidence. Ticks are minutes of world time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from agents.canon_keeper.conflicts.precedents import derive_staged_id
from agents.canon_keeper.fact_readings import OCCURRENCE_KINDS, is_open
from agents.proposals.decisions import NOTHING_DECIDED
from agents.proposals.proposals import ProposalSite, build_proposal
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
from stores.records.ids import Id, derive_id
from stores.records.workflow import ProposedChange, RulingKind, Verdict
from stores.records.world import Entity

WhichStatement = Literal["new", "old"]

_RIVAL_RULES = frozenset({"one_value", "exclusive", "irreversible", "sentences"})
"""Conflicts in which what is accepted ends the other by itself."""

_LASTING_RULES = _RIVAL_RULES | {"dead_do_not_act", "absent_do_not_act", "model_doubt"}
"""Conflicts with what holds for a while: time can settle these."""

_MOMENT_RULES = frozenset({"two_places", "not_yet_born", "effect_before_cause"})
"""Conflicts with what happened once: one of the two is not so, or of something else."""


@dataclass(frozen=True, slots=True)
class RivalStatement:
    """One of the two statements; `proposal` is None for what is in canon."""

    fact: Fact
    proposal: ProposedChange | None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class RulingInput:
    """How the GM decides a conflict.

    `rule` is the check that found it. `yielding` is the side that ends, becomes a rumour or is about
    another entity; `entity` is the one that turns out to be two.
    """

    ruling: RulingKind
    rule: str
    ruling_id: Id
    now: datetime
    tick: int | None = None
    yielding: WhichStatement = "new"
    standing: Standing = Standing.RUMOUR
    entity: Entity | None = None
    name: str = ""


@dataclass(slots=True)
class RulingDraft:
    """What a ruling comes to.

    `verdicts` are decisions, with the edited payload if there is one; `upheld_side` is the side that is
    true from now on; `restated_ids` are staged proposals that state a proposal's content, corrected.
    """

    verdicts: dict[Id, tuple[Verdict, Payload | None]] = field(default_factory=dict)
    staged_proposals: list[ProposedChange] = field(default_factory=list)
    restated_ids: set[Id] = field(default_factory=set)
    upheld_side: WhichStatement = "new"
    tick: int | None = None


def possible_rulings(
    rule: str, new: RivalStatement, old: RivalStatement, shared: Sequence[Id]
) -> tuple[RulingKind, ...]:
    """Return the rulings that can be made of a pair that meets under `rule`."""
    axiom = FactKind.AXIOM in (new.fact.kind, old.fact.kind)
    rulings = [RulingKind.NEW, RulingKind.OLD]
    if rule in _LASTING_RULES or (rule == "breaks_axiom" and old.fact.kind not in OCCURRENCE_KINDS):
        rulings += [RulingKind.FROM_NOW, RulingKind.BOUNDED]
    if rule in _LASTING_RULES or rule in _MOMENT_RULES or axiom:
        rulings += [RulingKind.BOTH]
    else:
        return ()
    if shared and not axiom:
        rulings += [RulingKind.SPLIT]
    return tuple(ruling for ruling in RulingKind if ruling in rulings)


def draft_ruling(ruling_input: RulingInput, new: RivalStatement, old: RivalStatement) -> RulingDraft:
    """Return what the ruling comes to. Raises InputError if it cannot be made on these terms."""
    drafter = _RulingDrafter(ruling_input, new, old)
    match ruling_input.ruling:
        case RulingKind.NEW:
            drafter.remove_statement(old)
            drafter.accept_statement(new)
        case RulingKind.OLD:
            drafter.accept_statement(old)
            drafter.remove_statement(new)
            drafter.draft.upheld_side = "old"
        case RulingKind.FROM_NOW:
            drafter.end_old(new.fact.valid_from if ruling_input.tick is None else ruling_input.tick)
        case RulingKind.BOUNDED:
            drafter.bound_both()
        case RulingKind.BOTH:
            drafter.keep_both()
        case RulingKind.SPLIT:
            drafter.split_entity()
    return drafter.draft


class _RulingDrafter:
    def __init__(self, ruling_input: RulingInput, new: RivalStatement, old: RivalStatement) -> None:
        self.draft = RulingDraft(tick=ruling_input.tick)
        self._ruling_input = ruling_input
        self._new = new
        self._old = old

    # --- the rulings with more to them ----------------------------------------------------------------

    def end_old(self, tick: int | None) -> None:
        """The old one holds until `tick`, the new one from then on."""
        new, old = self._new, self._old
        if tick is None:
            raise _ruling_error("Say from when it is true.")
        if old.fact.valid_from is not None and tick <= old.fact.valid_from:
            raise _ruling_error("The old one began later than that, so it was never true.")
        self.draft.tick = tick
        begin_tick = new.fact.valid_from
        is_moved = not _is_timeless(new.fact) and begin_tick != tick
        changed_fields: dict[str, Any] = {"valid_from": tick} if is_moved else {}
        change = new.proposal.change if new.proposal else None
        if old.proposal is not None or not is_open(old.fact):
            self._change_statement(old, valid_to=tick)
        elif isinstance(change, AssertFact) and (is_moved or begin_tick == tick):
            changed_fields |= {"ends": tuple(dict.fromkeys((*change.ends, old.fact.id)))}
        elif is_moved or self._ruling_input.rule not in _RIVAL_RULES:
            self._stage_proposal("end", EndFact(fact_id=old.fact.id, at=tick))
        if changed_fields:
            self._change_statement(new, **changed_fields)
        else:
            self.accept_statement(new)

    def bound_both(self) -> None:
        tick, new, old = self._ruling_input.tick, self._new, self._old
        if self._ruling_input.yielding == "old" or tick is None:
            self.end_old(tick)
            return
        if _is_timeless(new.fact):
            raise _ruling_error("An event has no end to set.")
        if new.fact.valid_from is not None and tick <= new.fact.valid_from:
            raise _ruling_error("The new one begins later than that, so it would never be true.")
        if old.fact.valid_to is not None and old.fact.valid_to <= tick:
            raise _ruling_error("The old one had ended by then, so it was never true.")
        self.draft.upheld_side = "old"
        if old.fact.valid_from is not None and old.fact.valid_from >= tick:
            self.accept_statement(old)
        else:
            self._change_statement(old, valid_from=tick)
        self._change_statement(new, valid_to=tick)

    def keep_both(self) -> None:
        yielding_statement, upheld_statement = self._order_statements()
        if yielding_statement.fact.kind is FactKind.AXIOM:
            raise _ruling_error("A rule of the world is no rumour: end it or retcon it.")
        self._change_statement(yielding_statement, standing=self._ruling_input.standing)
        self.accept_statement(upheld_statement)

    def split_entity(self) -> None:
        entity = self._ruling_input.entity
        if entity is None:
            raise _ruling_error("They share nobody and nothing that could be two.")
        yielding_statement, upheld_statement = self._order_statements()
        twin_id = derive_id("split", self._ruling_input.ruling_id, entity.id)
        self._stage_proposal(
            "entity", CreateEntity(entity_id=twin_id, entity_kind=entity.kind, name=self._ruling_input.name)
        )
        involves = tuple(
            Involvement(role=i.role, entity_id=twin_id if i.entity_id == entity.id else i.entity_id)
            for i in yielding_statement.fact.involves
        )
        statement = yielding_statement.fact.statement.replace(entity.name, self._ruling_input.name)
        self._change_statement(yielding_statement, involves=involves, statement=statement)
        self.accept_statement(upheld_statement)

    def _order_statements(self) -> tuple[RivalStatement, RivalStatement]:
        if self._ruling_input.yielding == "old":
            return self._old, self._new
        self.draft.upheld_side = "old"
        return self._new, self._old

    # --- what can be done with a side -------------------------------------------------------------------

    def accept_statement(self, statement: RivalStatement) -> None:
        if statement.proposal is not None:
            self.draft.verdicts[statement.proposal.id] = (Verdict.ACCEPT, None)

    def remove_statement(self, statement: RivalStatement) -> None:
        if statement.proposal is not None:
            self.draft.verdicts[statement.proposal.id] = (Verdict.REJECT, None)
        else:
            self._stage_proposal("retcon", RetconFact(fact_id=statement.fact.id))

    def _change_statement(self, rival_statement: RivalStatement, **changes: Any) -> None:
        """Let the side be true with something about it changed."""
        fact = rival_statement.fact
        if fact.kind is FactKind.AXIOM:
            raise _ruling_error("A rule of the world has no such bounds: end it or retcon it.")
        if rival_statement.proposal is not None and isinstance(rival_statement.proposal.change, AssertFact):
            edited_change = rival_statement.proposal.change.model_copy(update=changes)
            self.draft.verdicts[rival_statement.proposal.id] = (Verdict.ACCEPT, edited_change)
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
        if rival_statement.proposal is None and (is_open(fact) or fact.status is FactStatus.SUPERSEDED):
            correction["ends"] = (fact.id,)
        if "valid_from" in changes or not correction.get("ends"):
            # It would still hold before its correction begins, or has an end of its own.
            self.remove_statement(rival_statement)
            correction.pop("ends", None)
        self._stage_proposal("correction", AssertFact(**correction | changes), rival_statement)

    def _stage_proposal(
        self, step: str, change: Payload, source_statement: RivalStatement | None = None
    ) -> None:
        ruling_id, ruling = self._ruling_input.ruling_id, self._ruling_input.ruling
        new_proposal, restated_proposal = (
            self._new.proposal,
            source_statement.proposal if source_statement else None,
        )
        assert new_proposal is not None
        proposal_id = derive_staged_id(
            ruling_id, ruling, self._ruling_input.now, step, len(self.draft.staged_proposals)
        )
        if restated_proposal is not None:
            self.draft.restated_ids.add(proposal_id)
        self.draft.staged_proposals.append(
            build_proposal(
                proposal_id,
                change,
                source_statement.evidence if source_statement else (),
                source_statement.fact.authority if source_statement else Authority.GM,
                ProposalSite(
                    new_proposal.universe_id,
                    restated_proposal.story_id if restated_proposal else None,
                    restated_proposal.scene_id if restated_proposal else None,
                    restated_proposal.turn_id if restated_proposal else None,
                    tick=source_statement.fact.valid_from if source_statement else self.draft.tick,
                ),
                self._ruling_input.now,
            )
        )


def _is_timeless(fact: Fact) -> bool:
    """Say whether the fact has no stretch of time to be cut short: what happens once, and a rule."""
    return fact.kind in OCCURRENCE_KINDS or fact.kind is FactKind.AXIOM


def _ruling_error(why: str) -> InputError:
    return InputError(why, kept=NOTHING_DECIDED)
