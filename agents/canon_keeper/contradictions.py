"""Where proposals meet canon and each other. Pure and deterministic.

Source: design/authority.md, "Contradictions". Each proposal is checked as though those before it that
are not turned down had been written; a clash between two of them is shown on both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agents.canon_keeper import axioms, causality, lifetimes, premises, presence
from agents.canon_keeper.bearing import borne
from agents.canon_keeper.changes import apply, created, in_order
from agents.canon_keeper.claims import (
    Claim,
    MissingError,
    UnwritableError,
    claim_of,
    ended_by,
)
from agents.canon_keeper.clashes import clashes
from agents.canon_keeper.decisions import is_turned_down, ruling
from agents.canon_keeper.duplicates import Names, duplicate_of
from agents.canon_keeper.locks import locked_by
from agents.canon_keeper.naming import named_entities
from agents.canon_keeper.policy import Findings
from agents.canon_keeper.precedents import Precedents, in_words, upholds
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import read, slot_of
from agents.canon_keeper.sight import Check, Sight
from agents.canon_keeper.snapshot import CanonSnapshot
from agents.canon_keeper.trial import Step, Trial
from agents.canon_keeper.world import World
from agents.views import ConflictView
from stores.records.canon import (
    CreateEntity,
    Fact,
    FactStatus,
    RetconFact,
)
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.world import Entity

NO_PRECEDENTS = Precedents()

CHECKS: tuple[Check, ...] = (
    lifetimes.the_dead,
    lifetimes.the_unborn,
    clashes,
    presence.the_absent,
    presence.two_places,
    causality.effects,
    axioms.broken,
    premises.unheard_of,
)
"""Every check of a claim, in the order in which their conflicts are shown."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks found of each proposal, and the entities they mention: as canon has them, or as
    they are proposed. `proposed` tells which proposal would bring a fact or an entity; `trial` is what
    they all come to, if nothing stands against any of them."""

    findings: Mapping[Id, Findings]
    entities: Mapping[Id, Entity]
    proposed: Mapping[Id, ProposedChange] = field(default_factory=dict)
    trial: Trial | None = None


def check(
    proposals: Sequence[ProposedChange],
    canon: CanonSnapshot,
    catalogue: Catalogue,
    precedents: Precedents = NO_PRECEDENTS,
) -> Checked:
    """Return what stands against each proposal, and what canon has of it already.

    What the court ruled on is no conflict any more: it is for the one and against the other.
    """
    bench = _Bench(World(canon, catalogue), Names(canon.everyone), precedents)
    for proposal in in_order(proposals):
        bench.check(proposal)
    return bench.checked()


class _Bench:
    """One pass over the proposals, with the world as it stands after those that were checked."""

    def __init__(self, world: World, names: Names, precedents: Precedents) -> None:
        self._world = world
        self._precedents = precedents
        self._ruled_for: defaultdict[Id, list[str]] = defaultdict(list)
        self._ruled_out: dict[Id, str] = {}
        self._names = names
        self._findings: dict[Id, Findings] = {}
        self._clashes: defaultdict[Id, list[ConflictView]] = defaultdict(list)
        self._proposed: dict[Id, ProposedChange] = {}
        self._known: dict[Id, Id] = {}
        self._steps: list[Step] = []
        self._smooth = True

    def checked(self) -> Checked:
        findings = {
            i: replace(
                f,
                conflicts=tuple(self._clashes[i]),
                ruled_out=self._ruled_out.get(i, ""),
                notes=(*dict.fromkeys(self._ruled_for[i]), *f.notes),
            )
            for i, f in self._findings.items()
        }
        smooth = self._smooth and not self._ruled_out
        trial = Trial(self._world, tuple(self._steps)) if smooth else None
        entities = {**self._world.entities, **self._world.canon.entities}
        return Checked(findings, entities, self._proposed, trial)

    def check(self, proposal: ProposedChange) -> None:
        try:
            claim = self._claim(proposal)
            findings = self._examine(proposal, claim)
            known, out = self._known.get(proposal.id), self._is_out(proposal)
            made = self._try(proposal, claim) if known is None and not out else []
            self._steps.append(Step(proposal, known, tuple(made)))
            self._smooth = self._smooth and not out and not self._clashes[proposal.id]
        except UnwritableError as error:
            findings = Findings(locked=locked_by(proposal, self._world))
            self._clashes[proposal.id] = [ConflictView("unwritable", f"It cannot be written: {error}.")]
            self._smooth = False
        self._findings[proposal.id] = findings

    def _is_out(self, proposal: ProposedChange) -> bool:
        """Say whether the proposal is rejected: by the GM, or by an old ruling that nobody overrode."""
        return is_turned_down(proposal) or (proposal.id in self._ruled_out and ruling(proposal) is None)

    def _claim(self, proposal: ProposedChange) -> Claim | None:
        for entity_id in sorted(named_entities(proposal.change)):
            if self._world.entity(entity_id) is None:
                raise MissingError(entity_id)
        return claim_of(proposal, self._world)

    def _examine(self, proposal: ProposedChange, claim: Claim | None) -> Findings:
        world = self._world
        known = duplicate_of(proposal, claim, world)
        if known is not None:
            self._known[proposal.id] = known
        repeats = known is not None and known in self._proposed
        if known is None:
            self._clashes[proposal.id].extend(self._conflicts(proposal, claim))
        return Findings(
            locked=locked_by(proposal, self._world),
            duplicate_of=None if repeats else known,
            repeats=repeats,
            fact=claim.fact if claim else None,
            was=_was(claim, world),
            ends=_ends(proposal, claim, world) if known is None else (),
            alike=(alike := tuple(self._alike(proposal))),
            notes=(*(a.text for a in alike), *self._notes(proposal, claim)),
        )

    def _try(self, proposal: ProposedChange, claim: Claim | None) -> list[Fact]:
        """Let the proposals that follow meet this one; what it clashes with stands beside it meanwhile."""
        made = apply(proposal, self._world, claim=claim, ending=not self._clashes[proposal.id])
        if isinstance(proposal.change, CreateEntity):
            self._names.add(self._world.entities[proposal.change.entity_id])
            self._proposed[proposal.change.entity_id] = proposal
        if claim is not None:
            self._proposed[claim.fact.id] = proposal
        return made

    # --- conflicts ----------------------------------------------------------------------------------

    def _conflicts(self, proposal: ProposedChange, claim: Claim | None) -> Iterator[ConflictView]:
        change = proposal.change
        if isinstance(change, CreateEntity):
            yield from self._same_name(proposal, change)
            found = axioms.broken_by_birth(change, created(proposal, change), self._world)
            yield from (ConflictView(f.rule, f.text, f.other, f.certain) for f in found)
        restored = _restored(proposal, self._world)
        if claim is not None:
            yield from self._found(CHECKS, self._sight(proposal, claim))
        elif restored is not None:
            yield from self._found((clashes,), self._sight(proposal, restored))

    def _found(self, checks: Iterable[Check], sight: Sight) -> Iterator[ConflictView]:
        for found in (found for check in checks for found in check(sight)):
            if found.other is not None and self._is_ruled_on(sight, found.other):
                continue
            yield ConflictView(found.rule, found.text, found.other, found.certain)
            earlier = self._proposed.get(found.other.id) if found.other and found.answer else None
            if earlier is not None and not is_turned_down(sight.proposal):
                answer = ConflictView(found.rule, found.answer, sight.fact, found.certain)
                self._clashes[earlier.id].append(answer)

    def _is_ruled_on(self, sight: Sight, other: Fact) -> bool:
        catalogue = self._world.catalogue
        known = self._precedents.of(sight.fact, other, catalogue)
        if known is None:
            return False
        sides = ((sight.fact, sight.proposal), (other, self._proposed.get(other.id)))
        for fact, proposal in sides:
            if proposal is not None and upholds(known, fact, catalogue):
                self._ruled_for[proposal.id].append(in_words(known))
            elif proposal is not None:
                self._ruled_out[proposal.id] = in_words(known)
        return True

    def _sight(self, proposal: ProposedChange, claim: Claim) -> Sight:
        return Sight(proposal, claim, self._world, self._proposed)

    def _same_name(self, proposal: ProposedChange, change: CreateEntity) -> Iterator[ConflictView]:
        entity = created(proposal, change)
        for known in self._undecided(entity, self._names.same(entity)):
            text = f"There is a {known.kind} called {known.name} already. Accept it only if this is another."
            same_kind = known.kind is entity.kind
            yield ConflictView("same_name", text, certain=same_kind, entity_id=known.id)

    def _alike(self, proposal: ProposedChange) -> Iterator[ConflictView]:
        """Yield what may be the same by another spelling: no conflict, but worth a look."""
        if isinstance(proposal.change, CreateEntity):
            entity = created(proposal, proposal.change)
            for known in self._undecided(entity, self._names.alike(entity)):
                text = f"The name is much like {known.name}."
                yield ConflictView("alike", text, certain=False, entity_id=known.id)

    def _undecided(self, entity: Entity, others: Iterable[Entity]) -> Iterator[Entity]:
        """Yield those of whom the court has not ruled that they are somebody else."""
        return (e for e in others if not self._precedents.are_different(entity.id, e.id))

    # --- the rest -----------------------------------------------------------------------------------

    def _notes(self, proposal: ProposedChange, claim: Claim | None) -> Iterator[str]:
        if claim is None:
            return
        yield from axioms.notes(self._sight(proposal, claim))
        said = read(claim.fact, self._world.catalogue)
        predicate = self._world.catalogue[said.predicate]
        for who, kinds in ((said.subject, predicate.subjects), (said.object, predicate.objects)):
            entity = self._world.entity(who) if who else None
            if entity is not None and kinds and entity.kind not in kinds:
                yield f"{entity.name} is a {entity.kind}, unusual for “{said.predicate.replace('_', ' ')}”."


def _ends(proposal: ProposedChange, claim: Claim | None, world: World) -> tuple[Fact, ...]:
    if isinstance(proposal.change, RetconFact):
        named = world.facts.get(proposal.change.fact_id)
        return (named,) if named is not None else ()
    return tuple(ended_by(claim, world)) if claim is not None else ()


def _was(claim: Claim | None, world: World) -> str | int | float | bool | None:
    """Return the value of the slot before the claim."""
    slot = slot_of(claim.fact, world.catalogue) if claim else None
    if slot is None:
        return None
    held = world.holding(slot)
    if held is not None:
        return held.value
    entity = world.entities.get(slot.subject) if slot.subject else None
    return borne(entity, slot, world.catalogue) if entity else None


def _restored(proposal: ProposedChange, world: World) -> Claim | None:
    """Return a fact to be restored as though it were claimed anew: it finds its own place among the
    values of its slot, so that only what excludes it is in its way."""
    change = proposal.change
    fact = world.facts.get(change.fact_id) if isinstance(change, RetconFact) and change.restore else None
    if fact is None:
        return None
    anew = fact.model_copy(update={"status": FactStatus.CANONICAL})
    slot = slot_of(anew, world.catalogue)
    values = (other.id for other in world.rivals(anew) if slot and slot_of(other, world.catalogue) == slot)
    return Claim(proposal, anew, ends=frozenset(values))
