"""A small world whose names and prose try to be markup, links, scripts and properties."""

from __future__ import annotations

from typing import Any

from agents.exports.story_values import ExportedScene, StoryRecord, StoryThread
from agents.exports.world_values import ExportedEntity, WorldRecord
from agents.views.card_views import EntityCard, FactView
from agents.views.turn_views import TurnView
from agents.views.world_views import SceneReference, TimelineEvent
from stores.records.clocks import ProgressClock
from stores.records.play import Speaker
from stores.records.world import Entity, EntityKind
from tests.contract import builders as make

SCRIPT = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
PROSE = f"{SCRIPT} & ]]> <b>bold</b> \ufffe\u2028 [[x]] %% --> {{{{7*7}}}} $x$ --\n\n\n---\n# Not a title\n- [ ] a task"
NAMES = (f"Mara {SCRIPT}", "Mara", 'A "quoted" \\ name: yes', "--- ", "Ωmega 🜂 עברית", "index", "Search")


def a_card(entity: Entity, *views: FactView, relations: Any = ()) -> EntityCard:
    return EntityCard(entity, views, relations, (), (), ())


def hostile_world() -> WorldRecord:
    """Return the world; what is made of it shows every word, and runs none."""
    entities = [make.entity(name, description=PROSE, aliases=(PROSE,), tags=(PROSE[:60],)) for name in NAMES]
    yard = make.entity("Yard <i>", kind=EntityKind.PLACE)
    story = make.story(title=f"A story {SCRIPT}", recap=PROSE)
    scene = make.scene(story, 1, title=f"Scene {SCRIPT}", summary=PROSE, goal=PROSE)
    first = make.turn(scene, None, PROSE)
    turns = [
        first,
        make.turn(scene, first, PROSE, speaker=Speaker.GM),
        make.turn(scene, first, PROSE, speaker=Speaker.NPC, name=SCRIPT),
        make.turn(scene, first, PROSE, speaker=Speaker.ORACLE),
    ]
    evidence = (make.evidence(PROSE, turn_id=first.id, scene_id=scene.id, ref_id=first.id),)
    fact = FactView(make.fact(PROSE, entities[0]), True, "Day 1 <b>", evidence)
    lives = make.relation(entities[0], "located_in", yard)
    where = FactView(lives, True, "", evidence)
    return WorldRecord(
        make.universe(name=f"World {SCRIPT}", description=PROSE),
        [
            ExportedEntity(a_card(entities[0], fact, relations=(("is in", yard, where),)), (), (scene.id,)),
            *(ExportedEntity(a_card(entity)) for entity in entities[1:]),
            ExportedEntity(a_card(yard, relations=(("contains", entities[0], where),))),
        ],
        [
            StoryRecord(
                story,
                [ExportedScene(scene, [TurnView(turn) for turn in turns], notes=(PROSE,))],
                [fact],
                threads=[StoryThread(PROSE, is_open=True)],
            )
        ],
        [fact],
        (),
        [ProgressClock(name=PROSE, filled=2)],
        [
            TimelineEvent("Day <b>1</b>", SceneReference(PROSE, first.id), PROSE, scene.id),
            TimelineEvent("Day 2", fact),
        ],
    )
