"""What comes next is proposed by several, weighed, offered with its reason and recorded; the player's word wins."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.arbiter import OFFER_THRESHOLD, arbitrate
from agents.orchestrator.transition_sources import PlayedExchange, propose_transitions
from monitor_tui.compose import Program
from stores.authority import Role
from stores.records.canon import AdvanceClock, AssertFact, FactKind, Involvement
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.llm import Persona
from stores.records.play import Degree
from stores.records.story_journal import PlaceEntry, ThreadAction, ThreadEntry
from stores.records.workflow import Loop, Transition, TransitionProposal
from tests.agents.orchestrator.scripted_program import telling
from tests.contract import builders as make
from tests.program import begin, opened

SCHEMA_FILE = Path(__file__).parents[3] / "docs" / "schemas" / "transition-proposal.schema.json"

MARA = make.entity("Mara", is_pc=True)
YARD, CHAPEL = make.entity("Yard", kind="place"), make.entity("Chapel", kind="place")
STORY = make.story(pc_id=MARA.id)
SCENE = make.scene(STORY, goal="Find the tar barrel", place_id=YARD.id, opening_place_id=YARD.id)
PARENT = make.turn(SCENE, None, "The rope hangs.", depth=4)
TURN = make.turn(SCENE, PARENT, "I look about.")


def proposed(urgency: int, dependency: int, intent: int, **given: Any) -> TransitionProposal:
    filled = {"proposer": "test", "event": "end", "command": "/end", "reason": "because"}
    return TransitionProposal(
        **filled | {"urgency": urgency, "dependency": dependency, "intent": intent} | given
    )


def played(words: str = "I look about.", **given: Any) -> PlayedExchange:
    scene_fields = given.pop("scene_fields", {})
    scene = SceneContext(
        universe=make.universe(),
        story=STORY,
        scene=SCENE,
        head=TURN,
        staged_proposals=(),
        entities={e.id: e for e in (MARA, YARD, CHAPEL)},
        place=YARD,
    )
    exchange = PlayedExchange(
        replace(scene, **scene_fields), PARENT.id, frozenset({TURN.id}), words, degree=None
    )
    return replace(exchange, **given)


def offered(exchange: PlayedExchange) -> tuple[str, str]:
    """Return the proposer and the command of what is offered; empty if play goes on."""
    winner = arbitrate(propose_transitions(exchange)).winner
    return (winner.proposer, winner.command) if winner else ("", "")


# --- the score --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("parts", "score"), [((100, 0, 0), 30), ((0, 100, 0), 40), ((0, 0, 100), 30)])
def test_transition_proposal_scores_urgency_dependency_and_intent(
    parts: tuple[int, int, int], score: int
) -> None:
    assert proposed(*parts).score == score


def test_arbiter_offers_the_best_above_the_threshold() -> None:
    strong, weak = proposed(60, 100, 100), proposed(10, 10, 10)
    arbitration = arbitrate([weak, strong])
    assert (arbitration.winner, arbitration.weighed) == (strong, (strong, weak))
    assert weak.score < OFFER_THRESHOLD
    assert arbitrate([weak]).winner is None
    assert arbitrate([]).offered_command == ""


def test_arbiter_breaks_a_tie_by_confidence() -> None:
    unsure, sure = proposed(60, 60, 60, confidence=40), proposed(60, 60, 60, proposer="sure")
    assert arbitrate([unsure, sure]).winner == sure


def test_transition_proposal_schema_is_published() -> None:
    schema = TransitionProposal.model_json_schema()
    assert json.loads(SCHEMA_FILE.read_text()) == schema, "write docs/schemas anew from the record"


# --- the sources ------------------------------------------------------------------------------------------


def test_arbiter_leaves_innocent_play_alone() -> None:
    for words in ("I look at the sky.", "“Where were you?” I ask Tam.", "I go to the window and wait."):
        assert offered(played(words)) == ("", "")


def test_failure_proposes_the_fullest_clock_unless_it_moved_one() -> None:
    clocks = (ProgressClock(name="Tide", filled=3, size=4), ProgressClock(name="Watch", filled=1, size=6))
    failed = played(degree=Degree.FAIL, open_clocks=clocks)
    assert offered(failed) == ("Resolver", "/clock Tide +1")
    moved = make.proposal(SCENE, TURN, payload=AdvanceClock(clock="Tide"))
    assert offered(replace(failed, scene=replace(failed.scene, staged_proposals=(moved,)))) == ("", "")


def test_failure_at_the_highest_tension_proposes_a_random_event() -> None:
    tense = STORY.model_copy(update={"tension": 9})
    assert offered(played(degree=Degree.FAIL, scene_fields={"story": tense})) == ("tension", "/event")
    assert offered(played(degree=Degree.FAIL)) == ("", "")


@pytest.mark.parametrize(
    ("words", "narrated", "degree", "expected"),
    [
        ("I force the lid of the barrel.", "", Degree.SUCCESS, ("scene goal", "/end")),
        ("I force the lid of the barrel.", "", Degree.FAIL, ("", "")),
        ("I leave with it.", "The tar barrel is yours.", None, ("scene goal", "/end")),
        ("I look at the barrel.", "It is a tar barrel.", None, ("", "")),
        ("I search the shed and find the tar barrel.", "", None, ("scene goal", "/end")),
        ("", "Behind the boats you find a barrel of tar.", None, ("scene goal", "/end")),
        ("I find no tar barrel.", "", None, ("", "")),
        ("I try to find the tar barrel.", "", None, ("", "")),
        ("Where do I find the tar barrel?", "", None, ("", "")),
        ("“I have the barrel!” he lies.", "", None, ("", "")),
        ("I find the tar barrel.", "", Degree.FAIL, ("", "")),
        ("I find a rope.", "", None, ("", "")),
    ],
)
def test_goal_that_is_reached_proposes_the_end(
    words: str, narrated: str, degree: Degree | None, expected: tuple[str, str]
) -> None:
    assert offered(played(words, narrated_text=narrated, degree=degree)) == expected


def test_goal_that_a_player_claims_is_an_attempt_while_a_model_narrates() -> None:
    claimed = played("I find the tar barrel.", narrated_text="The shed is empty.", is_narrated_by_model=True)
    assert offered(claimed) == ("", "")


def test_another_place_proposes_the_end_once() -> None:
    entry = PlaceEntry(
        id="p", scene_id=SCENE.id, turn_id=TURN.id, at=TURN.created_at, place_id=CHAPEL.id, is_narrated=True
    )
    fields = {"place": CHAPEL, "story_entries": (entry,)}
    assert offered(played("I walk to the Chapel.", scene_fields=fields)) == ("places", "/end")
    later = played("I kneel.", scene_fields=fields, turn_ids=frozenset({"another"}), parent_id=TURN.id)
    assert offered(later) == ("", "")
    goes = AssertFact(
        fact_kind=FactKind.RELATION,
        statement="Mara is in Chapel.",
        predicate="located_in",
        involves=(
            Involvement(entity_id=MARA.id, role="subject"),
            Involvement(entity_id=CHAPEL.id, role="object"),
        ),
    )
    on_record = make.proposal(SCENE, TURN, payload=goes)
    assert offered(played(scene_fields={"place": CHAPEL, "staged_proposals": (on_record,)})) == (
        "places",
        "/end",
    )
    moved_before = {
        "staged_proposals": (on_record,),
        "story_entries": (entry.model_copy(update={"turn_id": PARENT.id}),),
    }
    assert offered(played(scene_fields=fields | moved_before)) == ("", "")


def test_place_that_only_sets_the_scene_proposes_nothing() -> None:
    entry = PlaceEntry(id="p", scene_id=SCENE.id, turn_id=TURN.id, at=TURN.created_at, place_id=CHAPEL.id)
    first = TURN.model_copy(update={"depth": 0})
    fields = {"place": CHAPEL, "story_entries": (entry,), "head": first}
    assert offered(played("I walk to the Chapel.", scene_fields=fields)) == ("", "")


def test_thread_that_a_command_closed_proposes_the_end_with_the_next_line() -> None:
    def entry(act: ThreadAction, **given: Any) -> ThreadEntry:
        return ThreadEntry(
            **{"id": act.value, "scene_id": SCENE.id, "at": TURN.created_at, "thread_id": "t", "act": act}
            | given
        )

    entries = (
        entry(ThreadAction.OPEN, name="Who cut the rope?", turn_id=None),
        entry(ThreadAction.CLOSE, turn_id=PARENT.id, command_id="c"),
    )
    closing = played("I nod.", scene_fields={"story_entries": entries})
    assert offered(closing) == ("story", "/end")
    assert "Who cut the rope?" in arbitrate(propose_transitions(closing)).player_lines[0]


def test_full_clock_proposes_the_end() -> None:
    moved = make.proposal(SCENE, TURN, payload=AdvanceClock(clock="Tide"))
    full = ProgressClock(name="Tide", filled=4, size=4)
    exchange = played(finished_clocks=(full,), scene_fields={"staged_proposals": (moved,)})
    assert offered(exchange) == ("story", "/end")


def test_death_of_the_hero_proposes_the_end_before_all_else() -> None:
    change = AssertFact(
        fact_kind=FactKind.STATE,
        predicate="alive",
        statement="Mara is dead.",
        value=False,
        involves=(Involvement(entity_id=MARA.id, role="subject"),),
    )
    death = make.proposal(SCENE, TURN, payload=change)
    exchange = played(
        degree=Degree.FAIL,
        open_clocks=(ProgressClock(name="Tide", size=4),),
        scene_fields={"staged_proposals": (death,)},
    )
    assert offered(exchange) == ("fate", "/end")
    assert len(arbitrate(propose_transitions(exchange)).weighed) == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I force the barrel, but we stay here: not yet done.", ("player", "")),
        ("I force the barrel, and with that the scene ends.", ("player", "/end")),
        ("“End the scene!” cries the player king. I look away.", ("", "")),
    ],
)
def test_players_word_wins_over_every_score(words: str, expected: tuple[str, str]) -> None:
    degree = Degree.SUCCESS if "barrel" in words else None
    assert offered(played(words, degree=degree)) == expected


@pytest.mark.timed
def test_arbiter_takes_less_than_two_milliseconds() -> None:
    staged = tuple(make.proposal(SCENE, PARENT) for _ in range(500))
    started_at = time.thread_time()
    for _ in range(10):
        arbitrate(propose_transitions(played(degree=Degree.FAIL, scene_fields={"staged_proposals": staged})))
    assert (time.thread_time() - started_at) / 10 < 0.002


# --- in play ----------------------------------------------------------------------------------------------


async def last_exchange(program: Program, scene_id: Id) -> Transition:
    """Return the transition that ended the last exchange of the scene."""
    turn = (await program.services.play.transcript(scene_id, 0, 200))[-1].turn
    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    states = await log.loop_states(Loop.TURN, {turn.id, turn.exchange_id})
    return max(states.values(), key=lambda t: t.at)


async def test_arbiter_works_without_a_model_and_is_on_record(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        await services.play.submit(scene_id, "/scene The yard: Open the iron door")
        await services.play.submit(scene_id, "/clock Tide 4")
        reply = await services.play.submit(scene_id, "I force the hinge. /check might 40")
        assert any(line.startswith("Next? /clock Tide +1") for line in reply.lines), reply.lines
        transition = await last_exchange(program, scene_id)
        assert (transition.proposer, transition.score) == ("Resolver", 57.0)
        assert [p.command for p in transition.weighed] == ["/clock Tide +1"]
        turn = (await services.play.transcript(scene_id, 0, 200))[-1].turn
        xray = await services.llm.read_xray(turn.id)
        assert xray.is_first_offered
        assert xray.weighed == transition.weighed

        reply = await services.play.submit(scene_id, "I open the iron door. /check might 0")
        assert any(line.startswith("Next? /end: the scene's goal") for line in reply.lines), reply.lines
        await services.play.submit(scene_id, "/end")
        scene_transition = await program.stores.log(Role.CONTEXT_ASSEMBLY).loop_state(Loop.SCENE, scene_id)
        assert scene_transition is not None
        assert (scene_transition.event, scene_transition.proposer) == ("goal_met", "scene goal")


@pytest.mark.slow
async def test_arbiter_weighs_what_personas_propose(tmp_path: Path) -> None:
    chronicle = {"summary": "It gives.", "changes": [], "next_step": "scene over"}
    arrives = "You cross the wet stones. The Chapel stands open before you, and cold."
    script = {Persona.NARRATOR: arrives, Persona.ARCHIVIST: json.dumps(chronicle)}
    async with telling(tmp_path, script) as scripted:
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, "/place Chapel: roofless")
        await services.gate.commit(scripted.scene_id)
        reply = await services.play.submit(scripted.scene_id, "I walk to the Chapel.")
        assert any(line.startswith("Next? /go Chapel") for line in reply.lines), reply.lines
        transition = await last_exchange(scripted.program, scripted.scene_id)
        assert [p.proposer for p in transition.weighed] == ["places", "Archivist"]
        assert transition.weighed[1].score < OFFER_THRESHOLD, "nothing bears the Archivist out"
