"""Makes proposals of what a character card or a lorebook says. Nothing of it is canon before it is decided on.

Identifiers follow from the universe and the card's own words, so that the same card, from whichever file, gives the
same proposals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple

from agents.importers.cards.card_text import replace_macros, split_statements
from agents.importers.cards.card_values import CardFile, CharacterCard, KeptText, LoreEntry
from agents.proposals.evidence import MAX_QUOTE_LENGTH
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.proposals.statements import LORE_PREDICATE, MAX_STATEMENT_LENGTH, STATED_PREDICATE, as_sentence
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    Evidence,
    EvidenceKind,
    FactKind,
    Involvement,
    Payload,
)
from stores.records.ids import Id, derive_id
from stores.records.sources import Snippet
from stores.records.workflow import ProposedChange
from stores.records.world import EntityKind

MAX_DESCRIPTION: Final = 400
"""Characters of a new character's description, which every prompt says while they are there; the rest is facts."""

MAX_FACTS: Final = 300
"""Facts that one card proposes."""


@dataclass(frozen=True, slots=True)
class CardSite:
    """Where a card is proposed, and what its macros stand for."""

    universe_id: Id
    source_id: Id
    user: str
    created_at: datetime
    known_entity_id: Id | None = None
    """The character of canon whom the card describes, if there is one already."""


def card_entity_id(universe_id: Id, name: str) -> Id:
    """Return the id of the entity that a card proposes under this name."""
    return derive_id("card entity", universe_id, name.casefold())


def build_card_proposals(card: CardFile, site: CardSite) -> list[ProposedChange]:
    """Return the proposals: the character, its facts, then the lore entries, in the order of the file."""
    proposals: dict[Id, ProposedChange] = {}
    for part in _parts(card, site):
        proposal_id = derive_id("card proposal", site.universe_id, *part.key)
        evidence = Evidence(
            id=derive_id("evidence", EvidenceKind.CHUNK, proposal_id),
            kind=EvidenceKind.CHUNK,
            ref_id=site.source_id,
            quote=f"{part.place}: {part.quote}"[:MAX_QUOTE_LENGTH],
            source_id=site.source_id,
        )
        proposals[proposal_id] = build_proposal(
            proposal_id,
            part.change,
            [evidence],
            Authority.SOURCE,
            ProposalSite(site.universe_id),
            site.created_at,
        )
    return list(proposals.values())


def build_snippets(card: CardFile, site: CardSite) -> list[Snippet]:
    """Return the texts of a card that are proposed as nothing, and kept beside it."""
    kept_texts: tuple[KeptText, ...] = card.character.kept_texts if card.character else ()
    char = _short_name(card)
    return [
        Snippet(
            id=derive_id("card snippet", site.source_id, ordinal),
            source_id=site.source_id,
            universe_id=site.universe_id,
            ordinal=ordinal,
            text=f"{kept.title}: {replace_macros(kept.text, char, site.user)}",
        )
        for ordinal, kept in enumerate(kept_texts)
    ]


def count_unproposed_facts(card: CardFile) -> int:
    """Return how many sentences of the character are more than one card may propose."""
    sentences = sum(1 for _ in _character_sentences(card.character)) if card.character else 0
    return max(0, sentences - MAX_FACTS)


class _Part(NamedTuple):
    """One thing that a card says: what its proposal is known by, where it stands, its words, and the change."""

    key: tuple[str, ...]
    place: str
    quote: str
    change: Payload


def _parts(card: CardFile, site: CardSite) -> Iterator[_Part]:
    char = _short_name(card)
    if card.character is not None:
        yield from _character_parts(card.character, site, char)
    for entry in card.entries:
        yield _lore_part(entry, site, char)


def _short_name(card: CardFile) -> str:
    """Return what `{{char}}` stands for; empty in a lorebook, which is of nobody."""
    return (card.character.nickname or card.character.name) if card.character else ""


def _character_parts(character: CharacterCard, site: CardSite, char: str) -> Iterator[_Part]:
    entity_id = site.known_entity_id or card_entity_id(site.universe_id, character.name)
    described = 0
    if site.known_entity_id is None:
        description, described = _begin_description(character, site, char)
        change = CreateEntity(
            entity_id=entity_id,
            entity_kind=EntityKind.CHARACTER,
            name=character.name,
            aliases=(character.nickname,) if character.nickname else (),
            description=description,
        )
        yield _Part(("character", character.name.casefold()), "name", description or character.name, change)
    sentences = islice(_character_sentences(character), MAX_FACTS)
    for place, raw_sentence in islice(sentences, described, None):
        sentence = replace_macros(raw_sentence, char, site.user)
        yield _Part(
            ("fact", character.name.casefold(), place, raw_sentence),
            place,
            sentence,
            AssertFact(
                fact_kind=FactKind.ATTRIBUTE,
                predicate=STATED_PREDICATE,
                statement=_statement(place, sentence, character, char),
                involves=(Involvement(role="subject", entity_id=entity_id),),
            ),
        )


def _character_sentences(character: CharacterCard) -> Iterator[tuple[str, str]]:
    """Yield each sentence of the card with the field that it stands in; the description comes first."""
    for place, text in (
        ("description", character.description),
        ("personality", character.personality),
        ("scenario", character.scenario),
    ):
        yield from ((place, sentence) for sentence in split_statements(text))


def _begin_description(character: CharacterCard, site: CardSite, char: str) -> tuple[str, int]:
    """Return the first sentences of the description that fit, and how many they are."""
    description, count = "", 0
    for raw_sentence in split_statements(character.description):
        longer = f"{description} {replace_macros(raw_sentence, char, site.user)}".strip()
        if len(longer) > MAX_DESCRIPTION:
            break
        description, count = longer, count + 1
    return description, count


def _statement(place: str, sentence: str, character: CharacterCard, char: str) -> str:
    """Return a sentence of a card as a statement that says of whom it is."""
    names = {word for name in (character.name, char) for word in name.casefold().split()}
    words = {
        word.strip(".,;:!?'’\"()[]").removesuffix("'s").removesuffix("’s")
        for word in sentence.casefold().split()
    }
    if names & words:
        return as_sentence(sentence)
    owner = {
        "description": char,
        "personality": f"{char}’s personality",
        "scenario": f"The scenario of {char}",
    }
    return as_sentence(f"{owner[place]}: {sentence}"[:MAX_STATEMENT_LENGTH])


def _lore_part(entry: LoreEntry, site: CardSite, char: str) -> _Part:
    lore = entry.lore.model_copy(
        update={
            "title": replace_macros(entry.lore.title, char, site.user),
            "keys": tuple(replace_macros(key, char, site.user) for key in entry.lore.keys),
            "secondary_keys": tuple(
                replace_macros(key, char, site.user) for key in entry.lore.secondary_keys
            ),
        }
    )
    text = replace_macros(entry.text, char, site.user)
    return _Part(
        ("lore", entry.lore.model_dump_json(), entry.text),
        f"entry “{lore.title}”",
        text,
        AssertFact(
            fact_kind=FactKind.LORE,
            predicate=LORE_PREDICATE,
            statement=text,
            lore=lore,
        ),
    )
