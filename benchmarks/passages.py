"""Generates what one passage of play leaves in log and canon: turns, a roll, a proposal, a fact with evidence.

Everything follows from the passage's number, so that a campaign of any length can be generated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import cached_property

from stores.records.canon import (
    AssertFact,
    Authority,
    CanonBatch,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    Involvement,
    Support,
)
from stores.records.ids import Id, derive_id
from stores.records.play import Degree, Die, Resolution, Speaker, Turn
from stores.records.workflow import (
    Canonization,
    CanonizationState,
    Decision,
    ProposalOutcome,
    ProposalStatus,
    ProposedChange,
    Verdict,
)
from stores.records.world import Entity, EntityKind

TURNS = 5
"""Turns of a passage: the player's words, the roll, the GM's words, the player's, the GM's."""

START = datetime(2024, 1, 1, tzinfo=UTC)
HERO = "Mara Venn"

_FIRST_NAMES = "Ada Bram Cass Dorn Elke Finn Gwen Hale Ines Joss Kell Lorn Maud Nils Orla Pell Quin Rook"
_LAST_NAMES = "Ash Brine Crake Dunlin Eddy Fulmar Gull Harl Ibis Knot Loom Marl Ness Osier Pike Reed Stint"
_THINGS = "ferry grain rope salt lamp debt letter oar bell gate eel winter ledger knife promise reed"
_FIRST, _LAST, _WORDS = _FIRST_NAMES.split(), _LAST_NAMES.split(), _THINGS.split()
_KINDS = (
    EntityKind.CHARACTER,
    EntityKind.PLACE,
    EntityKind.CHARACTER,
    EntityKind.OBJECT,
    EntityKind.CREATURE,
)
_PLAYED = (
    (Speaker.PLAYER, "I go down to the {0} and ask after the {1}."),
    (Speaker.ORACLE, "2d6+1 [4,4]+1 = 9 vs 8 · success"),
    (
        Speaker.GM,
        "The tide comes in over the flats without a sound, and the lamps along the wall go out one by one. "
        "Nobody looks up from the {0}. Somewhere below, a chain is drawn slowly over stone.",
    ),
    (Speaker.PLAYER, "I say that the {0} was never theirs, and put the {1} on the table."),
    (
        Speaker.GM,
        "They look at the {1} for a long time. Then somebody laughs, and the door is shut behind you.",
    ),
)


class Kind(IntEnum):
    """Tells the identifiers of different records apart."""

    UNIVERSE = 1
    ENTITY = 2
    STORY = 3
    SCENE = 4
    TURN = 5
    PROPOSAL = 6
    FACT = 7
    COMMIT = 8


def id_of(kind: Kind, number: int) -> Id:
    """Return an identifier that sorts by `number`, as those of real records sort by time."""
    return f"0190{number >> 16:04x}-{number & 0xFFFF:04x}-7000-8000-{kind:012x}"


UNIVERSE = id_of(Kind.UNIVERSE, 0)


def entity(number: int) -> Entity:
    """Return the `number`-th entity of the world; the first is the hero."""
    kind = _KINDS[number % len(_KINDS)]
    return Entity(
        id=id_of(Kind.ENTITY, number),
        universe_id=UNIVERSE,
        kind=kind,
        name=name_of(number),
        aliases=() if number else ("Mara",),
        description=f"A {kind} of the coast, known for the {_word(number)}.",
        is_pc=number == 0,
        numbers={"hp": 10, "might": 1, "nerve": 2} if kind is EntityKind.CHARACTER else {},
        recorded_at=START,
    )


def name_of(number: int) -> str:
    """Return the `number`-th entity's name; no two are the same."""
    if number == 0:
        return HERO
    repetition, place = divmod(number, len(_FIRST) * len(_LAST))
    last, first = divmod(place, len(_FIRST))
    return f"{_FIRST[first]} {_LAST[last]}{f' {repetition + 1}' if repetition else ''}"


def evidence_of_entity(entity: Entity) -> Evidence:
    """Return the GM's own word, the evidence of an entity of the world file."""
    return Evidence(
        id=derive_id("evidence", EvidenceKind.MANUAL, entity.id),
        kind=EvidenceKind.MANUAL,
        ref_id=entity.id,
        quote=entity.description,
    )


