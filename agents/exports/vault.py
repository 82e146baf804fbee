"""Writes a world as an Obsidian vault: a note for each entity and scene, threads, timeline, and an index. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from agents.diagrams.grid_export import render_grid_svg
from agents.diagrams.grid_map_views import ShownGridMap
from agents.exports.markdown import escape_line, escape_paragraphs
from agents.exports.story_markdown import StoryMarkdownWriter
from agents.exports.story_values import StoryRecord
from agents.exports.vault_names import (
    ENTITY_FOLDERS,
    INDEX_NOTE,
    MAPS_FOLDER,
    NOTE_ENDING,
    PICTURES_FOLDER,
    STORIES_FOLDER,
    THREADS_NOTE,
    TIMELINE_NOTE,
    WORLD_NOTE,
    NoteNames,
    name_notes,
)
from agents.exports.vault_notes import NoteWriter, fact_label, join_note
from agents.exports.world_maps import describe_cells, describe_ways
from agents.exports.world_values import NO_PICTURES, ExportedPicture, WorldRecord
from agents.views.card_views import FactView
from stores.records.ids import Id
from stores.records.world import EntityKind


@dataclass(frozen=True, slots=True)
class Vault:
    """The notes and pictures of a vault by their path in it, with `/` between folders.

    `owners` has by path whose note it is, of those that can be edited and read again, and `fact_ids` each fact by the
    footnote that stands for it.
    """

    notes: dict[str, str]
    owners: dict[str, Id] = field(default_factory=dict)
    fact_ids: dict[str, Id] = field(default_factory=dict)
    pictures: dict[str, bytes] = field(default_factory=dict)
    """What notes show, by its path: pictures of entities, and maps (SVG)."""


def write_vault(record: WorldRecord, pictures: Mapping[Id, ExportedPicture] = NO_PICTURES) -> Vault:
    """Return the vault of a world; the same world gives the same bytes."""
    names = name_notes(record)
    note_writer = NoteWriter(record, names)
    vault = Vault({f"{WORLD_NOTE}{NOTE_ENDING}": note_writer.write_world()})
    vault.owners[f"{WORLD_NOTE}{NOTE_ENDING}"] = record.universe.id
    for exported in record.entities:
        entity = exported.entity
        path = f"{ENTITY_FOLDERS[entity.kind]}/{names.by_id[entity.id]}{NOTE_ENDING}"
        picture_path = ""
        if picture := pictures.get(entity.id):
            picture_path = f"{PICTURES_FOLDER}/{names.by_id[entity.id]}{picture.ending}"
            vault.pictures[picture_path] = picture.data
        vault.notes[path] = note_writer.write_entity(exported, picture_path)
        vault.owners[path] = entity.id
    for story_record in record.stories:
        vault.notes.update(_write_story(story_record, names))
    for shown in record.grid_maps:
        path = f"{MAPS_FOLDER}/{names.by_id[shown.grid_map.id]}"
        vault.notes[f"{path}{NOTE_ENDING}"] = _write_map(shown, names)
        vault.pictures[f"{path}.svg"] = render_grid_svg(shown).encode()
    vault.notes[f"{THREADS_NOTE}{NOTE_ENDING}"] = _write_threads(record, names)
    vault.notes[f"{TIMELINE_NOTE}{NOTE_ENDING}"] = _write_timeline(record, names)
    vault.notes[f"{INDEX_NOTE}{NOTE_ENDING}"] = _write_index(record, names)
    vault.fact_ids.update((fact_label(view.fact.id), view.fact.id) for view in _all_facts(record))
    return vault


def _all_facts(record: WorldRecord) -> Iterator[FactView]:
    yield from record.world_facts
    for exported in record.entities:
        yield from exported.card.facts
        yield from (view for _, _, view in exported.card.relations)


def _write_story(record: StoryRecord, names: NoteNames) -> dict[str, str]:
    """Return the notes of a story's scenes; each leads to the one before and the one after it."""
    writer = StoryMarkdownWriter(record, names.escape_paragraphs)
    folder = f"{STORIES_FOLDER}/{names.story_folders[record.story.id]}"
    notes = {}
    for position, part in enumerate(record.scenes):
        neighbours = [
            f"{word}: {names.link(record.scenes[other].scene.id)}"
            for word, other in (("Before", position - 1), ("After", position + 1))
            if 0 <= other < len(record.scenes)
        ]
        properties = {
            "kind": "scene",
            "story": record.story.title,
            "number": part.scene.order,
            "when": part.when,
            "where": names.link(part.scene.opening_place_id or part.scene.place_id or "", part.place),
        }
        heading, *blocks = writer.write_scene(part)
        here = [" · ".join(neighbours)] if neighbours else []
        text = join_note(
            {k: v for k, v in properties.items() if v}, [heading.removeprefix("#"), *here, *blocks]
        )
        notes[f"{folder}/{names.by_id[part.scene.id]}{NOTE_ENDING}"] = text
    return notes


