"""The folders and names of the notes of a vault, and the links between them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agents.exports.file_names import UniqueNames, safe_file_name
from agents.exports.markdown import escape_line, escape_paragraphs, escape_pieces
from agents.exports.name_links import NameFinder
from agents.exports.world_values import WorldRecord
from agents.sanitize import clean
from stores.records.ids import Id
from stores.records.world import EntityKind

INDEX_NOTE: Final = "Index"
WORLD_NOTE: Final = "World"
THREADS_NOTE: Final = "Threads"
TIMELINE_NOTE: Final = "Timeline"
PAGE_NAMES: Final = ("Places", "Relations", "Search", "Maps")
"""Pages that a wiki has besides; nothing is named like them."""
STORIES_FOLDER: Final = "Stories"
PICTURES_FOLDER: Final = "Pictures"
MAPS_FOLDER: Final = "Maps"
NOTE_ENDING: Final = ".md"

ENTITY_FOLDERS: Final[Mapping[EntityKind, str]] = {
    EntityKind.CHARACTER: "Characters",
    EntityKind.PLACE: "Places",
    EntityKind.FACTION: "Factions",
    EntityKind.OBJECT: "Objects",
    EntityKind.CONCEPT: "Concepts",
    EntityKind.CREATURE: "Creatures",
}


@dataclass(frozen=True, slots=True)
class NoteNames:
    """The name of the note of each entity, scene and map, unique in the whole vault, so that a name alone is a link."""

    by_id: Mapping[Id, str]
    story_folders: Mapping[Id, str]
    finder: NameFinder

    def link(self, id: Id, words: str = "") -> str:
        """Return a link to the note of an entity or scene that reads as `words`; the plain words if it has none."""
        name = self.by_id.get(id)
        if name is None:
            return escape_line(words)
        # These end a link, or split it, whatever stands before them.
        shown = " ".join(clean(words).translate({ord(c): " " for c in "[]|"}).split())
        return f"[[{name}]]" if shown in ("", name) else f"[[{name}|{shown}]]"

    def escape_line(self, text: str, *, without: Id | None = None) -> str:
        """Return one escaped line with a link for each name in it, but not for that of `without`."""
        return escape_pieces(
            (piece.text, self.link(piece.entity_id, piece.text) if piece.entity_id else "")
            for piece in self.finder.split(" ".join(clean(text).split()), without=without)
        )

    def escape_paragraphs(self, text: str) -> list[str]:
        """Return the paragraphs of a text, escaped, with a link for each name in a line."""
        return escape_paragraphs(text, self.escape_line)


def name_notes(record: WorldRecord) -> NoteNames:
    """Give every entity and scene a name for its note; of two alike, the older one has it without a number."""
    names = UniqueNames((INDEX_NOTE, WORLD_NOTE, THREADS_NOTE, TIMELINE_NOTE, *PAGE_NAMES))
    entities = [exported.entity for exported in record.entities]
    by_id = {
        entity.id: names.take(safe_file_name(entity.name, entity.kind.value.capitalize()))
        for entity in sorted(entities, key=lambda entity: (entity.recorded_at, entity.id))
    }
    folders = UniqueNames()
    story_folders = {}
    for story_record in record.stories:
        story_folders[story_record.story.id] = folders.take(safe_file_name(story_record.story.title, "Story"))
        for part in story_record.scenes:
            title = part.scene.title.strip()
            number = f"{part.scene.order:02}"
            words = (
                f"{number} {title}" if title not in ("", f"Scene {part.scene.order}") else f"{number} Scene"
            )
            by_id[part.scene.id] = names.take(safe_file_name(words, number))
    for shown in record.grid_maps:
        by_id[shown.grid_map.id] = names.take(safe_file_name(shown.outline.name, "Map"))
    return NoteNames(by_id, story_folders, NameFinder(entities))
