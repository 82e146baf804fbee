"""Extracts proposals from a turn's prose, each with the verbatim words that it rests on.

Changes whose quote is not in the text or says nothing of them, or that canon already has, are dropped and counted. All
proposals have the authority SYSTEM and wait at the gate, whatever the text claims about itself.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import normalize_name
from agents.canon_keeper.sentences.word_lists import number_of
from agents.context_assembly.context_package import ContextPackage
from agents.narrator.change_payloads import (
    ENTITY_KIND_WORDS,
    PLAYER_CHARACTER_WORDS,
    ChangeRefused,
    NameResolver,
    PayloadBuilder,
)
from agents.narrator.change_quotes import ChangeQuote, find_change_quote
from agents.narrator.private_changes import keep_private
from agents.narrator.rule_based_changes import find_plain_changes
from agents.personas.outputs import ReportedChange
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.prose.names import names_of
from agents.sanitize import clean
from agents.search.question_cues import content_stems, measure_coverage
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    Payload,
    StateChange,
    normalize_statement,
)
from stores.records.ids import Id, derive_id
from stores.records.play import Turn
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind

MIN_WEIGHT: Final = 40
"""Significance, of 100, from which a change is proposed."""
MAX_PROPOSALS: Final = 12
"""Proposals per turn."""
SAME_STATEMENT: Final = 92
"""Likeness of two statements, in per cent, from which they count as the same."""

SAME_COMMITMENT_SHARE: Final = 0.8
"""The share of a commitment's words in another of the same person from which both are the same."""
MAX_NAME_WORDS: Final = 6
"""Words of what is looked up as a name."""
MIN_UNNAMED_WEIGHT: Final = 60
"""Significance from which a thing or place without a name of its own gets a record."""
_UNNAMED_KINDS: Final = frozenset({EntityKind.OBJECT, EntityKind.PLACE})

