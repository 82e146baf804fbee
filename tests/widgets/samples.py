"""Small records and views to draw: one world, the Salt Coast, in builders with good defaults."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from agents.views.card_views import EntityCard, FactView
from agents.views.proposal_views import ConflictView, ProposalView
from agents.views.replies import CommandHelp
from agents.views.scene_views import CastMember, SceneView
from agents.views.turn_views import TurnView
from agents.views.world_views import EvidenceSource
from stores.records.canon import (
    AssertFact,
    Authority,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    FactStatus,
    Involvement,
    Standing,
)
from stores.records.play import Degree, Resolution, Scene, Speaker, Story, Turn
from stores.records.workflow import ProposalStatus, ProposedChange
from stores.records.world import Entity, EntityKind, Universe

NOW = datetime(2031, 3, 3, tzinfo=UTC)

PROSE = (
    "The hinges give with a shriek that runs the length of the nave. Cold air comes up the stair, and with "
    "it the smell of weed and old iron. Somewhere below, water is moving that ought to be still."
)


def turn(depth: int, speaker: Speaker = Speaker.GM, text: str = PROSE, **more: Any) -> Turn:
    exchange = depth if speaker is Speaker.PLAYER else depth - 1
    return Turn(
        id=f"turn-{depth}",
        scene_id="scene",
        parent_id=f"turn-{depth - 1}" if depth else None,
        exchange_id=f"turn-{exchange}",
        speaker=speaker,
        text=text,
        depth=depth,
        created_at=NOW,
        **more,
    )


def resolution(depth: int, **more: Any) -> Resolution:
    values: dict[str, Any] = {
        "id": f"resolution-{depth}",
        "scene_id": "scene",
        "turn_id": f"turn-{depth}",
        "rule": "check",
        "intent": "force the door",
        "expression": "2d6+1",
        "total": 10,
        "target": 9,
        "degree": Degree.SUCCESS,
        "text": "2d6+1 [5,4]+1 = 10 vs 9",
        "created_at": NOW,
    }
    return Resolution(**(values | more))


def turn_view(depth: int, speaker: Speaker = Speaker.GM, text: str = PROSE, **more: Any) -> TurnView:
    view = {key: more.pop(key) for key in ("take", "take_count", "made_count", "resolution") if key in more}
    return TurnView(turn(depth, speaker, text, **more), **view)


def story_line(count: int) -> list[TurnView]:
    """A line of `count` turns: action, roll, telling, and now and then somebody speaks."""
    views = []
    for depth in range(count):
        match depth % 4:
            case 0:
                views.append(turn_view(depth, Speaker.PLAYER, f"I force the iron door, try {depth}."))
            case 1:
                views.append(turn_view(depth, Speaker.ORACLE, "", resolution=resolution(depth)))
            case 2:
                views.append(
                    turn_view(depth, made_count=2 if depth % 8 == 2 else 0, take_count=1 + (depth % 3))
                )
            case _:
                views.append(turn_view(depth, Speaker.NPC, "“You were told to leave it shut.”", name="Oss"))
    return views


def opening() -> list[TurnView]:
    """The picture of the scene screen."""
    return [
        turn_view(0, Speaker.SYSTEM, "The chapel at low water. What does Mara want here?"),
        turn_view(1, Speaker.PLAYER, "I force the iron door."),
        turn_view(
            2,
            Speaker.ORACLE,
            "",
            resolution=resolution(2, effects=("Mara.hp -3", "the door is open")),
        ),
        turn_view(3, made_count=2, take=2, take_count=3),
        turn_view(4, Speaker.NPC, "“You were told to leave it shut.”", name="Oss"),
        turn_view(5, Speaker.PLAYER, "“Who moved the bell, Oss?” ? Does he know"),
        turn_view(
            6,
            Speaker.ORACLE,
            "",
            resolution=resolution(
                6, text="likely: does he know? 1d100 = 84 · no, but", degree=Degree.FAIL, rule="oracle"
            ),
        ),
        turn_view(
            7,
            Speaker.NPC,
            "“Nobody moved it. It was rung, and it walked. Ask the woman at the salt pans why she locks her "
            "door.”",
            name="Old Ferryman Oss",
        ),
    ]


def proposal(number: int = 1, **more: Any) -> ProposalView:
    status = more.pop("status", ProposalStatus.PENDING)
    change = ProposedChange(
        id=f"proposal-{number}",
        universe_id="universe",
        payload=AssertFact(fact_kind=FactKind.EVENT, predicate="moved", statement="The bell was moved"),
        authority=more.pop("authority", Authority.SYSTEM),
        status=status,
        created_at=NOW,
    )
    values: dict[str, Any] = {
        "number": number,
        "member_ids": (change.id,),
        "proposal": change,
        "status": status,
        "verdict": None,
        "mark": "accept",
        "label": "fact",
        "title": f"The bell was moved, {number}",
        "group": "The Drowned Bell",
        "confidence": 0.8,
        "quote": "drag marks in the silt, fresh since the tide",
        "turn_number": 11,
    }
    return ProposalView(**(values | more))


def proposals() -> list[ProposalView]:
    clash = ConflictView(check_name="functional", text="Canon has the bell in the tower", other_fact=fact())
    return [
        proposal(1, label="state", title="Mara.hp -3", group="Mara", reasons=("the sealed roll says so",)),
        proposal(
            2, label="place", title="Hidden Chamber", group="Hidden Chamber", is_critical=True, mark="defer"
        ),
        proposal(
            3,
            title="The bell was moved",
            confidence=0.5,
            mark="hold",
            conflicts=(clash,),
            reasons=("inferred from the telling", "one source"),
            diff=(("location", "the tower", "the sea cave"),),
        ),
        proposal(4, title="Oss fears the salt pans", group="Oss", confidence=0.64, mark="defer"),
    ]


def fact(number: int = 1, statement: str = "The bell hangs in the tower", **more: Any) -> Fact:
    return Fact(
        id=f"fact-{number}",
        universe_id="universe",
        kind=more.pop("kind", FactKind.ATTRIBUTE),
        predicate="location",
        statement=statement,
        involves=(Involvement(role="subject", entity_id="bell"),),
        recorded_at=NOW,
        **more,
    )


def evidence(number: int = 1, kind: EvidenceKind = EvidenceKind.TURN, **more: Any) -> Evidence:
    values: dict[str, Any] = {"quote": "drag marks in the silt", "turn_id": f"turn-{number}"}
    return Evidence(id=f"evidence-{number}", kind=kind, ref_id="ref", **(values | more))


def basis(number: int = 1, kind: EvidenceKind = EvidenceKind.TURN, **more: Any) -> EvidenceSource:
    told = {k: more.pop(k) for k in ("place", "who", "resolution") if k in more}
    rests_on = evidence(number, kind, **more)
    return EvidenceSource(evidence=rests_on, turn_id=rests_on.turn_id, **told)


def entity(name: str, kind: EntityKind = EntityKind.CHARACTER, **more: Any) -> Entity:
    return Entity(
        id=name.casefold().replace(" ", "-"),
        universe_id="universe",
        kind=kind,
        name=name,
        recorded_at=NOW,
        **more,
    )


def entities() -> list[Entity]:
    return [
        entity("Mara Vey", is_pc=True),
        entity("Oss", aliases=("The Ferryman",)),
        entity("Sister Anhelm", locked=True),
        entity("Hidden Chamber", EntityKind.PLACE),
        entity("The Drowned Chapel", EntityKind.PLACE),
        entity("The Salt Wardens", EntityKind.FACTION),
        entity("The Bell", EntityKind.OBJECT),
    ]


def fact_view(number: int = 1, statement: str = "The bell hangs in the tower", **more: Any) -> FactView:
    view = {k: more.pop(k) for k in ("is_current", "when", "evidence", "superseded_by") if k in more}
    values: dict[str, Any] = {"is_current": True, "when": "", "evidence": (evidence(number),)}
    return FactView(fact(number, statement, **more), **(values | view))


def card() -> EntityCard:
    mara = entity(
        "Mara Vey",
        is_pc=True,
        aliases=("Vey", "the diver"),
        description="A salvage diver who owes the Wardens a boat and does not mean to pay.",
        numbers={"hp": 7, "hp_max": 10, "might": 3},
        tags=("wet through", "marked"),
    )
    return EntityCard(
        entity=mara,
        facts=(
            fact_view(1, "Mara owes the Salt Wardens a boat", when="since Day 1", kind=FactKind.COMMITMENT),
            fact_view(2, "Mara can hear the bell under water", standing=Standing.RUMOUR, when="Day 2, night"),
            fact_view(
                3, "Mara carries the chapel key", when="Day 3, dusk", evidence=(evidence(3), evidence(4))
            ),
        ),
        relations=(
            ("sister of", entity("Sister Anhelm"), fact_view(4, "Mara is Anhelm's sister")),
            ("owes", entity("The Salt Wardens", EntityKind.FACTION), fact_view(5, "Mara owes", when="Day 1")),
        ),
        history=(
            fact_view(
                6,
                "Mara's boat is moored at Cold Stair",
                is_current=False,
                when="Day 1 to Day 2",
                status=FactStatus.SUPERSEDED,
                superseded_by="the boat is lost",
            ),
        ),
        evidence=(evidence(1), evidence(2)),
        appearance_titles=("The Drowned Bell 1", "The Drowned Bell 3"),
    )


def cast() -> tuple[CastMember, ...]:
    return (
        CastMember("oss", "Oss", False, {"hp": 4}, ("afraid",), ()),
        CastMember("mara", "Mara", True, {"hp": 7, "hp_max": 10, "might": 3}, ("wet through",), ("hp",)),
    )


def scene_view(**more: Any) -> SceneView:
    values: dict[str, Any] = {
        "universe": Universe(id="universe", name="Salt Coast", recorded_at=NOW),
        "story": Story(id="story", universe_id="universe", title="The Drowned Bell", created_at=NOW),
        "scene": Scene(
            id="scene",
            story_id="story",
            universe_id="universe",
            order=3,
            title="Under the chapel",
            created_at=NOW,
        ),
        "when": "Day 3, dusk",
        "state": "active",
        "turn_count": 8,
        "place": "The Drowned Chapel",
        "cast": cast(),
        "proposals": tuple(proposals()),
    }
    return SceneView(**(values | more))


COMMANDS = (
    CommandHelp("roll", "/roll 2d6+1", "roll dice", True),
    CommandHelp("check", "/check STAT TARGET", "roll a stat against a target", True),
    CommandHelp("commit", "/commit", "write what is accepted to canon"),
    CommandHelp("place", "/place NAME", "propose a place", True),
    CommandHelp("undo", "/undo", "take the last exchange back"),
)
NAMES = ("Mara Vey", "Oss", "Sister Anhelm")
