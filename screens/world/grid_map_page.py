"""What stands beside a grid map: its legend, and the cell under the cursor in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from agents.diagrams.grid_map import spot_label
from agents.diagrams.grid_map_views import ShownGridMap
from agents.diagrams.relation_graph import PRESENT_SIGN, VISITED_SIGN
from stores.records.grid_maps import Spot, Terrain
from widgets.grid_map.grid_drawing import HERO_SIGN, NOTE_SIGN, PLACE_SIGN, PROPOSED_SIGN, TERRAIN_SIGNS
from widgets.safe_text import one_line

EMPTY_CELL_HINT: Final = "Nothing yet. n names its place, e a note, 1 to 9 its terrain."


def draw_legend(keys: Sequence[tuple[str, Terrain]], width: int) -> Content:
    """Return the kinds of terrain with their keys and signs, and names if they fit."""
    full, short = (
        Content("  ").join(
            Content.assemble(
                (key, "bold $footer-key-foreground"),
                f" {TERRAIN_SIGNS[terrain]}",
                f" {terrain}" if has_words else "",
            )
            for key, terrain in keys
        )
        for has_words in (True, False)
    )
    return full if full.cell_length <= width else short


def describe_cell(shown: ShownGridMap, spot: Spot) -> Content:
    """Return all that a cell holds, line by line."""
    cell = shown.cell(spot)
    heading = " · ".join(filter(None, (spot_label(spot), str(cell.terrain or ""))))
    lines = [Content.styled(heading, "bold")]
    if cell.place:
        sign = PROPOSED_SIGN if cell.place.is_proposed else PLACE_SIGN
        lines.append(Content(f"{sign} {one_line(cell.place.name)}"))
        if cell.place.is_proposed:
            lines.append(Content.styled("It waits at the gate. g decides.", "$text-warning"))
    if cell.is_hero_here and shown.hero_name:
        lines.append(Content(f"{HERO_SIGN} {one_line(shown.hero_name)} is here"))
    if cell.place and cell.place.people:
        lines.append(Content(f"{PRESENT_SIGN} {one_line(', '.join(cell.place.people))}"))
    if cell.is_discovered:
        why = "play was there" if cell.place and cell.place.is_visited else "discovered"
        lines.append(Content(f"{VISITED_SIGN} {why}"))
    for there, kind in shown.grid_map.ways_from(spot):
        place = shown.cell(there).place
        name = f", {one_line(place.name)}" if place else ""
        lines.append(Content(f"{kind} to {spot_label(there)}{name}"))
    if cell.text:
        lines.append(Content(f"{NOTE_SIGN} {one_line(cell.text)}"))
    if len(lines) == 1 and cell.terrain is None:
        lines.append(Content.styled(EMPTY_CELL_HINT, "$text-muted"))
    return Content("\n").join(lines)