_GENERIC_NOUNS: Final = frozenset(
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
"""Words for a kind of person or thing; a newcomer with no other name is not recorded."""


@dataclass(frozen=True, slots=True)
class DroppedChange:
    """A change that was not proposed, and the reason in a few words."""

    change_label: str
    reason: str


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The proposals of one turn, and the changes that were dropped."""

    proposals: tuple[ProposedChange, ...] = ()
    dropped_changes: tuple[DroppedChange, ...] = ()

    def in_short(self) -> str:
        """Return it in one line: `2 proposals; 1 dropped (its quote is not in the text)`."""
        count = len(self.proposals)
        line = f"{count or 'no'} proposal{'' if count == 1 else 's'}"
        if self.dropped_changes:
            reasons = ", ".join(dict.fromkeys(d.reason for d in self.dropped_changes))
            line += f"; {len(self.dropped_changes)} dropped ({reasons})"
        return line


class ChangeExtractor:
    """Turns reported changes into proposals. It reads canon only for names and statements."""

    def __init__(self, canon: CanonReader) -> None:
        self._canon = canon

    async def extract(
        self,
        turn: Turn,
        changes: Sequence[ReportedChange] | None,
        package: ContextPackage,
        catalogue: Catalogue,
        words: Turn | None = None,
    ) -> ExtractionResult:
        """Return the proposals of `turn`, which is narrated and not yet canon; `words` is what the player typed before.

        `changes` come from the Archivist; with None (it is off or did not answer) a few plain rules read the
        prose. Identifiers are derived from the turn, so extracting twice gives the same proposals.
        """
        is_reported = changes is not None
        if changes is None:
            changes = find_plain_changes(
                turn.text, [names_of(p.entity) for p in package.canonical.cast if p.is_here]
            )
        dropped_changes: list[DroppedChange] = []
        quoted_changes = _find_quotes(changes, turn, words, dropped_changes)
        name_resolver = NameResolver(package, await self._look_up_entities(quoted_changes, package))
        payload_builder = PayloadBuilder(
            turn,
            package,
            catalogue,
            name_resolver.find,
            await self._read_facts_of_things(quoted_changes, name_resolver),
        )
        drafts: list[tuple[ReportedChange, ChangeQuote, Payload]] = []
        # Newcomers come first, so that other changes can refer to them.
        for change, quote in sorted(quoted_changes, key=lambda quoted: quoted[0].kind != "new"):
            try:
                _check_worth(change, turn.text, name_resolver)
                payload = payload_builder.build(change)
                payload = keep_private(payload, change, quote, words, package, name_resolver.find)
                _check_duplicate(payload, drafts, package)
                _check_same_words(payload, quote, package)
            except ChangeRefused as refusal:
                dropped_changes.append(DroppedChange(_change_label(change), str(refusal)))
                continue
            if isinstance(payload, CreateEntity):
                name_resolver.add(payload, turn, package)
            drafts.append((change, quote, payload))
        new_drafts = await self._drop_known_statements(drafts, package, dropped_changes)
        dropped_changes += [
            DroppedChange(_change_label(change), "exceeds the limit of one turn")
            for change, *_ in new_drafts[MAX_PROPOSALS:]
        ]
        proposals = tuple(
            _build_proposal(turn, package, catalogue, quote, payload, change.weight if is_reported else None)
            for change, quote, payload in new_drafts[:MAX_PROPOSALS]
        )
        return ExtractionResult(proposals, tuple(dropped_changes))

    async def _look_up_entities(
        self, changes: Iterable[tuple[ReportedChange, ChangeQuote]], package: ContextPackage
    ) -> Mapping[str, Entity]:
        """Look up in canon every name that may not be in the scene."""
        names = {
            normalize_name(n): n.strip()
            for c, _ in changes
            for n in (c.subject, c.object)
            # A thing may be called by no name of its own, as it was when it got its record.
            if _may_be_name(n) or (c.kind in ("new", "holds") and 0 < len(n.split()) <= MAX_NAME_WORDS)
        }
        universe_id = package.scene.universe.id
        matches = await gather(
            *(self._canon.find_entity(universe_id, n) for name in names.values() for n in _spellings(name))
        )
        entities = {e.id: e for entities in matches if len(entities) == 1 for e in entities}
        return {normalize_name(n): e for e in entities.values() for n in (e.name, *e.aliases)}

    async def _read_facts_of_things(
        self, changes: Iterable[tuple[ReportedChange, ChangeQuote]], name_resolver: NameResolver
    ) -> Mapping[Id, Sequence[Fact]]:
        """Read what canon says of the things that change hands: a new holder ends the old one."""
        things = (name_resolver.find(change.object) for change, _ in changes)
        thing_ids = {thing.id for thing in things if thing is not None and thing.kind is EntityKind.OBJECT}
        fact_lists = await gather(*(self._canon.facts_about(i, FactsAboutQuery()) for i in thing_ids))
        return dict(zip(thing_ids, fact_lists, strict=True))

    async def _drop_known_statements(
        self,
        drafts: Sequence[tuple[ReportedChange, ChangeQuote, Payload]],
        package: ContextPackage,
        dropped_changes: list[DroppedChange],
    ) -> list[tuple[ReportedChange, ChangeQuote, Payload]]:
        """Drop facts whose exact words canon already has."""
        statements = {normalize_statement(p.statement) for *_, p in drafts if isinstance(p, AssertFact)}
        facts = (
            await self._canon.facts_by_statement(package.scene.universe.id, statements) if statements else []
        )
        recorded_statements = {fact.statement_key for fact in facts if fact.valid_to is None}
        new_drafts = []
        for change, quote, payload in drafts:
            if (
                isinstance(payload, AssertFact)
                and normalize_statement(payload.statement) in recorded_statements
            ):
                dropped_changes.append(DroppedChange(_change_label(change), "is on record already"))
            else:
                new_drafts.append((change, quote, payload))
        return new_drafts


def _find_quotes(
    changes: Iterable[ReportedChange], turn: Turn, words: Turn | None, dropped_changes: list[DroppedChange]
) -> list[tuple[ReportedChange, ChangeQuote]]:
    quoted_changes: list[tuple[ReportedChange, ChangeQuote]] = []
    for change in changes:
        quote = find_change_quote(change, turn, words)
        if isinstance(quote, str):
            dropped_changes.append(DroppedChange(_change_label(change), quote))
        else:
            quoted_changes.append((change, quote))
    return quoted_changes


def _check_worth(change: ReportedChange, text: str, name_resolver: NameResolver) -> None:
    """Raise ChangeRefused for insignificant changes, and for a newcomer without a proper name."""
    if change.weight < MIN_WEIGHT:
        raise ChangeRefused("is too minor")
    if change.kind != "new":
        return
    name = " ".join(change.subject.split())
    words = normalize_name(name).split()
    if not any(word[:1].isupper() for word in name.split()) and _is_worth_a_record(change, words):
        _check_newcomer(name, text, name_resolver)
        return
    if not words or (words[-1] in _GENERIC_NOUNS and not any(w[:1].isupper() for w in name.split()[:-1])):
        raise ChangeRefused("has no name of its own")
    if not any(word[:1].isupper() for word in name.split()) or name.casefold() in PLAYER_CHARACTER_WORDS:
        raise ChangeRefused("has no name of its own")
    if name.isupper() and len(name) > 3:
        raise ChangeRefused("has no name of its own")
    _check_newcomer(name, text, name_resolver)


def _is_worth_a_record(change: ReportedChange, words: Sequence[str]) -> bool:
    """Return whether a thing or place without a name is called by more than its kind, and matters."""
    kind = ENTITY_KIND_WORDS.get(change.predicate.strip().casefold())
    return kind in _UNNAMED_KINDS and len(words) > 1 and change.weight >= MIN_UNNAMED_WEIGHT


def _check_newcomer(name: str, text: str, name_resolver: NameResolver) -> None:
    """Raise ChangeRefused for somebody or something that the text does not name, or that is on record."""
    if normalize_statement(name) not in normalize_statement(text):
        raise ChangeRefused("is not named in the text")
    if name_resolver.find(name) is not None or name_resolver.find_similar(name) is not None:
        raise ChangeRefused("is on record already")


def _check_duplicate(
    payload: Payload, drafts: Iterable[tuple[ReportedChange, ChangeQuote, Payload]], package: ContextPackage
) -> None:
    """Raise ChangeRefused for what canon, a staged proposal or this turn already has."""
    draft_payloads = [draft_payload for *_, draft_payload in drafts]
    staged_changes = [p.change for p in package.scene.staged_proposals]
    if isinstance(payload, AssertFact):
        canon = package.canonical
        facts = (*canon.facts, *canon.relations, *canon.encounters, *canon.assertions, *canon.axioms)
        matters = package.agenda.commitments.values()
        if any(_is_same_statement(payload.statement, f.statement) for f in (*facts, *matters)):
            raise ChangeRefused("is on record already")
        proposed_statements = [
            c.statement for c in (*staged_changes, *draft_payloads) if isinstance(c, AssertFact)
        ]
        if any(_is_same_statement(payload.statement, statement) for statement in proposed_statements):
            raise ChangeRefused("is proposed already")
        if payload.fact_kind is FactKind.COMMITMENT and any(
            _is_same_commitment(payload, change)
            for change in (*staged_changes, *draft_payloads)
            if isinstance(change, AssertFact)
        ):
            raise ChangeRefused("is proposed already")
    elif isinstance(payload, StateChange):
        if any(isinstance(c, StateChange) and _is_same_fact_key(c, payload) for c in draft_payloads):
            raise ChangeRefused("is proposed already")
    elif payload in draft_payloads or payload in staged_changes:
        raise ChangeRefused("is proposed already")


def _check_same_words(payload: Payload, change_quote: ChangeQuote, package: ContextPackage) -> None:
    """Raise ChangeRefused for a commitment of whose very words one is proposed: `it` may be the knife in another."""
    if not (isinstance(payload, AssertFact) and payload.fact_kind is FactKind.COMMITMENT):
        return
    quoted_words = normalize_statement(change_quote.quote.text)
    for proposal in package.scene.staged_proposals:
        change = proposal.change
        if (
            isinstance(change, AssertFact)
            and change.fact_kind is FactKind.COMMITMENT
            and _subject_of(change) == _subject_of(payload)
            and any(
                e.turn_id == change_quote.turn.id and quoted_words in normalize_statement(e.quote)
                for e in proposal.evidence
            )
        ):
            raise ChangeRefused("is proposed already")


def _is_same_commitment(one: AssertFact, other: AssertFact) -> bool:
    """Return whether both are of the same one in other words: the player's own line proposes what they swear, too."""
    if other.fact_kind is not FactKind.COMMITMENT or _subject_of(one) != _subject_of(other):
        return False
    numbers, other_numbers = _numbers_in(one.statement), _numbers_in(other.statement)
    if numbers and other_numbers and numbers != other_numbers:
        return False  # two bells are not three
    stems = set(content_stems(one.statement.partition(":")[2] or one.statement))
    return measure_coverage(tuple(stems), content_stems(other.statement), {}) >= SAME_COMMITMENT_SHARE


def _numbers_in(statement: str) -> set[int]:
    return {n for word in normalize_statement(statement).split() if (n := number_of(word)) is not None}


def _subject_of(change: AssertFact) -> Id | None:
    return next((i.entity_id for i in change.involves if i.role == "subject"), None)


def _is_same_statement(one: str, other: str) -> bool:
    from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

    one, other = normalize_statement(one), normalize_statement(other)
    # A number or a `not` more makes another statement, however similar the rest is.
    differing_words = set(one.split()) ^ set(other.split())
    if any(
        number_of(word) is not None or word in ("not", "no", "never", "nt", "t") for word in differing_words
    ):
        return False
    return fuzz.ratio(one, other) >= SAME_STATEMENT


def _is_same_fact_key(one: StateChange, other: StateChange) -> bool:
    return (one.entity_id, one.key.casefold()) == (other.entity_id, other.key.casefold())


def _build_proposal(
    turn: Turn,
    package: ContextPackage,
    catalogue: Catalogue,
    change_quote: ChangeQuote,
    payload: Payload,
    weight: int | None,
) -> ProposedChange:
    scene = package.scene
    is_critical = False
    if isinstance(payload, StateChange):
        is_critical = catalogue.is_critical(payload.key, payload.value)
    quote, quoted_turn = change_quote.quote, change_quote.turn
    evidence = Evidence(
        id=derive_id("evidence", EvidenceKind.TURN, quoted_turn.id, quote.start, quote.end),
        kind=EvidenceKind.TURN,
        ref_id=quoted_turn.id,
        quote=quote.text,
        turn_id=quoted_turn.id,
        scene_id=quoted_turn.scene_id,
        span=(quote.start, quote.end),
    )
    return build_proposal(
        derive_id("extracted", turn.id, payload.model_dump_json()),
        payload,
        [evidence],
        Authority.SYSTEM,
        ProposalSite(scene.universe.id, scene.story.id, turn.scene_id, turn.id, tick=turn.tick),
        turn.created_at,
        critical=is_critical,
        weight=weight,
    )


def _may_be_name(words: str) -> bool:
    return (
        0 < len(words.strip()) <= 80
        and len(words.split()) <= MAX_NAME_WORDS
        and any(w[0].isupper() for w in words.split())
    )


def _spellings(name: str) -> tuple[str, ...]:
    """Return a name with and without its article: the Heron House may be called either."""
    article, _, rest = name.partition(" ")
    return (name, rest) if rest and article.casefold() == "the" else (name, f"The {name}")


def _change_label(change: ReportedChange) -> str:
    """Return what a change is about, in a few words."""
    return " ".join(clean(f"{change.kind} {change.subject} {change.predicate} {change.object}").split())[:80]
