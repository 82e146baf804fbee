"""The map of relations by keyboard: from one to the next, at another time, with what waits, and as files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agents.canon_keeper.predicates import load_catalogue
from agents.diagrams.relation_graph import build_relation_graph
from stores.records.world import EntityKind
from tests.agents.diagrams.world_records import entity, relation
from tests.loop_watchdog import watched_loop
from tests.screens.screen_driver import NARROW, ROOMY, real_services, started_app
from widgets.relation_map.relation_map import RelationMap

MAX_MILLISECONDS = 50


@pytest.mark.slow
async def test_relations_are_seen_on_a_map_walked_filtered_and_exported(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("3", "slash")
        await ui.type("Wenna")
        await ui.press("v")
        assert ui.screen == "RelationMapScreen"
        assert ui.shows("● Wenna Pike", "♦ Mara Venn", "⌂ The Slack Tide", "owns", "knows", "people 6")
        assert ui.shows("Runs the Slack Tide") or ui.shows("Facts")  # the card beside it
        # What waits at the gate is not there until it is asked for.
        assert not ui.shows("◌ Net Loft")
        assert not ui.shows("⌂ Net Loft")
        await ui.press("7")
        assert ui.shows("⌂ Net Loft")  # the place is canon; that she is in it waits
        await ui.press("8")
        assert ui.shows("6 places, 1 visited", "⌂ The Slack Tide ✓ ●", "⌂ Harl")
        assert not ui.shows("⚑ The Tollers")
        await ui.press("8", "7", "2")
        assert not ui.shows("⌂ The Slack Tide")
        await ui.press("2", "plus", "minus", "0", "shift+left", "0")
        assert ui.shows("⌂ The Slack Tide")
        map_ = ui.app.screen.query_one(RelationMap)
        before = map_.focus_id
        await ui.press("down", "down")
        assert map_.focus_id != before
        await ui.press("slash")
        await ui.type("mara")
        assert ui.shows("wreck diver")
        await ui.press("backspace")
        assert not ui.shows("wreck diver")
        await ui.press("t")
        await ui.type("scene 1")
        assert ui.shows("end of scene 1, Day 3")
        await ui.press("t", *["backspace"] * 7)
        await ui.type("scene 9")
        assert ui.shows("There is no scene 9 with turns.")
        await ui.press("escape", "greater_than_sign")
        assert not ui.shows("end of scene 1")
        await ui.press("less_than_sign", "less_than_sign")
        assert ui.shows("end of scene 1 “Before the Third Stroke”, Day 3")
        await ui.press("greater_than_sign", "X")
        assert ui.shows("Exported to home/exports/2026-01-01-salt-coast-relations.svg", ".graphml")
        files = [
            Path(f"home/exports/2026-01-01-salt-coast-relations.{ending}") for ending in ("svg", "graphml")
        ]
        for file in files:
            ElementTree.fromstring(await asyncio.to_thread(file.read_text, "utf-8"))
        await ui.press("escape", "f2", "escape", "v")
        assert ui.screen == "RelationsScreen"
        await ui.press("escape", "enter")
        assert ui.screen == "UniverseScreen"
        await ui.press("escape", "escape")
        assert ui.screen == "UniverseScreen"


@pytest.mark.slow
async def test_map_of_a_world_without_relations_says_what_to_do(tmp_path: Path) -> None:
    from agents.story_outline import NewUniverse

    async with started_app(real_services(tmp_path), NARROW) as ui:
        universe = await ui.services.stories.create_universe(NewUniverse("Nowhere"))
        from screens.routes import ToRelationMap, Visit

        ui.app.screen.post_message(Visit(ToRelationMap(universe.id)))
        await ui.settle()
        assert ui.shows("No relations in canon yet.")
        await ui.press("plus", "minus", "right", "space", "enter", "asterisk", "v", "0")
        assert ui.screen == "RelationMapScreen"


@pytest.mark.timed
async def test_map_of_500_entities_never_holds_the_loop(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"Person {n}" for n in range(500)]
    kinds = list(EntityKind)
    entities = [entity(name, kinds[n % len(kinds)]) for n, name in enumerate(names)]
    facts = [relation(names[n], "knows", names[n * 7 % n]) for n in range(1, 500)]
    facts += [relation(names[n], "serves", names[n // 3]) for n in range(3, 500, 2)]
    graph = build_relation_graph(entities, facts, [], load_catalogue())
    async with started_app(real_services(sample_home), ROOMY) as ui:
        reader = type(ui.services.world.relation_graph)
        read_graph = reader.read_graph

        async def read_crowd(self: object, universe_id: str, *args: object) -> object:
            from dataclasses import replace

            return replace(await read_graph(self, universe_id, *args), graph=graph)  # type: ignore[arg-type]

        async def read_no_card(entity_id: str) -> object:
            return await asyncio.Event().wait()

        monkeypatch.setattr(reader, "read_graph", read_crowd)
        await ui.press("3")
        with watched_loop() as watchdog:
            await ui.press("v", "asterisk")
            monkeypatch.undo()
            assert ui.shows("500 of 500 shown")
            for key in ("right", "down", "plus", "plus", "left", "shift+down", "0", "minus", "1", "1", "7"):
                watchdog.take_steps_over(0)
                await ui.press(key)
                assert watchdog.take_steps_over(MAX_MILLISECONDS) == [], key
