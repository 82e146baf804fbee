"""Writes the note of an entity, and that of the world, so that what is edited there can be read again. Pure.

`agents.exports.vault_reading` reads it: what changes here changes there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from agents.exports.fact_citations import EvidenceDescriber, describe_standing
from agents.exports.markdown import escape_line, escape_paragraphs
from agents.exports.vault_names import NoteNames
from agents.exports.world_values import ExportedEntity, WorldRecord
from agents.typed_numbers import number_label
from agents.views.card_views import FactView
from stores.records.canon import Standing
from stores.records.ids import Id

ID_KEY: Final = "monitor"
"""The key of the front matter that says whose note it is."""

OWN_PART_MARK: Final = "%% What stands below this line is yours: MONITOR neither reads nor changes it. %%"

WORLD_KIND: Final = "world"
FACTS_SECTION: Final = "Facts"
RELATIONS_SECTION: Final = "Relations"
NUMBERS_SECTION: Final = "Numbers"
READ_ONLY_SECTIONS: Final = ("No longer true", "Memories", "Scenes")

_STANDING_PREFIXES: Final[Mapping[Standing, str]] = {
    Standing.TRUE: "",
    Standing.RUMOUR: "Rumour: ",
    Standing.LIE: "Lie: ",
    Standing.DISPUTED: "Disputed: ",
}
STANDING_PREFIXES: Final = tuple(filter(None, _STANDING_PREFIXES.values()))


def fact_label(fact_id: Id) -> str:
    """Return the footnote of a fact: the same in every note and at every export, and short."""
    return hashlib.sha256(fact_id.encode()).hexdigest()[:10]


class NoteWriter:
    """Writes notes of entities."""

    def __init__(self, record: WorldRecord, names: NoteNames) -> None:
        self._names = names
        self._record = record
        scenes = [part for story in record.stories for part in story.scenes]
        source_titles = {k: v for story in record.stories for k, v in story.source_titles.items()}
        self._describer = EvidenceDescriber(scenes, source_titles)
        self._scene_by_turn = {row.turn.id: part.scene.id for part in scenes for row in part.rows}

    def write_entity(self, exported: ExportedEntity, picture_path: str = "") -> str:
        """Return the note of an entity, without the player's own part; `picture_path` is that of its picture."""
        entity, card = exported.entity, exported.card
        properties: dict[str, object] = {ID_KEY: entity.id, "kind": entity.kind.value}
        if entity.is_pc:
            properties["player_character"] = True
        properties["aliases"] = list(entity.aliases)
        if exported.status:
            properties["status"] = exported.status
        if exported.place is not None:
            properties["where"] = self._names.link(exported.place.id, exported.place.name)
        properties["tags"] = [tag_word(tag) for tag in entity.tags]
        relations = [
            f"{escape_line(label)} {self._names.link(other.id, other.name)}"
            for label, other, _ in card.relations
        ]
        views = [*card.facts, *(view for _, _, view in card.relations)]
        blocks = [
            f"# {escape_line(entity.name)}",
            *([f"![[{picture_path}]]"] if picture_path else []),
            *escape_paragraphs(entity.description),
            *self._write_facts(card.facts, without=entity.id),
            *_write_section(
                RELATIONS_SECTION,
                (
                    f"{_prefix(view)}{line}[^{fact_label(view.fact.id)}]"
                    for line, (_, _, view) in zip(relations, card.relations, strict=True)
                ),
            ),
            *_write_section(
                NUMBERS_SECTION,
                (
                    f"{escape_line(number_label(key))}: {value}"
                    for key, value in sorted(entity.numbers.items())
                ),
            ),
            *_write_section(
                READ_ONLY_SECTIONS[0],
                (
                    f"{escape_line(view.fact.statement)}{f' *({escape_line(view.when)})*' if view.when else ''}"
                    for view in card.history
                ),
            ),
            *_write_section(
                READ_ONLY_SECTIONS[1],
                (
                    f"{escape_line(memory.text)} *({escape_line(memory.source)})*"
                    for memory in exported.memories
                ),
            ),
            *_write_section(READ_ONLY_SECTIONS[2], map(self._names.link, exported.scene_ids)),
            *self._write_footnotes(views),
        ]
        return join_note(properties, blocks)

    def write_world(self) -> str:
        """Return the note of the world itself: its rules, its lore, and what is said of nobody in particular."""
        universe = self._record.universe
        blocks = [
            f"# {escape_line(universe.name)}",
            *escape_paragraphs(universe.description),
            *self._write_facts(self._record.world_facts, without=None),
            *self._write_footnotes(self._record.world_facts),
        ]
        return join_note({ID_KEY: universe.id, "kind": WORLD_KIND}, blocks)

    def _write_facts(self, views: Iterable[FactView], *, without: Id | None) -> list[str]:
        return _write_section(
            FACTS_SECTION,
            (
                f"{_prefix(view)}{self._names.escape_line(view.fact.statement, without=without)}"
                f"[^{fact_label(view.fact.id)}]"
                for view in views
            ),
        )

    def _write_footnotes(self, views: Sequence[FactView]) -> Iterator[str]:
        by_label = {fact_label(view.fact.id): view for view in views}
        for label, view in by_label.items():
            standing = escape_line(describe_standing(view))
            evidence = "; ".join(map(escape_line, self._describer.describe_evidence(view)))
            scene_ids = (
                self._scene_by_turn.get(e.turn_id or "", e.scene_id or e.ref_id) for e in view.evidence
            )
            links = [self._names.link(i) for i in dict.fromkeys(scene_ids) if i in self._names.by_id]
            rests_on = f" Rests on {evidence}" if evidence else ""
            places = f" ({', '.join(links)})" if links else ""
            yield f"[^{label}]: {standing}.{rests_on}{places}"


def join_note(properties: Mapping[str, object], blocks: Iterable[str]) -> str:
    """Return a note: the properties as front matter, and the blocks with empty lines between them.

    Values stand in JSON, which YAML reads as it is whatever they hold.
    """
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in properties.items()]
    return "\n".join(["---", *lines, "---"]) + "\n" + "\n\n".join(blocks) + "\n"


def tag_word(tag: str) -> str:
    """Return a tag as Obsidian takes it: without spaces."""
    return "-".join("".join(c if c.isalnum() or c in "_-/" else " " for c in tag).split())


def _prefix(view: FactView) -> str:
    return _STANDING_PREFIXES[view.fact.standing]


def _write_section(title: str, lines: Iterable[str]) -> list[str]:
    """Return a heading and a list; nothing if the list is empty."""
    items = [f"- {line}" for line in lines]
    return [f"## {title}", "\n".join(items)] if items else []
