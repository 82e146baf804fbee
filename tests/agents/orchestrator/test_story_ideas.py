"""A story begun in words: what the model is told, what fills the form, and that nothing is true by it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from agents.llm.errors import BudgetExhausted, ModelCut, ModelRefused, ModelUnset
from agents.llm.scripted_model import ScriptedReply
from agents.story_outline import NewCharacter, NewUniverse, ProposedNewcomer, StoryOutline
from stores.authority import Role
from stores.errors import InputError
from stores.queries import ProposalQuery
from stores.records.canon import Authority, EvidenceKind
from stores.records.llm import CallOutcome, FallbackStep, LlmCall, Persona
from stores.records.play import StoryMode
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict
from stores.records.world import EntityKind
from tests.agents.orchestrator.scripted_program import ScriptedProgram, house, telling

WORDS = "a lighthouse keeper who owes the sea, grim, no gore"
IDEA = {
    "title": "What the Sea Is Owed",
    "theme": "debt",
    "tone": "grim",
    "constraints": "",
    "lines_and_veils": "Line: gore",
    "hero_name": "Sel Arrow",
    "hero_description": "keeps the light and owes the sea",
    "scene_title": "The lamp is out",
    "scene_goal": "Light it again",
    "place": "Cold Light",
    "people": ["Ode: a priest who knows the price", "Wren: her daughter"],
    "places": ["The Stair: two hundred steps", "Low Quay"],
}
ANSWER = {Persona.MONITOR: json.dumps(IDEA)}


async def universe_of(scripted: ScriptedProgram) -> str:
    return (await scripted.program.services.play.scene(scripted.scene_id)).universe.id


async def calls(scripted: ScriptedProgram) -> list[LlmCall]:
    rows = await scripted.program.stores.log(Role.CONTEXT_ASSEMBLY).llm_calls()
    return [row for row in rows if row.persona is Persona.MONITOR]


async def waiting(scripted: ScriptedProgram, scene_id: str) -> list[ProposedChange]:
    log = scripted.program.stores.log(Role.CONTEXT_ASSEMBLY)
    return await log.proposals(ProposalQuery(scene_id=scene_id, statuses=[ProposalStatus.PENDING]))


async def test_story_idea_sentence_becomes_a_set_up_and_nothing_is_created(tmp_path: Path) -> None:
    async with telling(tmp_path, ANSWER, house(off=(Persona.MONITOR,))) as scripted:
        services, universe_id = scripted.program.services, await universe_of(scripted)
        await services.play.submit(scripted.scene_id, "/axiom The dead cannot cross salt")
        await services.gate.commit(scripted.scene_id)
        before = (await services.world.list_entities(universe_id), await services.stories.stories())
        idea = await services.llm.suggest_story(universe_id, WORDS)
        assert idea.model_dump(mode="json") == IDEA
        assert (await services.world.list_entities(universe_id), await services.stories.stories()) == before
        sent = scripted.sent(Persona.MONITOR)
        assert all(words in sent for words in (WORDS, "Mara", "Yard", "The dead cannot cross salt"))


async def test_story_idea_what_it_cost_is_on_the_bill_of_the_universe_and_each_time_is_asked_anew(
    tmp_path: Path,
) -> None:
    async with telling(tmp_path, ANSWER) as scripted:
        services, universe_id = scripted.program.services, await universe_of(scripted)
        for _ in range(2):
            await services.llm.suggest_story(universe_id, WORDS)
        kept = await calls(scripted)
        assert [(c.universe_id, c.story_id, c.scene_id, c.turn_id) for c in kept] == [
            (universe_id, None, None, None)
        ] * 2
        assert kept[0].result == "What the Sea Is Owed"
        assert {s.name for s in kept[0].sections} >= {"world", "words"}
        bill = await services.llm.read_bill()
        assert [row.label for row in bill.by_story] == ["in no story"]
        assert bill.by_story[0].call_count == 2


async def test_story_idea_world_that_is_not_created_yet_is_said_of_in_words(tmp_path: Path) -> None:
    async with telling(tmp_path, ANSWER) as scripted:
        services = scripted.program.services
        idea = await services.llm.suggest_story(None, WORDS, world_description="Ash Reach\ndesert mystery")
        assert idea.title == IDEA["title"]
        assert "desert mystery" in scripted.sent(Persona.MONITOR)
        assert [c.outcome for c in await calls(scripted)] == [CallOutcome.DONE]
        assert (await services.llm.read_bill()).by_story[0].call_count == 1


async def test_story_idea_what_is_outside_the_bounds_is_cut_and_what_is_missing_stays_empty(
    tmp_path: Path,
) -> None:
    wild = {
        "Title": "x" * 500,
        "people": [f"Nobody {n}: one of many\u001b[2J" for n in range(40)],
        "places": "- Low Quay: wet",
        "canon": ["The sea is dead"],
    }
    async with telling(tmp_path, {Persona.MONITOR: f"Here!\n```json\n{json.dumps(wild)}\n```"}) as scripted:
        idea = await scripted.program.services.llm.suggest_story(await universe_of(scripted), WORDS)
        assert len(idea.title) == 80
        assert idea.people == tuple(f"Nobody {n}: one of many" for n in range(4))
        assert idea.places == ("Low Quay: wet",)
        assert (idea.hero_name, idea.scene_goal) == ("", "")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("I cannot help with that.", "No story could be read"),
        ("{}", "No story could be read"),
        (ScriptedReply(), "No story could be read"),
    ],
)
async def test_story_idea_what_cannot_be_used_is_said_in_words(
    tmp_path: Path, answer: str | ScriptedReply, says: str
) -> None:
    async with telling(tmp_path, {Persona.MONITOR: lambda _: answer}) as scripted:
        with pytest.raises(ModelRefused, match=says) as failed:
            await scripted.program.services.llm.suggest_story(await universe_of(scripted), WORDS)
        assert failed.value.kept == "The form is as it was."
        assert (await calls(scripted))[-1].fallback_step is FallbackStep.NONE


async def test_story_idea_without_words_a_model_or_money_nothing_is_sent(tmp_path: Path) -> None:
    async with telling(tmp_path, ANSWER) as scripted:
        services, universe_id = scripted.program.services, await universe_of(scripted)
        for words in ("  ", "word " * 1_000):
            with pytest.raises(InputError):
                await services.llm.suggest_story(universe_id, words)
        await services.llm.set_budget("universe", 0, subject=universe_id)
        with pytest.raises(BudgetExhausted) as broke:
            await services.llm.suggest_story(universe_id, WORDS)
        assert "Bill on the menu" in broke.value.todo
        await services.llm.choose_model(model="")
        with pytest.raises(ModelUnset):
            await services.llm.suggest_story(universe_id, WORDS)
        assert scripted.asked == []


async def test_story_idea_it_can_be_stopped_and_is_not_asked_a_second_time(tmp_path: Path) -> None:
    started = asyncio.Event()
    hung = ScriptedReply(('{"title": "Wh', "o"), gate=asyncio.Semaphore(1), started=started)
    async with telling(tmp_path, {Persona.MONITOR: hung}) as scripted:
        services = scripted.program.services
        job = asyncio.ensure_future(services.llm.suggest_story(await universe_of(scripted), WORDS))
        await asyncio.wait_for(started.wait(), 60)
        assert services.llm.stop_streaming(None)
        with pytest.raises(ModelCut, match="You stopped it"):
            await asyncio.wait_for(job, 60)
        assert scripted.asked == [Persona.MONITOR]
        assert [c.outcome for c in await calls(scripted)] == [CallOutcome.STOPPED]


async def test_story_idea_is_stopped_before_it_is_sent(tmp_path: Path) -> None:
    """Its request is prepared first: whoever stops it then pays for nothing."""
    async with telling(tmp_path, {Persona.MONITOR: json.dumps({"title": "Low Water"})}) as scripted:
        services = scripted.program.services
        job = asyncio.ensure_future(services.llm.suggest_story(await universe_of(scripted), WORDS))
        await asyncio.sleep(0)
        assert services.llm.stop_streaming(None)
        with pytest.raises(ModelCut, match="You stopped it"):
            await job
        assert scripted.asked == []
        assert not services.llm.stop_streaming(None)


async def test_story_idea_who_leaves_while_it_is_asked_finds_it_on_the_bill(tmp_path: Path) -> None:
    started = asyncio.Event()
    hung = ScriptedReply(('{"title": "Wh', "o"), gate=asyncio.Semaphore(1), started=started)
    async with telling(tmp_path, {Persona.MONITOR: hung}) as scripted:
        job = asyncio.ensure_future(
            scripted.program.services.llm.suggest_story(await universe_of(scripted), WORDS)
        )
        await asyncio.wait_for(started.wait(), 60)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        assert [c.outcome for c in await calls(scripted)] == [CallOutcome.FAILED]


# --- whom and what it brings in ---------------------------------------------------------------------------


def outline(universe_id: str, mode: StoryMode = StoryMode.COPILOT) -> StoryOutline:
    return StoryOutline(
        universe_id,
        "What the Sea Is Owed",
        None,
        mode=mode,
        place="Cold Light",
        newcomers=(
            ProposedNewcomer(EntityKind.CHARACTER, "Ode", "a priest"),
            ProposedNewcomer(EntityKind.CHARACTER, "ode", "twice"),
            ProposedNewcomer(EntityKind.CHARACTER, "Mara", "is known already"),
            ProposedNewcomer(EntityKind.PLACE, "Low Quay"),
            ProposedNewcomer(EntityKind.PLACE, "Cold Light", "where it opens"),
        ),
    )


@pytest.mark.parametrize("mode", [StoryMode.COPILOT, StoryMode.AUTOPILOT])
async def test_newcomers_wait_at_the_first_scenes_gate_and_are_canon_by_no_default(
    tmp_path: Path, mode: StoryMode
) -> None:
    async with telling(tmp_path) as scripted:
        services, universe_id = scripted.program.services, await universe_of(scripted)
        scene_id = await services.stories.start_story(outline(universe_id, mode))
        proposals = await waiting(scripted, scene_id)
        assert [(p.change.name, p.authority, p.decision) for p in proposals] == [  # type: ignore[union-attr]
            ("Ode", Authority.SYSTEM, None),
            ("Low Quay", Authority.SYSTEM, None),
        ]
        assert [e.kind for p in proposals for e in p.evidence] == [EvidenceKind.MANUAL] * 2
        rows = (await services.gate.gate(scene_id)).proposals
        assert [row.mark for row in rows] == ["defer", "defer"]
        assert "From story set-up: Ode: a priest" in rows[0].quote
        view = await services.play.scene(scene_id)
        assert view.cast == ()  # being named makes nobody present
        assert view.trigger_reason == ""  # nobody discovered the quay: it was only thought of
        await services.play.continue_narration(scene_id)
        await services.gate.end_scene(scene_id)
        if mode is StoryMode.COPILOT:
            await services.gate.commit(scene_id)  # autopilot has done it by now
        names = {e.name for e in await services.world.list_entities(universe_id)}
        assert "Ode" not in names
        assert "Low Quay" not in names


async def test_story_idea_newcomer_who_is_accepted_is_canon_and_waits_to_be_brought_in(
    tmp_path: Path,
) -> None:
    async with telling(tmp_path) as scripted:
        services = scripted.program.services
        universe = await services.stories.create_universe(NewUniverse("Ash Reach"))
        scene_id = await services.stories.start_story(outline(universe.id))
        ids = [row.proposal.id for row in (await services.gate.gate(scene_id)).proposals]
        await services.gate.decide(ids, Verdict.ACCEPT)
        await services.gate.end_scene(scene_id)
        report = await services.gate.commit(scene_id)
        assert {"Ode", "Low Quay", "Mara"} <= {
            e.name for e in await services.world.list_entities(universe.id)
        }
        assert report.next_scene_id is not None
        following = await services.play.scene(report.next_scene_id)
        assert following.cast == ()
        await services.play.submit(report.next_scene_id, "> Ode comes down to the quay.")
        following = await services.play.scene(report.next_scene_id)
        assert {m.name for m in following.cast} == {"Ode"}


async def test_story_idea_dead_newcomer_is_proposed_dead_and_is_nowhere_in_the_first_scene(
    tmp_path: Path,
) -> None:
    async with telling(tmp_path) as scripted:
        services, universe_id = scripted.program.services, await universe_of(scripted)
        brother = ProposedNewcomer(
            EntityKind.CHARACTER, "Corvin Ferrant", "Odile's brother, lost on the pass four winters ago"
        )
        scene_id = await services.stories.start_story(
            StoryOutline(
                universe_id,
                "The Fourth Reply",
                NewCharacter("Odile Ferrant"),
                place="Sill Station: two rooms and a stove under the pass",
                newcomers=(brother,),
            )
        )
        view = await services.play.scene(scene_id)
        assert {member.name for member in view.cast} == {"Odile Ferrant"}
        await services.play.continue_narration(scene_id)
        sent = scripted.sent(Persona.NARRATOR)
        assert "Place: Sill Station. two rooms and a stove under the pass" in sent
        assert "Corvin" not in sent.split("## Who is here")[1].split("##")[0]
        await services.play.submit(scene_id, "Corvin, is it you?")
        assert "Corvin Ferrant is dead" in scripted.sent(Persona.NARRATOR)


async def test_story_idea_newcomer_without_a_name_stops_the_story_before_anything_is_created(
    tmp_path: Path,
) -> None:
    async with telling(tmp_path) as scripted:
        services, universe_id = scripted.program.services, await universe_of(scripted)
        bad = StoryOutline(
            universe_id, "A story", None, place="New", newcomers=(ProposedNewcomer(EntityKind.PLACE, " "),)
        )
        with pytest.raises(InputError, match="needs a name"):
            await services.stories.start_story(bad)
        assert "New" not in {e.name for e in await services.world.list_entities(universe_id)}
        assert len(await services.stories.stories()) == 1