@dataclass(frozen=True)
class Passage:
    """The `number`-th passage of the campaign, at `place` (from 0) of its scene.

    `population` is how many entities there are for its fact to be about.
    """

    number: int
    place: int
    scene_id: Id
    story_id: Id
    population: int

    @property
    def at(self) -> datetime:
        return START + timedelta(minutes=self.number)

    @property
    def depth(self) -> int:
        return self.place * TURNS

    def turn_id(self, turn: int) -> Id:
        return id_of(Kind.TURN, self.number * TURNS + turn)

    def turns(self) -> Iterator[Turn]:
        """Two exchanges: words, roll and answer; words and answer."""
        words = _word(self.number), _word(self.number // 7 + 3)
        for turn, (speaker, text) in enumerate(_PLAYED):
            yield Turn(
                id=self.turn_id(turn),
                scene_id=self.scene_id,
                parent_id=self.turn_id(turn - 1) if self.place or turn else None,
                exchange_id=self.turn_id(0 if turn < 3 else 3),
                speaker=speaker,
                text=text.format(*words),
                depth=self.depth + turn,
                seed=self.number,
                created_at=self.at,
            )

    def resolution(self) -> Resolution:
        return Resolution(
            id=derive_id("resolution", self.turn_id(1)),
            scene_id=self.scene_id,
            turn_id=self.turn_id(1),
            rule="2d6+might",
            intent="I ask.",
            expression="2d6+1",
            dice=(Die(sides="6", face=4), Die(sides="6", face=4)),
            total=9,
            target=8,
            degree=Degree.SUCCESS,
            margin=1,
            text=_PLAYED[1][1],
            seed=self.number,
            created_at=self.at,
        )

    @cached_property
    def claim(self) -> AssertFact:
        """Return the claim: a quarter of all facts are about the hero, the others about anybody."""
        subject_number = 0 if self.number % 4 == 0 else 1 + self.number % (self.population - 1)
        object_number = 1 + (self.number * 7 + self.number // self.population) % (self.population - 1)
        subject, object_ = name_of(subject_number), name_of(object_number)
        plain = self.number % 8 < 4
        return AssertFact(
            fact_kind=FactKind.ATTRIBUTE if plain else FactKind.RELATION,
            predicate="stated" if plain else ("met", "knows")[self.number % 2],
            statement=f"{subject} took the {_word(self.number)} from {object_} on night {self.number}."
            if plain
            else f"{subject} {('met', 'knows')[self.number % 2]} {object_}.",
            involves=(
                Involvement(role="subject", entity_id=id_of(Kind.ENTITY, subject_number)),
                Involvement(
                    role="participant" if plain else "object", entity_id=id_of(Kind.ENTITY, object_number)
                ),
            ),
            valid_from=480 + self.number,
        )

    @cached_property
    def evidence(self) -> tuple[Evidence, Evidence]:
        """Return the evidence: the words that the fact was declared on, and its scene."""
        turn_id = self.turn_id(2)
        words = Evidence(
            id=derive_id("evidence", EvidenceKind.TURN, turn_id),
            kind=EvidenceKind.TURN,
            ref_id=turn_id,
            quote=_PLAYED[2][1],
            turn_id=turn_id,
            scene_id=self.scene_id,
        )
        scene = Evidence(
            id=derive_id("evidence", EvidenceKind.SCENE, self.scene_id),
            kind=EvidenceKind.SCENE,
            ref_id=self.scene_id,
            scene_id=self.scene_id,
        )
        return words, scene

    @cached_property
    def fact(self) -> Fact:
        claim = self.claim
        return Fact(
            id=id_of(Kind.FACT, self.number),
            universe_id=UNIVERSE,
            kind=claim.fact_kind,
            predicate=claim.predicate,
            statement=claim.statement,
            involves=claim.involves,
            valid_from=claim.valid_from,
            proposal_id=id_of(Kind.PROPOSAL, self.number),
            recorded_at=self.at,
        )

    def supports(self) -> Iterator[Support]:
        return (Support(subject_id=self.fact.id, evidence_id=piece.id) for piece in self.evidence)

    @cached_property
    def decision(self) -> Decision:
        return Decision(verdict=Verdict.ACCEPT, by="gm", at=self.at)

    def proposal(self, commit_id: Id | None) -> ProposedChange:
        """Return the fact's proposal: accepted by that commit, or pending."""
        return ProposedChange(
            id=id_of(Kind.PROPOSAL, self.number),
            universe_id=UNIVERSE,
            story_id=self.story_id,
            scene_id=self.scene_id,
            turn_id=self.turn_id(2),
            payload=self.claim,
            evidence=self.evidence[:1],
            authority=Authority.GM,
            tick=480 + self.number,
            status=ProposalStatus.ACCEPTED if commit_id else ProposalStatus.PENDING,
            decision=self.decision if commit_id else None,
            canonization_id=commit_id,
            created_at=self.at,
        )


def commit_of(passages: Sequence[Passage], state: CanonizationState) -> Canonization:
    """Return the commit that makes the facts of these passages true."""
    first = passages[0]
    commit_id = commit_id_of(first)
    evidence = {piece.id: piece for passage in passages for piece in passage.evidence}
    return Canonization(
        id=commit_id,
        universe_id=UNIVERSE,
        story_id=first.story_id,
        scene_id=first.scene_id,
        reason="by hand",
        state=state,
        outcomes=tuple(
            ProposalOutcome(
                proposal_id=id_of(Kind.PROPOSAL, passage.number),
                status=ProposalStatus.ACCEPTED,
                decision=passage.decision,
            )
            for passage in passages
        ),
        batch=CanonBatch(
            id=commit_id,
            universe_id=UNIVERSE,
            facts=tuple(passage.fact for passage in passages),
            evidence=tuple(evidence.values()),
            supports=tuple(edge for passage in passages for edge in passage.supports()),
        ),
        created_at=passages[-1].at,
    )


def commit_id_of(first: Passage) -> Id:
    """Return the identifier of the commit whose first passage this is."""
    return id_of(Kind.COMMIT, first.number)


def _word(number: int) -> str:
    return _WORDS[number % len(_WORDS)]
