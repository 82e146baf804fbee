"""A small story on record, for exports and recaps: two scenes, an undone turn's fact, a page of a book."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from agents.exports.story_values import ExportedScene, StoryRecord
from agents.views.card_views import FactView
from agents.views.turn_views import TurnView
from stores.records.canon import Authority, Evidence, EvidenceKind, Fact, FactKind, Standing
from stores.records.ids import derive_id
from stores.records.play import Degree, Resolution, Scene, Speaker, Story, Turn

AT = datetime(2026, 1, 1, tzinfo=UTC)
STORY, UNIVERSE = derive_id("story"), derive_id("universe")
PLAYER, GM, NPC, ORACLE, SYSTEM = Speaker


def a_scene(order: int, title: str, **fields: Any) -> Scene:
    given: dict[str, Any] = {
        "id": derive_id("scene", order),
        "story_id": STORY,
        "universe_id": UNIVERSE,
        "order": order,
        "title": title,
        "created_at": AT,
    }
    return Scene(**(given | fields))


def a_turn(scene: Scene, depth: int, speaker: Speaker, text: str, name: str = "") -> Turn:
    return Turn(
        id=derive_id("turn", scene.id, depth),
        scene_id=scene.id,
        parent_id=derive_id("turn", scene.id, depth - 1) if depth else None,
        exchange_id=derive_id("exchange", scene.id, depth // 2),
        speaker=speaker,
        text=text,
        name=name,
        depth=depth,
        created_at=AT,
    )


def a_roll(turn: Turn, degree: Degree = Degree.NONE, *effects: str, rule: str = "roll") -> Resolution:
    return Resolution(
        id=derive_id("resolution", turn.id),
        scene_id=turn.scene_id,
        turn_id=turn.id,
        rule=rule,
        intent="",
        text=turn.text,
        degree=degree,
        effects=effects,
        created_at=AT,
    )


def a_fact(statement: str, kind: FactKind = FactKind.EVENT, **fields: Any) -> Fact:
    given: dict[str, Any] = {
        "id": derive_id("fact", statement),
        "universe_id": UNIVERSE,
        "kind": kind,
        "predicate": kind.value,
        "statement": statement,
        "recorded_at": AT,
    }
    return Fact(**(given | fields))


def of_turn(turn: Turn, quote: str = "", kind: EvidenceKind = EvidenceKind.TURN) -> Evidence:
    return Evidence(
        id=derive_id("evidence", kind, turn.id),
        kind=kind,
        ref_id=turn.id if kind is EvidenceKind.TURN else derive_id("resolution", turn.id),
        quote=quote or turn.text,
        turn_id=turn.id,
        scene_id=turn.scene_id,
    )


def of_scene(scene: Scene) -> Evidence:
    return Evidence(
        id=derive_id("evidence", scene.id),
        kind=EvidenceKind.SCENE,
        ref_id=scene.id,
        quote=scene.title,
        scene_id=scene.id,
    )


def of_page(quote: str, page: int) -> Evidence:
    return Evidence(
        id=derive_id("evidence", quote),
        kind=EvidenceKind.CHUNK,
        ref_id=derive_id("chunk", quote),
        source_id=derive_id("source"),
        quote=quote,
        page=page,
    )


def a_view(fact: Fact, *evidence: Evidence, when: str = "Day 3, dusk", current: bool = True) -> FactView:
    return FactView(fact, current, when, evidence)


def rows(turns: Sequence[Turn], *results: Resolution) -> list[TurnView]:
    by_turn = {result.turn_id: result for result in results}
    return [TurnView(turn, by_turn.get(turn.id)) for turn in turns]


def the_drowned_bell() -> StoryRecord:
    """Return the story that the golden files tell."""
    inn = a_scene(1, "The Slack Tide", summary="Mara promised Hester to find the bell.")
    told = [
        a_turn(inn, 0, GM, "Rain on the shutters.\n\nHester waits by the door,\nher sleeves rolled up."),
        a_turn(inn, 1, PLAYER, '"Who moved the bell?"'),
        a_turn(inn, 2, NPC, "Nobody that I have a name for.", "Hester"),
        a_turn(inn, 3, PLAYER, "Is she lying?"),
        a_turn(inn, 4, ORACLE, "unlikely · d% [12] = 12 · no, but"),
        a_turn(inn, 5, SYSTEM, "Ask about the boots next time."),
    ]
    chapel = a_scene(2, "Under the chapel", goal="Find who moved the bell")
    under = [
        a_turn(chapel, 0, PLAYER, "I force the iron door."),
        a_turn(chapel, 1, ORACLE, "2d6+1 [5,4]+1 = 10 vs 9 · success"),
        a_turn(chapel, 2, GM, "The hinges give with a shriek!"),
        a_turn(chapel, 3, ORACLE, "3d6 [1,2,6] = 9"),
    ]
    undone = a_turn(chapel, 9, GM, "Something that was taken back.")
    facts = (
        a_view(
            a_fact("Mara promised Hester to find the bell.", FactKind.COMMITMENT, authority=Authority.GM),
            of_scene(inn),
            *(of_turn(t) for t in told[:4]),
        ),
        a_view(
            a_fact("The iron door is open.", FactKind.STATE, authority=Authority.PLAYER),
            of_scene(chapel).model_copy(update={"quote": ""}),
            of_turn(under[0]),
            of_turn(under[1], kind=EvidenceKind.RESOLUTION),
        ),
        a_view(
            a_fact("Something screams under the chapel.", standing=Standing.RUMOUR),
            of_turn(under[2], "a shriek"),
            when="",
            current=False,
        ),
        a_view(
            a_fact("The dead cannot cross salt.", FactKind.AXIOM, authority=Authority.SOURCE),
            of_page("no drowned thing passes salt", 4),
            when="",
        ),
        a_view(
            a_fact("This rests on nothing that is told here."),
            of_turn(undone).model_copy(update={"scene_id": None}),
        ),
    )
    return StoryRecord(
        story=Story(
            id=STORY,
            universe_id=UNIVERSE,
            title="The Drowned Bell",
            theme="what the sea is owed",
            lines_and_veils="no harm to children",
            recap="The bell hangs in the mud, and rings.",
            created_at=AT,
        ),
        scenes=(
            ExportedScene(
                inn,
                rows(told, a_roll(told[4], rule="oracle, unlikely, tension 5, bend")),
                "Day 3, dusk",
                "The Slack Tide",
            ),
            ExportedScene(
                chapel,
                rows(
                    under,
                    a_roll(under[1], Degree.SUCCESS, "Door -shut", "Mara.hp -1"),
                    a_roll(under[3]),
                ),
                "Day 3, night",
                "The Tally Chapel",
            ),
        ),
        facts=facts,
        universe_name="Salt Coast",
        hero_name="Mara Venn",
        source_titles={derive_id("source"): "A Book of Tides"},
    )
