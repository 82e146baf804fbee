"""Grid maps as files: well-formed for any name, whole for the GM, and without secrets for players."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from agents.diagrams.grid_export import render_grid_graphml, render_grid_svg
from agents.diagrams.grid_map import NamedPlace, build_map
from agents.diagrams.grid_map_views import ShownGridMap
from agents.exports.vault import write_vault
from agents.exports.wiki import write_wiki
from agents.exports.world_maps import show_grid_maps
from agents.exports.world_values import ExportedEntity, WorldRecord
from agents.views.card_views import FactView
from stores.records.grid_maps import GridCell, GridOutline, GridShape, GridWay, Spot, Terrain, WayKind
from stores.records.world import EntityKind
from tests.agents.exports.hostile_world import SCRIPT, a_card
from tests.contract import builders as make

NAMES = ("The Hall", f"Crypt {SCRIPT}", 'Yard "of" [[salt]] & 塩')
SVG = "{http://www.w3.org/2000/svg}"


def a_world(shape: GridShape, *, with_secrets: bool) -> tuple[WorldRecord, ShownGridMap]:
    hall, crypt, yard = (make.entity(name, kind=EntityKind.PLACE) for name in NAMES)
    mara = make.entity("Mara & Co")
    lives = FactView(make.relation(mara, "located_in", hall), True, "")
    leads = FactView(make.relation(hall, "connected_to", yard), True, "")
    cells = (
        GridCell(spot=Spot(0, 0), place_id=hall.id, text=f"a trap {SCRIPT}", is_discovered=True),
        GridCell(spot=Spot(1, 0), place_id=crypt.id, terrain=Terrain.BUILT),
        GridCell(spot=Spot(0, 1), place_id=yard.id, terrain=Terrain.MARSH, is_discovered=True),
        GridCell(spot=Spot(2, 2), text="the hoard"),
    )
    ways = (GridWay(ends=(Spot(1, 0), Spot(0, 0)), kind=WayKind.SECRET),)
    outline = GridOutline(name=f"Keep {SCRIPT}", shape=shape, columns=3, rows=3)
    grid_map = build_map([make.map_edit(outline=outline, cells=cells, ways=ways)])
    assert grid_map is not None
    record = WorldRecord(
        make.universe(name="World"),
        [
            ExportedEntity(a_card(hall, relations=(("leads to", yard, leads),))),
            *(ExportedEntity(a_card(place)) for place in (crypt, yard)),
            ExportedEntity(a_card(mara, relations=(("is in", hall, lives),))),
        ],
    )
    places = {place.id: NamedPlace(place.id, place.name) for place in (hall, crypt, yard)}
    (shown,) = show_grid_maps(record, [grid_map], places, with_secrets=with_secrets)
    return replace(record, grid_maps=[shown]), shown


def test_grid_map_is_well_formed_svg_and_graphml_with_every_name() -> None:
    for shape in GridShape:
        _, shown = a_world(shape, with_secrets=True)
        svg = ElementTree.fromstring(render_grid_svg(shown))
        assert not svg.findall(f".//{SVG}script")
        assert len(svg.findall(f".//{SVG}{'polygon' if shape is GridShape.HEXES else 'rect'}")) >= 4
        graph = ElementTree.fromstring(render_grid_graphml(shown))
        texts = [element.text for element in graph.iter() if element.text]
        assert {*NAMES, "secret door", "way", "marsh", "the hoard", "Mara & Co"} <= set(texts)


def test_grid_map_for_players_keeps_secrets_notes_and_the_unknown_back() -> None:
    _, shown = a_world(GridShape.ROOMS, with_secrets=False)
    for text in (render_grid_svg(shown), render_grid_graphml(shown)):
        assert "Hall" in text
        assert not [words for words in ("Crypt", "trap", "hoard", "secret") if words in text]
    assert shown.drawn_ways() == [(Spot(0, 0), Spot(0, 1), WayKind.WAY)]  # as canon says


def test_grid_map_of_which_nothing_is_discovered_is_in_no_export_for_players() -> None:
    outline = GridOutline(name="The secret vault", columns=2, rows=2)
    hidden = build_map([make.map_edit(outline=outline, cells=(GridCell(spot=Spot(0, 0), text="gold"),))])
    assert hidden is not None
    record = WorldRecord(make.universe(name="World"))
    assert show_grid_maps(record, [hidden], {}, with_secrets=False) == []
    assert len(show_grid_maps(record, [hidden], {}, with_secrets=True)) == 1


def test_wiki_and_vault_show_the_map_and_link_its_places() -> None:
    record, _ = a_world(GridShape.HEXES, with_secrets=False)
    files = write_wiki(record)
    page = files["maps.html"].decode()
    assert '<img class="picture" src="map-1.svg"' in page
    assert 'A1: <a href="The%20Hall.html">The Hall</a>' in page
    assert "<script>document" not in page
    ElementTree.fromstring(files["map-1.svg"])
    assert b"maps.html" in files["index.html"]
    assert "maps.html" not in write_wiki(replace(record, grid_maps=()))
    vault = write_vault(record)
    (picture,) = vault.pictures
    note = vault.notes[picture.replace(".svg", ".md")]
    assert picture.startswith("Maps/Keep ")
    assert "- A1: [[The Hall]]" in note
    assert f"![[{picture.removeprefix('Maps/')}]]" in note