def _write_map(shown: ShownGridMap, names: NoteNames) -> str:
    """Return the note of a grid map: its picture, and what is in its cells."""
    items = [*describe_cells(shown, names.link, names.escape_line), *describe_ways(shown)]
    lines = [f"- {item}" for item in items]
    blocks = [f"# {escape_line(shown.outline.name)}", f"![[{names.by_id[shown.grid_map.id]}.svg]]"]
    return join_note({"kind": "map"}, [*blocks, *(["\n".join(lines)] if lines else [])])


def _write_threads(record: WorldRecord, names: NoteNames) -> str:
    blocks = [f"# {THREADS_NOTE}"]
    for title, is_open in (("Open", True), ("Settled", False)):
        lines = [
            f"{c.kind}: {names.escape_line(c.fact.fact.statement)}"
            + (f" *({escape_line(c.ended_at or c.age)})*" if c.ended_at or c.age else "")
            for c in record.commitments
            if c.is_open is is_open
        ]
        lines += [
            f"{names.escape_line(thread.name)} *({escape_line(story.story.title)})*"
            for story in record.stories
            for thread in story.threads
            if thread.is_open is is_open
        ]
        if lines:
            blocks += [f"## {title}", "\n".join(f"- {line}" for line in lines)]
    if record.clocks:
        clocks = [f"- {escape_line(clock.name)}: {clock.filled} of {clock.size}" for clock in record.clocks]
        blocks += ["## Clocks", "\n".join(clocks)]
    return join_note({"kind": "threads"}, blocks if len(blocks) > 1 else [*blocks, "Nothing is open."])


def _write_timeline(record: WorldRecord, names: NoteNames) -> str:
    blocks = [f"# {TIMELINE_NOTE}"]
    for day, events in groupby(record.timeline, key=lambda event: event.day):
        lines = []
        for event in events:
            if isinstance(event.mentioned, FactView):
                lines.append(names.escape_line(event.mentioned.fact.statement))
            else:
                note = f": {names.escape_line(event.note)}" if event.note else ""
                lines.append(f"{names.link(event.scene_id or '', event.mentioned.title)}{note}")
        blocks += [f"## {escape_line(day)}", "\n".join(f"- {line}" for line in lines)]
    return join_note({"kind": "timeline"}, blocks)


def _write_index(record: WorldRecord, names: NoteNames) -> str:
    universe = record.universe
    map_lines = [f"- {names.link(s.grid_map.id, s.outline.name)}" for s in record.grid_maps]
    blocks = [
        f"# {escape_line(universe.name)}: index",
        *escape_paragraphs(universe.description),
        f"- [[{WORLD_NOTE}]]\n- [[{THREADS_NOTE}]]\n- [[{TIMELINE_NOTE}]]",
    ]
    for kind in EntityKind:
        entities = [exported.entity for exported in record.entities if exported.entity.kind is kind]
        if entities:
            ordered = sorted(entities, key=lambda entity: (entity.name.casefold(), entity.id))
            links = [f"- {names.link(entity.id, entity.name)}" for entity in ordered]
            blocks += [f"## {ENTITY_FOLDERS[kind]}", "\n".join(links)]
    if map_lines:
        blocks += [f"## {MAPS_FOLDER}", "\n".join(map_lines)]
    for story_record in record.stories:
        links = [f"- {names.link(part.scene.id)}" for part in story_record.scenes]
        blocks += [f"## {escape_line(story_record.story.title)}", *(["\n".join(links)] if links else [])]
    return join_note({"kind": "index"}, blocks)
