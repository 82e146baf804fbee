"""Proposals from prose: each with the verbatim words that it rests on, and none that canon has already.

A quote that is not in the text is dropped and counted: nothing rests on words that nobody told. All of it is
of authority SYSTEM and waits at the gate, whatever the text says about itself. Source: design/loops.md, node
`extract`; design/authority.md, "Security".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from agents.canon_keeper.naming import bare
from agents.canon_keeper.predicates import Catalogue
from agents.clean import clean
from agents.context_assembly.package import ContextPackage
from agents.narrator.decision_marks import marks_in, strip_markers
from agents.narrator.guesses import guessed
from agents.narrator.known import names_of
from agents.narrator.payloads import Maker, Refused
from agents.narrator.quotes import Quote, verbatim
from agents.narrator.whom import ONESELF, People
from agents.personas.outputs import Change
from stores.ports import CanonReader
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    Evidence,
    EvidenceKind,
    Payload,
    StateChange,
    normal,
)
from stores.records.ids import derived
from stores.records.ledger import ProposedChange
from stores.records.play import Turn
from stores.records.world import Entity

__all__ = ["Dropped", "Extracted", "Extraction", "marks_in", "strip_markers"]

THRESHOLD: Final = 40
"""Significance, of 100, from which a change is proposed."""
MOST: Final = 12
"""Proposals of one turn."""
SAME: Final = 92
"""Likeness of two statements, in per cent, from which they are taken for one."""

NOT_THERE: Final = "its quote is not in the text"

_GENERIC: Final = frozenset(
    {
        *(
            "man",
            "woman",
            "boy",
            "girl",
            "child",
            "stranger",
            "figure",
            "voice",
            "guard",
            "guards",
            "soldier",
        ),
        *(
            "innkeeper",
            "barkeep",
            "bartender",
            "merchant",
            "sailor",
            "fisherman",
            "farmer",
            "beggar",
            "thief",
        ),
        *(
            "bandit",
            "bandits",
            "villager",
            "villagers",
            "crowd",
            "captain",
            "priest",
            "servant",
            "door",
            "room",
        ),
        *("house", "tavern", "inn", "street", "road", "wall", "table", "rat", "dog", "horse", "cat", "wolf"),
        *(
            "goblin",
            "orc",
            "skeleton",
            "creature",
            "monster",
            "someone",
            "somebody",
            "nobody",
            "narrator",
            "gm",
        ),
    }
)
"""Words that name a kind and nobody: who has no other name is not worth a record."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was not proposed, and why, in a few words."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Extracted:
    proposals: tuple[ProposedChange, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    def in_short(self) -> str:
        """Return it in one line: `2 proposals; 1 dropped (its quote is not in the text)`."""
        count = len(self.proposals)
        line = f"{count or 'no'} proposal{'' if count == 1 else 's'}"
        if self.dropped:
            line += f"; {len(self.dropped)} dropped ({', '.join(dict.fromkeys(d.why for d in self.dropped))})"
        return line


class Extraction:
    """Makes proposals of what a turn told. Stateless; reads canon for names and statements alone."""

    def __init__(self, canon: CanonReader) -> None:
        self._canon = canon

    async def of(
        self, turn: Turn, changes: Sequence[Change] | None, package: ContextPackage, catalogue: Catalogue
    ) -> Extracted:
        """Return what `turn` (told, not yet canon) would change. `changes` are the Archivist's; None: it is
        off or had no answer, and a few plain rules read the prose.

        Identifiers are derived from the turn: extracting twice is extracting once.
        """
        if changes is None:
            changes = guessed(turn.text, [names_of(p.entity) for p in package.canonical.cast if p.here])
        dropped: list[Dropped] = []
        quoted = _with_quotes(changes, turn.text, dropped)
        people = People(package, await self._known(quoted, package))
        maker = Maker(turn, package, catalogue, people.find)
        made: list[tuple[Change, Quote, Payload]] = []
        # Who is new comes first, so that the rest can be about them.
        for change, quote in sorted(quoted, key=lambda each: each[0].kind != "new"):
            try:
                _worth_it(change, turn.text, people)
                payload = maker.payload(change)
                _not_twice(payload, made, package)
            except Refused as why:
                dropped.append(Dropped(_name(change), str(why)))
                continue
            if isinstance(payload, CreateEntity):
                people.add(payload, turn, package)
            made.append((change, quote, payload))
        kept = await self._new_to_canon(made, package, dropped)
        dropped += [Dropped(_name(change), "more than one turn can bring") for change, *_ in kept[MOST:]]
        proposals = tuple(_proposal(turn, package, catalogue, quote, made) for _, quote, made in kept[:MOST])
        return Extracted(proposals, tuple(dropped))

    async def _known(
        self, changes: Iterable[tuple[Change, Quote]], package: ContextPackage
    ) -> Mapping[str, Entity]:
        """Look every name up that canon may have and the scene has not."""
        names = {bare(n): n.strip() for c, _ in changes for n in (c.subject, c.object) if _may_be_name(n)}
        universe_id = package.scene.universe.id
        found = await gather(
            *(self._canon.find_entity(universe_id, n) for name in names.values() for n in _spellings(name))
        )
        entities = {e.id: e for entities in found if len(entities) == 1 for e in entities}
        return {bare(n): e for e in entities.values() for n in (e.name, *e.aliases)}

    async def _new_to_canon(
        self,
        made: Sequence[tuple[Change, Quote, Payload]],
        package: ContextPackage,
        dropped: list[Dropped],
    ) -> list[tuple[Change, Quote, Payload]]:
        """Leave out what canon says in these very words already, in view or not."""
        said = {normal(p.statement) for *_, p in made if isinstance(p, AssertFact)}
        held = await self._canon.facts_saying(package.scene.universe.id, said) if said else []
        known = {fact.said for fact in held if fact.valid_to is None}
        kept = []
        for change, quote, payload in made:
            if isinstance(payload, AssertFact) and normal(payload.statement) in known:
                dropped.append(Dropped(_name(change), "is on record already"))
            else:
                kept.append((change, quote, payload))
        return kept


def _with_quotes(changes: Iterable[Change], text: str, dropped: list[Dropped]) -> list[tuple[Change, Quote]]:
    found: list[tuple[Change, Quote]] = []
    for change in changes:
        quote = verbatim(change.quote, text)
        if quote is None:
            dropped.append(Dropped(_name(change), NOT_THERE))
        else:
            found.append((change, quote))
    return found


def _worth_it(change: Change, text: str, people: People) -> None:
    """Raise Refused for what is beneath notice, and for somebody new who is none."""
    if change.weight < THRESHOLD:
        raise Refused("beneath notice")
    if change.kind != "new":
        return
    name = " ".join(change.subject.split())
    words = bare(name).split()
    if not words or (words[-1] in _GENERIC and not any(w[:1].isupper() for w in name.split()[:-1])):
        raise Refused("has no name of its own")
    if not any(word[:1].isupper() for word in name.split()) or name.casefold() in ONESELF:
        raise Refused("has no name of its own")
    if name.isupper() and len(name) > 3:
        raise Refused("has no name of its own")
    if normal(name) not in normal(text):
        raise Refused("is not named in the text")
    if people.find(name) is not None or people.near(name) is not None:
        raise Refused("is on record already")


def _not_twice(
    payload: Payload, made: Iterable[tuple[Change, Quote, Payload]], package: ContextPackage
) -> None:
    """Raise Refused for what is in view of canon, or staged, or was made of this very turn."""
    mine = [each for *_, each in made]
    staged = [p.change for p in package.scene.staged]
    if isinstance(payload, AssertFact):
        canon = package.canonical
        facts = (*canon.facts, *canon.relations, *canon.encounters, *canon.assertions, *canon.axioms)
        matters = package.agenda.matters.values()
        if any(_alike(payload.statement, f.statement) for f in (*facts, *matters)):
            raise Refused("is on record already")
        told = [c.statement for c in (*staged, *mine) if isinstance(c, AssertFact)]
        if any(_alike(payload.statement, statement) for statement in told):
            raise Refused("is proposed already")
    elif isinstance(payload, StateChange):
        if any(isinstance(c, StateChange) and _same_slot(c, payload) for c in mine):
            raise Refused("is proposed already")
    elif payload in mine or payload in staged:
        raise Refused("is proposed already")


def _alike(one: str, other: str) -> bool:
    one, other = normal(one), normal(other)
    # A number or a `not` more makes it another statement, however alike the rest.
    changed = set(one.split()) ^ set(other.split())
    if any(word.isdigit() or word in ("not", "no", "never", "nt", "t") for word in changed):
        return False
    return fuzz.ratio(one, other) >= SAME


def _same_slot(one: StateChange, other: StateChange) -> bool:
    return (one.entity_id, one.key.casefold()) == (other.entity_id, other.key.casefold())


def _proposal(
    turn: Turn, package: ContextPackage, catalogue: Catalogue, quote: Quote, payload: Payload
) -> ProposedChange:
    scene = package.scene
    critical = False
    if isinstance(payload, StateChange):
        critical = catalogue.is_critical(payload.key, payload.value)
    evidence = Evidence(
        id=derived("evidence", EvidenceKind.TURN, turn.id, quote.start, quote.end),
        kind=EvidenceKind.TURN,
        ref_id=turn.id,
        quote=quote.words,
        turn_id=turn.id,
        scene_id=turn.scene_id,
        span=(quote.start, quote.end),
    )
    return ProposedChange(
        id=derived("extracted", turn.id, payload.model_dump_json()),
        universe_id=scene.universe.id,
        story_id=scene.story.id,
        scene_id=turn.scene_id,
        turn_id=turn.id,
        payload=payload,
        evidence=(evidence,),
        authority=Authority.SYSTEM,
        tick=turn.tick,
        critical=critical,
        created_at=turn.created_at,
    )


def _may_be_name(words: str) -> bool:
    return (
        0 < len(words.strip()) <= 80
        and len(words.split()) <= 6
        and any(w[0].isupper() for w in words.split())
    )


def _spellings(name: str) -> tuple[str, ...]:
    """Return a name with and without its article: the Heron House may be called either."""
    article, _, rest = name.partition(" ")
    return (name, rest) if rest and article.casefold() == "the" else (name, f"The {name}")


def _name(change: Change) -> str:
    """Return what a change is about, in a few clean words."""
    return " ".join(clean(f"{change.kind} {change.subject} {change.predicate} {change.object}").split())[:80]
