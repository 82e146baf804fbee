"""Plays the blind campaign without a model, as a player types it, and notes what the program says to each line.

Everything goes through `services.play` and `services.gate`. A planted line is taken back by `/undo` once it was
looked at. What the program offers for a line that keeps, breaks, decides or drops something is taken, as Tab and
Enter take it.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.predicates import Catalogue, load_catalogue
from agents.events import Event, TurnAppended
from agents.llm.scripted_model import ScriptedModel
from agents.memory_manager.scene_reader import SceneReader, mark_unheard_turns
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from agents.views.proposal_views import ProposalView
from agents.views.replies import Reply
from agents.views.world_views import CommitmentLedgerView
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.records.canon import AssertFact, FactKind
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.llm import Persona
from stores.records.workflow import OPEN_STATUSES, Verdict
from tests.agents.orchestrator.scripted_program import house, persona_of, scripted
from tests.long_campaign.blind_script import BlindScript, Probe, ScriptLine, ScriptScene
from tests.program import START

MAX_UNDO_STEPS = 4
"""Times that one line is undone at most: what it proposed may be undone before it."""
WARNING = re.compile(
    r"⚠|\bcontradict|\bconflict|\bcanon says\b|\band is dead\b|\bcannot be\b|\balready decided\b",
    re.IGNORECASE,
)
"""What a line of a reply says when it warns."""
_LISTED_DECISION = re.compile(r"\d+\. (.+)  \(scene \d+\)")
_INTRODUCES = re.compile(r"/(?:npc(?: here)?|place|thing) (?P<name>.+)")
LAST_LINE = "I look round once more."


@dataclass(frozen=True, slots=True)
class PlayedLine:
    """A line of the script, and what the program made of it."""

    line: ScriptLine
    scene_number: int
    seconds: float
    turn_ids: tuple[Id, ...]
    reply_lines: tuple[str, ...]
    offered_line: str
    """What Tab would have taken."""
    rows: tuple[ProposalView, ...]
    """What its turn proposed."""
    warnings: tuple[str, ...]
    """Conflicts on the rows of its turn, and warnings in the reply."""
    decisions: tuple[str, ...] = ()
    """What holds since."""

    @property
    def promise_ids(self) -> frozenset[Id]:
        """The facts that its promises become in canon."""
        return frozenset(fact_id_of(row.proposal) for row in self.rows if is_promise(row))


@dataclass(slots=True)
class BlindRun:
    """What was played so far, and what was read of it."""

    universe_id: Id = ""
    story_id: Id = ""
    scene_id: Id = ""
    played: list[PlayedLine] = field(default_factory=list)
    turn_ids: dict[tuple[int, int], Id] = field(default_factory=dict)
    """The turn of each line, by the numbers of its scene and of itself."""
    scene_ids: dict[int, Id] = field(default_factory=dict)
    probes: list[tuple[Probe, bool]] = field(default_factory=list)
    """Each probe, and whether the program has it right."""
    failures: list[str] = field(default_factory=list)
    """What could not be committed."""
    narrator_prompt: str = ""
    """What the Narrator is asked in the last scene."""
    ledger: CommitmentLedgerView | None = None


def is_promise(row: ProposalView) -> bool:
    change = row.proposal.change
    return isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT


async def play_blind_campaign(home: Path, script: BlindScript, *, states_facts: bool = False) -> BlindRun:
    """Play the campaign in a new library.

    With `states_facts`, claims and what contradicts them are stated by `/fact`, too: that shows what is compared
    once it is proposed.
    """
    run = BlindRun()
    async with _opened(home, 1) as program:
        player = BlindPlayer(program, script, run, states_facts=states_facts)
        await player.begin()
        for number in range(1, len(script.scenes)):
            await player.play_scene(number)
            await player.close_scene(number)
        await player.play_scene(len(script.scenes))
    model = scripted({})
    async with _opened(home, 2, model) as program:
        run.scene_id = await program.services.stories.resume(run.story_id)
        await program.services.play.submit(run.scene_id, LAST_LINE)
        run.narrator_prompt = _read_prompt(model)
        await program.services.play.undo(run.scene_id)
    async with _opened(home, 3) as program:
        run.scene_id = await program.services.stories.resume(run.story_id)
        await BlindPlayer(program, script, run).close_scene(len(script.scenes))
        run.ledger = await program.services.world.commitments.read_commitments(run.universe_id, run.scene_id)
    return run


@asynccontextmanager
async def _opened(home: Path, number: int, model: ScriptedModel | None = None) -> AsyncIterator[Program]:
    """Open the library for the `number`-th time, with identifiers and a clock of its own."""
    clock = SteppingClock(START + timedelta(days=30 * number))
    ids = SeededIdGenerator(number, clock, salt=str(home))
    settings = house() if model is not None else None
    program = await open_program(home, clock=clock, ids=ids, model=model, settings=settings)
    try:
        yield program
    finally:
        await program.close()


def _read_prompt(model: ScriptedModel) -> str:
    requests = [request for request in model.requests if persona_of(request) is Persona.NARRATOR]
    return "\n".join(message.text for message in requests[0].messages)


async def _read_catalogue(universe_id: Id) -> Catalogue:
    return load_catalogue()


class BlindPlayer:
    """Plays scenes of the script in an open program."""

    def __init__(
        self, program: Program, script: BlindScript, run: BlindRun, *, states_facts: bool = False
    ) -> None:
        self._program = program
        self._services = program.services
        self._script = script
        self._run = run
        self._states_facts = states_facts
        self._appended_ids: list[Id] = []
        program.services.events.subscribe(self._note_turn)

    # --- the set-up -----------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Create world, hero, people, places and things, and commit them."""
        script, run = self._script, self._run
        universe = await self._services.stories.create_universe(NewUniverse(script.world))
        first_place, *places = script.places
        outline = StoryOutline(
            universe.id,
            script.world,
            NewCharacter(script.hero.name, script.hero.description),
            scene_title="Before it begins",
            place=first_place,
        )
        run.universe_id, run.scene_id = universe.id, await self._services.stories.start_story(outline)
        run.story_id = (await self._services.play.scene(run.scene_id)).story.id
        for line in (
            *(f"/npc {person.name}: {person.description}" for person in script.people),
            *(f"/place {place}" for place in places),
            *(
                f"/{'faction' if thing.kind == 'faction' else 'thing'} {thing.name}"
                for thing in script.things
            ),
            "/commit",
            "/end The valley lies before us.",
        ):
            await self._submit(line)
        await self._commit_gate()

    async def _open_scene(self, scene: ScriptScene) -> None:
        """Give the scene its title and place, and see to it that those are here who are."""
        view = await self._services.play.scene(self._run.scene_id)
        lines = [f"/scene {scene.title}"]
        if view.place != scene.place:
            lines.append(f"/go {scene.place}")
        for line in lines:
            await self._submit(line)
        view = await self._services.play.scene(self._run.scene_id)
        here = {member.name for member in view.cast if not member.is_pc}
        for sign, names in (("-", here - set(scene.here)), ("+", set(scene.here) - here)):
            if names:
                await self._submit(f"/cast {sign} {', '.join(sorted(names))}")

    # --- a scene --------------------------------------------------------------------------------------

    async def play_scene(self, number: int) -> None:
        """Play the lines of a scene but for its end."""
        scene = self._script.scenes[number - 1]
        self._run.scene_ids[number] = self._run.scene_id
        await self._open_scene(scene)
        for line_number, line in enumerate(scene.played_lines, start=1):
            await self._play_line(number, line_number, line)

    async def close_scene(self, number: int) -> None:
        """End the scene, commit what has no conflict, and ask who knows what."""
        await self._submit(self._script.scenes[number - 1].end_line)
        await self._commit_gate()
        for probe in self._script.probes:
            if probe.after_scene == number:
                self._run.probes.append((probe, await self._knows(probe) is probe.knows))

    async def _play_line(self, scene_number: int, line_number: int, line: ScriptLine) -> None:
        scene_id = self._run.scene_id
        before = await self._services.play.scene(scene_id)
        row_ids_before = {row.proposal.id for row in before.proposals}
        # A likelihood that canon suggests is taken, as Enter takes it; it is no word of the program's on the line.
        begun = time.perf_counter()
        reply = await self._submit(line.text)
        if reply.prompt_text.startswith("?"):
            reply = await self._submit(reply.prompt_text)
        seconds = time.perf_counter() - begun
        turn_ids = tuple(self._appended_ids)
        if self._states_facts and (line.claim or line.contradicts):
            stated = await self._submit(f"/fact {line.text.removeprefix('> ')}")
            reply = replace(stated, lines=(*reply.lines, *stated.lines))
        view = reply.scene or await self._services.play.scene(scene_id)
        if not line.contradicts and reply.suggested_line and takes_offer(line):
            await self._submit(reply.suggested_line)
        rows = tuple(row for row in view.proposals if row.proposal.id not in row_ids_before)
        warning_lines = [text for text in reply.lines if reply.severity == "warning" or WARNING.search(text)]
        conflicts = [conflict.text for row in rows for conflict in row.conflicts]
        self._run.played.append(
            PlayedLine(
                line,
                scene_number,
                seconds,
                turn_ids,
                reply.lines,
                reply.suggested_line,
                rows,
                (*conflicts, *warning_lines),
                await self._list_decisions(),
            )
        )
        if line.contradicts:
            await self._take_back(before.turn_count)
        elif turn_ids:
            self._run.turn_ids[scene_number, line_number] = turn_ids[0]

    async def _take_back(self, turn_count: int) -> None:
        """Undo the last line. Raises AssertionError if it does not go."""
        for _ in range(MAX_UNDO_STEPS):
            view = await self._services.play.scene(self._run.scene_id)
            if view.turn_count <= turn_count:
                break
            reply = await self._services.play.undo(self._run.scene_id)
            if reply.confirm_line:
                await self._submit(reply.confirm_line)
        view = await self._services.play.scene(self._run.scene_id)
        assert view.turn_count == turn_count, "a planted line was not undone, or more than it"

    async def _submit(self, line: str) -> Reply:
        self._appended_ids.clear()
        return await self._services.play.submit(self._run.scene_id, line, with_view=True)

    def _note_turn(self, event: Event) -> None:
        if isinstance(event, TurnAppended):
            self._appended_ids.append(event.turn.id)

    async def _list_decisions(self) -> tuple[str, ...]:
        reply = await self._services.play.submit(self._run.scene_id, "/decisions")
        return tuple(match[1] for line in reply.lines if (match := _LISTED_DECISION.fullmatch(line)))

    # --- gate and memory ------------------------------------------------------------------------------

    async def _commit_gate(self) -> None:
        """Accept what has no conflict, and commit; play goes on in the next scene."""
        gate = await self._services.gate.gate(self._run.scene_id)
        accepted_ids = [
            row.proposal.id
            for row in gate.proposals
            if row.status in OPEN_STATUSES and row.verdict is None and not row.conflicts
        ]
        if accepted_ids:
            await self._services.gate.decide(accepted_ids, Verdict.ACCEPT)
        report = await self._services.gate.commit(self._run.scene_id)
        self._run.failures += [f"{title}: {reason}" for title, reason in report.failures]
        assert report.next_scene_id
        self._run.scene_id = report.next_scene_id

    async def _knows(self, probe: Probe) -> bool:
        """Return whether somebody was there to hear the line, as it is worked out for memories."""
        stores = self._program.stores
        reader = SceneReader(
            stores.canon(Role.MEMORY_MANAGER), stores.log(Role.MEMORY_MANAGER), _read_catalogue
        )
        scene_id = self._run.scene_ids[probe.about.scene]
        setting = await reader.read_setting(scene_id)
        turns = await reader.read_turns(setting, 0, 1_000)
        turn_id = self._run.turn_ids[probe.about.scene, probe.about.line]
        (turn,) = [turn for turn in turns if turn.id == turn_id]
        heard = mark_unheard_turns(setting.attendance, turns).heard_texts(turn)
        names = {entity_id: entity.name for entity_id, entity in setting.entities.items()}
        return probe.who in {names[entity_id] for entity_id in heard}


def takes_offer(line: ScriptLine) -> bool:
    """Say whether the player means what is offered for the line."""
    return bool(line.keeps or line.breaks or line.decision or line.drops)


def introduces(played: PlayedLine, known_names: Collection[str]) -> bool:
    """Say whether what is offered for a line makes known somebody, a place or a thing that it names and nobody has.

    A place may be named by its kind alone: `the weir`.
    """
    offer = _INTRODUCES.fullmatch(played.offered_line)
    return (
        offer is not None
        and offer["name"] not in known_names
        and (offer["name"].casefold() in played.line.text.casefold())
    )
