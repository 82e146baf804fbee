"""Writes a world as a web site of plain files, which a browser opens from the disk: no server, no network. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final
from urllib.parse import quote

from agents.canon_keeper.fact_readings import LOCATED_IN, SUBJECT
from agents.diagrams.grid_export import render_grid_svg
from agents.exports.fact_citations import EvidenceDescriber, describe_standing, join_parts
from agents.exports.html_text import escape_html, read_asset, write_element, write_list, write_paragraphs
from agents.exports.story_html import StoryHtmlWriter, scene_title
from agents.exports.story_values import StoryRecord
from agents.exports.vault_names import ENTITY_FOLDERS, PICTURES_FOLDER, NoteNames, name_notes
from agents.exports.world_maps import describe_cells, describe_ways
from agents.exports.world_values import NO_PICTURES, ExportedEntity, ExportedPicture, WorldRecord
from agents.typed_numbers import number_label
from agents.views.card_views import FactView
from stores.records.canon import Standing
from stores.records.ids import Id
from stores.records.world import EntityKind

WIKI_FORM: Final = "wiki"
PAGE_ENDING: Final = ".html"
INDEX_PAGE: Final = "index"
MAX_INDEXED_CHARS: Final = 20_000
"""Characters of one page that can be searched."""

CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; "
    "base-uri 'none'; form-action 'none'"
)
"""What a page may load: its own files. `file:` is for browsers in which a page from the disk has no self."""


def write_wiki(record: WorldRecord, pictures: Mapping[Id, ExportedPicture] = NO_PICTURES) -> dict[str, bytes]:
    """Return the files of the site by their path; the same world gives the same bytes."""
    return _WikiWriter(record, pictures).write_files()


class _WikiWriter:
    def __init__(self, record: WorldRecord, pictures: Mapping[Id, ExportedPicture]) -> None:
        self._record = record
        self._pictures = pictures
        self._names = name_notes(record)
        scenes = [part for story in record.stories for part in story.scenes]
        titles = {id: title for story in record.stories for id, title in story.source_titles.items()}
        self._describer = EvidenceDescriber(scenes, titles)
        self._scene_titles = {part.scene.id: scene_title(part) for part in scenes}
        self._searchable: list[tuple[str, str, str, str]] = []
        """Title, kind, address and words of each page."""

    def write_files(self) -> dict[str, bytes]:
        pages: dict[str, str] = {}
        for exported in self._record.entities:
            pages[self._file_of(exported.entity.id)] = self._write_entity(exported)
        for story in self._record.stories:
            pages.update(self._write_story(story))
        pages["timeline"] = self._page("Timeline", self._write_timeline())
        pages["places"] = self._page("Places", self._write_places())
        if self._record.grid_maps:
            pages["maps"] = self._page("Maps", self._write_maps())
        pages["relations"] = self._page("Relations", self._write_relations())
        pages["threads"] = self._page("Threads", self._write_threads())
        pages[INDEX_PAGE] = self._page(self._record.universe.name, self._write_index())
        index = json.dumps(self._searchable, separators=(",", ":"))
        texts = {f"{name}{PAGE_ENDING}": text for name, text in pages.items()}
        # In a script no `<` may stand that could end it.
        texts["search-index.js"] = "window.wikiIndex = " + index.replace("<", "\\u003c") + ";\n"
        texts |= {name: read_asset(name) for name in ("wiki.css", "wiki.js")}
        texts |= {
            f"map-{number}.svg": render_grid_svg(shown)
            for number, shown in enumerate(self._record.grid_maps, 1)
        }
        files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
        for exported in self._record.entities:
            if picture := self._pictures.get(exported.entity.id):
                files[self._picture_path(exported.entity.id, picture)] = picture.data
        return files

    # --- pages ----------------------------------------------------------------------------------------

    def _write_entity(self, exported: ExportedEntity) -> str:
        entity, card = exported.entity, exported.card
        about = join_parts(
            (entity.kind.value, exported.status if exported.status == "dead" else "", *entity.tags)
        )
        blocks = [write_element("p", escape_html(about), {"class": "kind"})]
        if picture := self._pictures.get(entity.id):
            blocks.append(_write_picture(self._picture_path(entity.id, picture), entity.name))
        if entity.aliases:
            blocks.append(
                write_element("p", f"Also: {escape_html(', '.join(entity.aliases))}", {"class": "kind"})
            )
        blocks += write_paragraphs(entity.description, "", self._linker(entity.id))
        blocks += _section("Facts", (self._write_fact(view, entity.id) for view in card.facts))
        relations = (
            f"{escape_html(label)} {self._link(other.id, other.name)}{self._write_evidence(view)}"
            for label, other, view in card.relations
        )
        blocks += _section("Relations", relations)
        numbers = (
            f"{escape_html(number_label(key))}: {value}" for key, value in sorted(entity.numbers.items())
        )
        blocks += _section("Numbers", numbers)
        history = (
            f'<span class="gone">{escape_html(view.fact.statement)}</span> {_when(view)}'
            for view in card.history
        )
        blocks += _section("No longer true", history)
        blocks += _section("Memories", (self._linker(entity.id)(memory.text) for memory in exported.memories))
        blocks += _section("Scenes", (self._link_scene(scene_id) for scene_id in exported.scene_ids))
        self._searchable.append(
            (
                entity.name,
                entity.kind.value,
                _address(self._file_of(entity.id)),
                _words([*entity.aliases, entity.description, *(view.fact.statement for view in card.facts)]),
            )
        )
        return self._page(entity.name, blocks)

    def _write_story(self, story: StoryRecord) -> Iterator[tuple[str, str]]:
        writer = StoryHtmlWriter(story, with_mechanics=True, escape=self._linker(None))
        scenes = story.scenes
        for position, part in enumerate(scenes):
            neighbours = [
                f"{word}: {self._link_scene(scenes[other].scene.id)}"
                for word, other in (("Before", position - 1), ("After", position + 1))
                if 0 <= other < len(scenes)
            ]
            blocks = [
                write_element("p", escape_html(story.story.title), {"class": "kind"}),
                *writer.write_scene(part),
                write_element("p", " · ".join(neighbours), {"class": "kind"}),
            ]
            name = self._file_of(part.scene.id)
            words = _words([part.scene.summary, *(row.turn.text for row in part.rows)])
            self._searchable.append((scene_title(part), story.story.title, _address(name), words))
            yield name, self._page(scene_title(part), blocks)

    def _write_timeline(self) -> Iterator[str]:
        for day, events in groupby(self._record.timeline, key=lambda event: event.day):
            items = []
            for event in events:
                if isinstance(event.mentioned, FactView):
                    items.append(self._linker(None)(event.mentioned.fact.statement))
                else:
                    note = f": {escape_html(event.note)}" if event.note else ""
                    items.append(f"{self._link(event.scene_id or '', event.mentioned.title)}{note}")
            yield from _section(day, items)

    def _write_places(self) -> Iterator[str]:
        """Yield every place with where it leads, and who and what is there."""
        for exported in self._sorted_entities(EntityKind.PLACE):
            place = exported.entity
            ways = [
                (label, other)
                for label, other, v in exported.card.relations
                if v.fact.predicate != LOCATED_IN
            ]
            present = [
                other
                for _, other, view in exported.card.relations
                if view.fact.predicate == LOCATED_IN and view.fact.entity(SUBJECT) == other.id
            ]
            yield write_element("h2", self._link(place.id, place.name))
            yield from write_paragraphs(place.description)
            yield write_list(
                f"{escape_html(label)} {self._link(other.id, other.name)}" for label, other in ways
            )
            if present:
                links = ", ".join(self._link(other.id, other.name) for other in present)
                yield write_element("p", f"Here: {links}")

    def _write_maps(self) -> Iterator[str]:
        """Yield every grid map as a picture, and what is in its cells."""
        for number, shown in enumerate(self._record.grid_maps, 1):
            yield write_element("h2", escape_html(shown.outline.name))
            yield write_element("p", _write_picture(f"map-{number}.svg", shown.outline.name))
            cells = describe_cells(shown, self._link, escape_html)
            yield write_list([*cells, *map(escape_html, describe_ways(shown))])

    def _write_relations(self) -> Iterator[str]:
        for exported in self._sorted_entities():
            relations = [
                f"{escape_html(label)} {self._link(other.id, other.name)}"
                for label, other, _ in exported.card.relations
            ]
            if relations:
                yield write_element("h2", self._link(exported.entity.id, exported.entity.name))
                yield write_list(relations)

    def _write_threads(self) -> Iterator[str]:
        for title, is_open in (("Open", True), ("Settled", False)):
            commitments = [c for c in self._record.commitments if c.is_open is is_open]
            threads = [t for s in self._record.stories for t in s.threads if t.is_open is is_open]
            items = [f"{c.kind}: {self._linker(None)(c.fact.fact.statement)}" for c in commitments]
            items += [self._linker(None)(thread.name) for thread in threads]
            yield from _section(title, items)
        clocks = (f"{escape_html(c.name)}: {c.filled} of {c.size}" for c in self._record.clocks)
        yield from _section("Clocks", clocks)

    def _write_index(self) -> Iterator[str]:
        yield from write_paragraphs(self._record.universe.description)
        for kind in EntityKind:
            entities = [exported.entity for exported in self._sorted_entities(kind)]
            yield from _section(ENTITY_FOLDERS[kind], (self._link(e.id, e.name) for e in entities))
        for story in self._record.stories:
            yield from _section(story.story.title, (self._link_scene(part.scene.id) for part in story.scenes))
        views = self._record.world_facts
        yield from _section("The world", (self._write_fact(view, None) for view in views))

    # --- parts ------------------------------------------------------------------------------------------

    def _sorted_entities(self, kind: EntityKind | None = None) -> Sequence[ExportedEntity]:
        entities = [e for e in self._record.entities if kind is None or e.entity.kind is kind]
        return sorted(entities, key=lambda e: (e.entity.name.casefold(), e.entity.id))

    def _picture_path(self, id: Id, picture: ExportedPicture) -> str:
        return f"{PICTURES_FOLDER}/{self._file_of(id)}{picture.ending}"

    def _file_of(self, id: Id) -> str:
        return self._names.by_id[id]

    def _link(self, id: Id, words: str) -> str:
        """Return a link to the page of an entity or scene; plain words if it has none."""
        if id not in self._names.by_id:
            return escape_html(words)
        return write_element("a", escape_html(words) or "…", {"href": _address(self._file_of(id))})

    def _link_scene(self, scene_id: Id) -> str:
        return self._link(scene_id, self._scene_titles.get(scene_id, "a scene"))

    def _linker(self, without: Id | None) -> Callable[[str], str]:
        return lambda text: _link_names(text, self._names, self._link, without)

    def _write_fact(self, view: FactView, about: Id | None) -> str:
        standing = "" if view.fact.standing is Standing.TRUE else f"{view.fact.standing.value}: "
        return f"{standing}{self._linker(about)(view.fact.statement)}{self._write_evidence(view)}"

    def _write_evidence(self, view: FactView) -> str:
        evidence = write_list(map(escape_html, self._describer.describe_evidence(view)))
        standing = escape_html(describe_standing(view))
        return write_element("details", f"{write_element('summary', standing)}{evidence}") if evidence else ""

    def _page(self, title: str, blocks: Iterable[str]) -> str:
        world = escape_html(self._record.universe.name)
        links = " ".join(
            write_element("a", words, {"href": f"{name}{PAGE_ENDING}"})
            for name, words in (
                ("timeline", "Timeline"),
                ("places", "Places"),
                *((("maps", "Maps"),) if self._record.grid_maps else ()),
                ("relations", "Relations"),
                ("threads", "Threads"),
            )
        )
        joined = "\n".join(block for block in blocks if block)
        return (
            '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8"/>\n'
            f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_POLICY}"/>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
            f"<title>{escape_html(title)}</title>\n"
            '<link rel="stylesheet" href="wiki.css"/>\n</head>\n<body>\n<header>\n'
            f'<a class="world" href="{INDEX_PAGE}{PAGE_ENDING}">{world}</a> <nav>{links}</nav>\n'
            '<form id="search-form" role="search"><input id="search" type="search" placeholder="Search (/)" '
            'aria-label="Search" autocomplete="off"/></form>\n'
            '<button id="theme" type="button">Dark or light</button>\n</header>\n'
            f'<ul id="results" aria-live="polite"></ul>\n<main>\n<h1>{escape_html(title)}</h1>\n{joined}\n</main>\n'
            '<script src="search-index.js"></script>\n<script src="wiki.js"></script>\n</body>\n</html>\n'
        )


def _link_names(text: str, names: NoteNames, link: Callable[[Id, str], str], without: Id | None) -> str:
    pieces = names.finder.split(" ".join(text.split()), without=without)
    return "".join(
        link(piece.entity_id, piece.text) if piece.entity_id else _escape_piece(piece.text)
        for piece in pieces
    )


def _escape_piece(text: str) -> str:
    """Escape a part of a line, with the space at its ends."""
    start = " " if text[:1] == " " else ""
    end = " " if text.strip() and text[-1:] == " " else ""
    return f"{start}{escape_html(text)}{end}"


def _write_picture(path: str, words: str) -> str:
    return f'<img class="picture" src="{quote(path)}" alt="{escape_html(words)}"/>'


def _section(title: str, items: Iterable[str]) -> list[str]:
    listed = write_list(items)
    return [write_element("h2", escape_html(title)), listed] if listed else []


def _when(view: FactView) -> str:
    return write_element("span", escape_html(view.when), {"class": "when"}) if view.when else ""


def _address(name: str) -> str:
    return f"{quote(name)}{PAGE_ENDING}"


def _words(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())[:MAX_INDEXED_CHARS]
