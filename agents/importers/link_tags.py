"""Reads the wiki links of a journal (`[[People/Marta|her]]`) as tags: each says that what it names exists.

What a link says of the kind is the folder of its note; the front matter may say it of a name, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from agents.importers.journal_markup import LINK, FrontMatter, link_words, plain_links, word_set
from agents.importers.log_entries import LogEntry, LogTag, TagKind, Voice
from agents.importers.scenes import find_day, find_heading, names_a_part
from stores.records.world import EntityKind

_KIND_WORDS: Final = {
    EntityKind.CHARACTER: "character characters npc npcs pc pcs people person persons cast",
    EntityKind.PLACE: "place places location locations loc site sites",
    EntityKind.FACTION: "faction factions organisation organisations organization organizations group groups",
    EntityKind.OBJECT: "object objects item items artifact artifacts artefact artefacts",
    EntityKind.CREATURE: "creature creatures monster monsters beast beasts bestiary",
    EntityKind.CONCEPT: "concept concepts",
}
_KIND_OF: Final = {word: kind for kind, words in _KIND_WORDS.items() for word in words.split()}
"""The kinds by the names of folders, and the keys of front matter, that say them."""

_NPC_FOLDERS: Final = word_set("npc npcs")

_OTHER_FOLDERS: Final = word_set(
    "session sessions scene scenes journal journals daily log logs story stories template templates rule rules move"
    " moves oracle oracles meta picture pictures map maps assets attachments"
)
"""Folders whose notes are of no entity of a world."""

_FILE: Final = re.compile(
    r".*\.(?:md|canvas|base|excalidraw|pdf|png|jpe?g|gif|svg|webp|bmp|avif|mp3|m4a|wav|ogg|flac|mp4|mov|mkv|webm|txt|csv"
    r"|json|html?|docx|xlsx|zip)",
    re.IGNORECASE,
)
_NUMBERED_NOTE: Final = re.compile(r"\d+(?:[\s._-].*)?")
"""`01 The pier`, `202405011200 Marta`: a note that is kept in an order."""


def linked_kinds(front_matter: FrontMatter) -> dict[str, EntityKind]:
    """Return the kinds that front matter says of names, by the folded name: `npc: Marta, Osk`."""
    kinds: dict[str, EntityKind] = {}
    for key, value in front_matter.fields:
        if kind := _KIND_OF.get(key.casefold()):
            kinds |= {" ".join(name.split()).casefold(): kind for name in value.split(",")}
    return kinds


def read_links(entry: LogEntry, kinds: Mapping[str, EntityKind]) -> LogEntry:
    """Return an entry with the words of its links, and a tag for each thing that they name; a note has none."""
    if "[[" not in entry.text:
        return entry
    tags = () if entry.voice is Voice.OOC else tuple(_link_tags(entry.text, kinds))
    return replace(entry, text=plain_links(entry.text), tags=(*entry.tags, *tags))


def _link_tags(text: str, kinds: Mapping[str, EntityKind]) -> Iterator[LogTag]:
    for link in LINK.finditer(text):
        folder, _, name = (" ".join(part.split()) for part in (link["target"] or "").rpartition("/"))
        folders = folder.casefold().split("/")
        if link["embed"] or not _may_name_entity(name) or not _OTHER_FOLDERS.isdisjoint(folders):
            continue
        folder_kind = next((_KIND_OF[word] for word in reversed(folders) if word in _KIND_OF), None)
        kind = folder_kind or kinds.get(name.casefold())
        is_npc = not _NPC_FOLDERS.isdisjoint(folders) and kind is EntityKind.CHARACTER
        yield LogTag(TagKind.LINK, name, entity_kind=kind, shown=link_words(link), is_npc=is_npc)


def _may_name_entity(name: str) -> bool:
    """Say whether a note may be of somebody or something: not of a day, a session or a file."""
    if not any(c.isalpha() for c in name) or _FILE.fullmatch(name) or _NUMBERED_NOTE.fullmatch(name):
        return False
    is_part = find_heading(name) is not None or (names_a_part(name) and any(c.isdigit() for c in name))
    return not is_part and find_day(name) is None
