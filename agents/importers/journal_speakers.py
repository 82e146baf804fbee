"""Gives each speaker of a journal one name and one voice, where its lines name or mark them differently."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import dropwhile
from typing import Final

from agents.importers.journal_markup import FrontMatter
from agents.importers.log_entries import LogEntry, TagKind, Voice
from agents.importers.plain_text import is_name
from agents.prose.names import EPITHETS
from agents.prose.speech import strip_speech
from agents.prose.titles import TITLES
from stores.records.world import EntityKind

_MAX_CHECKED_SPEAKERS: Final = 20
"""Speakers with most turns who are looked for in the narration."""

_BEFORE_NAMES: Final = TITLES | EPITHETS
_BRACKETS: Final = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_FIRST_PERSON: Final = re.compile(r"\b(?:I|me|[Mm]y)\b")


def join_speakers(entries: Sequence[LogEntry], front_matter: FrontMatter) -> list[LogEntry]:
    """Return the entries in which who is called `Osric` and `Brother Osric` speaks under the full name.

    That is somebody whose first name only one other name of the journal has, after a title or before a
    surname; two who have a tag or a note each are two.
    """
    people = [*_people_of(entries), *find_played_names(entries, front_matter)]
    noted_names = {tag.name.casefold() for entry in entries for tag in entry.tags}
    full_names: dict[str, dict[str, str]] = {}
    for person in people:
        if first_name := _find_first_name(person):
            full_names.setdefault(first_name, {}).setdefault(person.casefold(), person)

    def find_full_name(name: str) -> str:
        longer_names = full_names.get(name.casefold(), {})
        if len(longer_names) != 1:
            return name
        ((folded_full_name, full_name),) = longer_names.items()
        return name if {name.casefold(), folded_full_name} <= noted_names else full_name

    return [replace(e, speaker=find_full_name(e.speaker)) if e.speaker else e for e in entries]


def assign_deeds(entries: Sequence[LogEntry], hero: str, front_matter: FrontMatter) -> list[LogEntry]:
    """Return the entries in which deeds and quotations have the voice of whose they are.

    In a journal of several who are played, the player's are those of the hero. Without a hero they are of those
    whom the journal says to be played, or else of everybody who acts and whom nothing in it calls an NPC.
    """
    played_names = find_played_names(entries, front_matter)
    npcs = frozenset(_npc_names(entries, front_matter))
    actors = {e.speaker for e in entries if e.is_deed}
    players = {name for name in actors if npcs.isdisjoint((name.casefold(), _find_first_name(name)))}

    def is_played(name: str) -> bool:
        if hero or played_names:
            return any(_is_part_of_other(name, other) for other in ((hero,) if hero else played_names))
        return name in players

    return [
        replace(e, voice=Voice.PLAYER if is_played(e.speaker) else Voice.NPC)
        if e.is_deed or (e.is_callout and e.voice is Voice.NPC)
        else e
        for e in entries
    ]


def find_played_names(entries: Iterable[LogEntry], front_matter: FrontMatter) -> list[str]:
    """Return whom the journal says to be played: `pc: Tamsin Reeve` in the front matter, `[PC:Kit|HP 8]`."""
    written_names = _BRACKETS.sub("", front_matter.value("pc", "pcs")).split(",")
    names = [" ".join(name.split()) for name in written_names]
    names += (tag.name for entry in entries for tag in entry.tags if tag.kind is TagKind.HERO)
    return [name for name in dict.fromkeys(names) if name and is_name(name)]


def find_unplayed_names(entries: Sequence[LogEntry], front_matter: FrontMatter) -> frozenset[str]:
    """Return the folded names of those who speak and are not played: NPCs, and of whom somebody tells as `I`.

    `Mother Pell gives me a pear.` is told by another, and so is `Marta feeds the hens.` of the one Marta, Marta Ashe.
    """
    unplayed_names = set(_npc_names(entries, front_matter))
    narration = (e.text for e in entries if not e.speaker and e.voice in (None, Voice.GM))
    told = strip_speech("\n".join(narration))
    if _FIRST_PERSON.search(told):
        turn_counts = Counter(entry.speaker for entry in entries if entry.speaker)
        people = frozenset(person.casefold() for person in _people_of(entries))
        unplayed_names |= {
            name.casefold()
            for name, _ in turn_counts.most_common(_MAX_CHECKED_SPEAKERS)
            if any(re.search(rf"\b{re.escape(part)}\b", told) for part in _own_names(name, people))
        }
    return frozenset(unplayed_names)


def _find_first_name(name: str) -> str:
    """Return the folded first name of somebody who has a title before it or a surname after it; else nothing."""
    words = name.split()
    rest = list(dropwhile(lambda word: word.rstrip(".").casefold() in _BEFORE_NAMES, words))
    is_name = len(words) > 1 and 1 <= len(rest) <= 2 and all(w.isalpha() and w[0].isupper() for w in rest)
    return rest[0].casefold() if is_name else ""


def _own_names(name: str, people: Collection[str]) -> list[str]:
    """Return a name, and the first name in it if nobody else of the folded names has it."""
    first_name = _find_first_name(name)
    bearers = {person for person in people if first_name in person.split()} - {name.casefold(), first_name}
    return [name, *(word for word in name.split() if word.casefold() == first_name and not bearers)]


def _people_of(entries: Iterable[LogEntry]) -> Iterator[str]:
    """Yield the names of who speaks, and of who has a tag or a note that says that it is of a character."""
    for entry in entries:
        if entry.speaker:
            yield entry.speaker
        for tag in entry.tags:
            if tag.kind in (TagKind.CHARACTER, TagKind.HERO) or tag.entity_kind is EntityKind.CHARACTER:
                yield tag.name


def _npc_names(entries: Iterable[LogEntry], front_matter: FrontMatter) -> Iterator[str]:
    """Yield the folded names of those whom the journal calls NPCs."""
    for name in front_matter.value("npc", "npcs").split(","):
        if name.strip():
            yield " ".join(name.split()).casefold()
    for entry in entries:
        if entry.voice is Voice.NPC and not (entry.is_deed or entry.is_callout):
            yield entry.speaker.casefold()
        for tag in entry.tags:
            if tag.kind is TagKind.CHARACTER or tag.is_npc:
                yield tag.name.casefold()


def _is_part_of_other(name: str, other: str) -> bool:
    words, other_words = set(name.casefold().split()), set(other.casefold().split())
    return words <= other_words or other_words <= words
