"""Whatever a model says or fails at, and whatever is taken back: the line is whole, nothing hangs on what is
not there, no turn is lost, and canon is as it was until a commit.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.events import TextStreamed
from agents.llm.errors import ModelCut, ModelKeyRefused, ModelRefused
from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer, ScriptedReply
from stores.authority import Role
from stores.errors import MonitorError
from stores.queries import FactQuery
from stores.records.ids import Id
from stores.records.llm import Persona
from stores.records.play import Turn
from tests.agents.orchestrator.scripted_program import ScriptedProgram, house, telling, word_by_word
from tests.examples import examples

HOW = ("good", "good", "good", "cut", "refusing", "no key", "empty", "no record")

ACTIONS = st.lists(
    st.tuples(
        st.one_of(
            st.just("I act."),
            st.just("I try. /check 1 vs 1; success: Mara.hp -1"),
            st.just("I fail. /check 1 vs 99; fail: Mara +tired"),
            st.just("> It happens."),
            st.just("/fact event: Something happens"),
            st.just("retell"),
            st.just("tell on"),
            st.just("stop"),
            st.just("/undo"),
            st.just("/undo"),
            st.just("/redo"),
            st.just("/take next"),
            st.just("/take previous"),
            st.just("/retake In other words."),
            st.integers(1, 9).map(lambda n: f"/branch {n}"),
        ),
        st.sampled_from(HOW),
    ),
    max_size=16,
)


@pytest.mark.slow
@settings(max_examples=examples(40, 8), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS, st.sampled_from(["langgraph", "inmemory"]))
def test_narration_nothing_is_lost_and_nothing_hangs(actions: list[tuple[str, str]], backend: str) -> None:
    asyncio.run(_play(actions, backend))


class _Mood:
    """What the model is like now, and other words each time."""

    def __init__(self) -> None:
        self.how = "good"
        self.count = 0

    def narrator(self, _: LlmRequest) -> ScriptedAnswer:
        self.count += 1
        prose = " ".join(f"Lamp{self.count}x{n} burns." for n in range(8))
        said = f"{prose} Mara promises to bring {self.count} bells to the priory."
        match self.how:
            case "cut":
                return word_by_word(said, error=ModelCut("It broke."), cut_after=5)
            case "refusing":
                return ScriptedReply(error=ModelRefused("Declined."))
            case "no key":
                return ScriptedReply(error=ModelKeyRefused("No key."))
            case "empty":
                return ""
            case _:
                return word_by_word(said)

    def archivist(self, _: LlmRequest) -> ScriptedAnswer:
        if self.how == "no record":
            return ScriptedReply(error=ModelRefused("Declined."))
        quote = f"Mara promises to bring {self.count} bells to the priory."
        change = {
            "kind": "promise",
            "subject": "Mara",
            "object": f"to bring {self.count} bells",
            "weight": 90,
        }
        return json.dumps({"summary": f"Number {self.count}.", "changes": [change | {"quote": quote}]})


async def _play(actions: list[tuple[str, str]], backend: str) -> None:
    mood = _Mood()
    script = {Persona.NARRATOR: mood.narrator, Persona.ARCHIVIST: mood.archivist}
    with tempfile.TemporaryDirectory() as folder:
        async with telling(Path(folder), script, house(backend=backend)) as scripted:
            canon, seen = await _canon(scripted), dict[Id, Turn]()
            for action, mood.how in actions:
                before = await scripted.line()
                try:
                    await _act(scripted, action)
                except MonitorError:
                    assert await scripted.line() == before, "what is refused moves nothing"
                seen = await _tree_holds(scripted, seen)
                await _proposals_hold(scripted)
                assert await _canon(scripted) == canon
            assert (await scripted.program.services.play.scene(scripted.scene_id)).unfinished_count == 0


async def _act(scripted: ScriptedProgram, action: str) -> None:
    services, scene_id = scripted.program.services, scripted.scene_id
    match action:
        case "retell":
            await services.play.narrate_again(scene_id, "otherwise")
        case "tell on":
            await services.play.continue_narration(scene_id)
        case "stop":
            stop = services.events.subscribe(lambda e: _stopped(scripted, e))
            try:
                await services.play.submit(scene_id, "I wait.")
            finally:
                stop()
        case _:
            await services.play.submit(scene_id, action)


def _stopped(scripted: ScriptedProgram, event: object) -> None:
    if isinstance(event, TextStreamed):
        scripted.program.services.llm.stop_streaming(scripted.scene_id)


async def _tree_holds(scripted: ScriptedProgram, seen: dict[Id, Turn]) -> dict[Id, Turn]:
    """Every turn ever told is still there as it was, and the line is the path from its end to its first."""
    log = scripted.program.stores.log(Role.CONTEXT_ASSEMBLY)
    tree = {turn.id: turn for turn in await log.all_turns(scripted.scene_id)}
    assert {i: tree.get(i) for i in seen} == seen, "a turn was lost, or is another now"
    line = await scripted.line()
    assert [t.id for t in line] == [t.id for t in _path(tree, line[-1].id if line else None)]
    assert [t.depth for t in line] == list(range(len(line)))
    assert len({(t.parent_id, t.id) for t in line}) == len(line)
    scene = await log.scene(scripted.scene_id)
    assert scene.head == (line[-1].id if line else None)
    return tree


def _path(tree: dict[Id, Turn], head: Id | None) -> list[Turn]:
    def up() -> Iterator[Turn]:
        at = head
        while at is not None:
            yield tree[at]
            at = tree[at].parent_id

    return list(up())[::-1]


async def _proposals_hold(scripted: ScriptedProgram) -> None:
    """What counts on the line was told or rolled by a turn on the line; its evidence is that turn's words."""
    line = {turn.id: turn for turn in await scripted.line()}
    view = await scripted.program.services.play.scene(scripted.scene_id)
    for row in view.proposals:
        turn_id = row.proposal.turn_id
        assert turn_id is None or turn_id in line, f"{row.title} hangs on a turn that is off the line"
        for evidence in row.proposal.evidence:
            if evidence.span and evidence.turn_id:
                start, end = evidence.span
                assert line[evidence.turn_id].text[start:end] == evidence.quote


async def _canon(scripted: ScriptedProgram) -> list[str]:
    canon = scripted.program.stores.canon(Role.CONTEXT_ASSEMBLY)
    universe = (await canon.universes())[0]
    facts = await canon.facts(universe.id, FactQuery(history=True))
    return [r.model_dump_json() for r in (*facts, *await canon.entities(universe.id))]
