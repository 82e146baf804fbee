"""The keys of the screen of a grid map."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from stores.records.grid_maps import Terrain

TERRAIN_KEYS: Final = tuple((str(number), terrain) for number, terrain in enumerate(Terrain, 1))
"""The keys that paint, each with its terrain."""

GRID_MAP_BINDINGS: Final[list[BindingType]] = [
    Binding("n", "place", "Place", id="grid-map.place", tooltip="The place that this cell shows"),
    Binding("e", "note", "Note", id="grid-map.note", tooltip="Your note on this cell"),
    *(
        Binding(
            key,
            f"terrain('{terrain}')",
            str(terrain).capitalize(),
            show=False,
            id=f"grid-map.terrain_{key}",
            tooltip=f"This cell, or the area: {terrain}",
        )
        for key, terrain in TERRAIN_KEYS
    ),
    Binding(
        "vertical_line",
        "way",
        "Way",
        id="grid-map.way",
        tooltip="A way from here: again at its other end; once more: a door, locked, secret, none",
        key_display="|",
    ),
    Binding("space", "discovered", "Discovered", id="grid-map.discovered", tooltip="Discovered, or not"),
    Binding(
        "left_parenthesis",
        "corner",
        "Area",
        id="grid-map.corner",
        tooltip="One corner of an area; the cursor is the other",
        key_display="(",
    ),
    Binding("delete", "clear", "Clear", show=False, id="grid-map.clear", tooltip="Empty the cell or area"),
    Binding("ctrl+z", "undo", "Undo", id="grid-map.undo", tooltip="Take the last edit back"),
    Binding("ctrl+y", "redo", "Redo", show=False, id="grid-map.redo", tooltip="Redo it"),
    # One of the three works, by what the cell shows and whether a scene waits below.
    Binding(
        "enter",
        "write_journey",
        "Write /go",
        id="grid-map.enter",
        tooltip="Put /go with this place into the prompt; Enter there goes",
    ),
    Binding(
        "enter", "open", "Open", id="grid-map.open", tooltip="Its card, or the gate where the place waits"
    ),
    Binding("enter", "name", "Place", id="grid-map.name", tooltip="Name the place of an empty cell"),
    Binding("o", "card", "Card", show=False, id="grid-map.card", tooltip="The card of its place"),
    Binding(
        "full_stop",
        "hero",
        "Hero",
        show=False,
        id="grid-map.hero",
        tooltip="Where the hero is",
        key_display=".",
    ),
    Binding("slash", "search", "Search", show=False, id="grid-map.search", tooltip="Find a place or a note"),
    Binding("f2", "maps", "Maps", id="grid-map.maps", tooltip="Another map, a new one, or to remove one"),
    Binding("E", "outline", "Name", show=False, id="grid-map.outline", tooltip="Its name, form and size"),
    Binding("X", "export", "Export", show=False, id="grid-map.export", tooltip="As SVG and GraphML"),
    Binding(
        "g",
        "gate",
        "Gate",
        show=False,
        id="grid-map.gate",
        tooltip="What waits for your decision in this world",
    ),
    Binding("escape,q", "escape", "Back", id="grid-map.escape", tooltip="One step back"),
]
