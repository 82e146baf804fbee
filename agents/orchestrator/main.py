"""The Orchestrator: runs the loops, calls the agents in order, and hands views to screens.

The one class behind `agents.desk.Desk`. It decides nothing about rules, prose or canon.
Source: AGENT_ORCHESTRATION, Orchestrator; design/architecture.md.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from agents.background.views import BackgroundDesk
from agents.canon_keeper.keeper import CanonKeeper
from agents.clean import clean, clean_line
from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.desk import Mode, NewUniverse, StoryOutline
from agents.import_desk import ImportDesk
from agents.messages import EventBus, ProposalsChanged, SceneOpened
from agents.model_desk import ModelDesk
from agents.orchestrator.atlas import Atlas
from agents.orchestrator.bench import Benches
from agents.orchestrator.bookkeeping import Bookkeeping
from agents.orchestrator.calendar import clock_time
from agents.orchestrator.chances import Chances
from agents.orchestrator.chronicle import Chronicle
from agents.orchestrator.commands import Commands, staged, written
from agents.orchestrator.declare import FindEntity
from agents.orchestrator.durations import read_time
from agents.orchestrator.edits import edited
from agents.orchestrator.exchange import Exchange, begin
from agents.orchestrator.finding import in_scene, in_universe
from agents.orchestrator.founding import WorldSeed, proposals_of
from agents.orchestrator.hearing import heard_by
from agents.orchestrator.line import Line
from agents.orchestrator.loops import Loops
from agents.orchestrator.portraits import Portraits
from agents.orchestrator.recollection import Recollections
from agents.orchestrator.rewording import involving
from agents.orchestrator.rolls import Rolls
from agents.orchestrator.router import Operation, Roll, Words, route
from agents.orchestrator.scene import SceneLoop
from agents.orchestrator.scene_views import OPEN, SceneViews
from agents.orchestrator.session import Session
from agents.orchestrator.story import StoryLoop
from agents.orchestrator.story_export import StoryRecord
from agents.orchestrator.storyteller import Storyteller, retaken, waits
from agents.orchestrator.table import PlayTable
from agents.orchestrator.transcript import Transcript
from agents.orchestrator.turn_graph import TurnGraph, answered
from agents.orchestrator.turn_state import TurnState
from agents.orchestrator.universe_gate import UniverseGate
from agents.orchestrator.world_desk import Worlds
from agents.resolver.likelihood import Suggestion
from agents.resolver.oracle import Likelihood
from agents.resolver.resolver import Resolver
from agents.views import (
    CommandHelp,
    CommitReport,
    EntityCard,
    GateView,
    MenuView,
    Reply,
    SceneView,
    SheetView,
    StoryCard,
    SystemView,
    TurnTrace,
    TurnView,
)
from stores.errors import IllegalTransition, InputError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.canon import Payload
from stores.records.ids import Clock, Id, IdMaker, derived
from stores.records.ledger import Decision, Loop, ProposedChange, Verdict
from stores.records.play import Scene, Speaker, StoryMode, TensionMode
from stores.records.world import Entity, EntityKind, Number, Universe

SAMPLE = derived("universe", "sample")
"""The bundled universe is the same one in every library: bringing it in twice is bringing it in once."""

MOVES = frozenset({"undo", "redo", "take", "retake", "branch"})
"""Commands that go along the line: what they bring back was told when it was staged."""

SAMPLE_SYSTEM = "lantern_twos"
"""The rule pack that the sample's characters are written for."""


class Orchestrator:
    """See `agents.desk.Desk` for what each call promises."""

    def __init__(
        self,
        *,
        log: OrchestratorLog,
        canon: CanonReader,
        keeper: CanonKeeper,
        resolver: Resolver,
        context: ContextAssembly,
        session: Session,
        stories: StoryLoop,
        scenes: SceneLoop,
        graph: TurnGraph,
        line: Line,
        rolls: Rolls,
        chances: Chances,
        kept: Bookkeeping,
        table: PlayTable,
        house_notes: Callable[[], tuple[str, ...]],
        views: SceneViews,
        universe_gate: UniverseGate,
        bench: Benches,
        world: Worlds,
        storyteller: Storyteller,
        model: ModelDesk,
        imports: ImportDesk,
        recall: Recollections,
        people: Portraits,
        background: BackgroundDesk,
        transcript: Transcript,
        atlas: Atlas,
        chronicle: Chronicle,
        commands: Callable[[Orchestrator], Commands],
        turnstile: asyncio.Lock,
        sample: Callable[[], WorldSeed],
        health: Callable[[], tuple[tuple[str, str], ...]],
        loops: Loops,
        ids: IdMaker,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._resolver = resolver
        self._context = context
        self._session = session
        self._stories = stories
        self._scenes = scenes
        self._graph = graph
        self._line = line
        self._rolls = rolls
        self._chances = chances
        self._kept = kept
        self._table = table
        self._house_notes = house_notes
        self._views = views
        self._universe_gate = universe_gate
        self._bench = bench
        self._world = world
        self._storyteller = storyteller
        self._model = model
        self._imports = imports
        self._recall = recall
        self._people = people
        self._background = background
        self._transcript = transcript
        self._atlas = atlas
        self._chronicle = chronicle
        self._commands = commands(self)
        self._sample = sample
        self._health = health
        self._loops = loops
        self._ids = ids
        self._clock = clock
        self._events = events
        self._turnstile = turnstile
        self._dismissed: set[Id] = set()
        self._open_story: Id | None = None
        self._recovered: tuple[str, ...] = ()

    @property
    def events(self) -> EventBus:
        return self._events

    # --- session -------------------------------------------------------------------------------------

    async def recover(self) -> tuple[str, ...]:
        self._recovered = tuple(await self._session.recover())
        return self._recovered

    async def enter(self, mode: Mode) -> None:
        async with self._turnstile:
            await self._session.enter(mode)

    async def leave(self) -> None:
        async with self._turnstile:
            await self._session.leave()
            self._open_story = None

    async def menu(self) -> MenuView:
        notes = await asyncio.to_thread(self._house_notes)
        view = await self._session.menu(self._health(), (*self._recovered, *notes))
        if view.resume is None or view.resume.scene is None:
            return view
        previously = await self._chronicle.in_short(view.resume.scene.id)
        return replace(view, resume=replace(view.resume, previously=previously))

    def commands(self) -> tuple[CommandHelp, ...]:
        return self._commands.help()

    # --- universes, characters, stories --------------------------------------------------------------

    async def universes(self) -> list[Universe]:
        return await self._canon.universes()

    async def add_sample(self) -> Universe:
        universe, proposals, _ = proposals_of(self._sample(), SAMPLE, clock=self._clock)
        async with self._turnstile:
            if universe.id not in {u.id for u in await self._canon.universes()}:
                await self._resolver.stage(proposals)
                await self._keeper.found(universe, proposals)
        return await self._canon.universe(universe.id)

    async def systems(self) -> tuple[SystemView, ...]:
        return await self._table.settings.systems()

    async def sample_outline(self) -> StoryOutline:
        universe, _, opening = proposals_of(self._sample(), SAMPLE, clock=self._clock)
        return StoryOutline(
            universe_id=universe.id,
            title=opening.title,
            pc=opening.pc_id,
            theme=opening.theme,
            tone=opening.tone,
            constraints=opening.constraints,
            lines_and_veils=opening.lines_and_veils,
            system=SAMPLE_SYSTEM,
            scene_title=opening.scene_title,
            scene_goal=opening.scene_goal,
            place=opening.place_id,
            cast=opening.cast,
            tick=opening.tick,
            prose=opening.prose,
        )

    async def create_universe(self, new: NewUniverse) -> Universe:
        async with self._turnstile:
            return await self._stories.create_universe(new)

    async def characters(self, universe_id: Id) -> list[Entity]:
        people = await self._canon.entities(universe_id, kind=EntityKind.CHARACTER)
        return sorted(people, key=lambda e: not e.is_pc)

    async def places(self, universe_id: Id) -> list[Entity]:
        return await self._canon.entities(universe_id, kind=EntityKind.PLACE)

    async def start_story(self, outline: StoryOutline) -> Id:
        pack = await self._table.settings.pack(outline.system)
        outline = replace(self._table.sheets.with_hero(outline, pack), system=pack.id if pack else "")
        async with self._turnstile:
            await self._session.enter(Mode.START_STORY)
            scene = await self._stories.start(outline)
            for words in outline.prose:
                head = (await self._context.load(scene.id)).head
                opening = begin(self._ids, scene, head, words=words, told=True, answered=True)
                await self._graph.play(opening, await self._context.load(scene.id))
            self._open_story = scene.story_id
        self._events.publish(SceneOpened(scene.id))
        return scene.id

    async def stories(self) -> list[StoryCard]:
        return await self._session.cards()

    async def resume(self, story_id: Id) -> Id:
        async with self._turnstile:
            if await self._loops.state(Loop.STORY, story_id) != "active":
                raise IllegalTransition(
                    "That story is over.", kept="It stays readable.", todo="Start another in its universe."
                )
            scene = await self._session.resume(story_id)
            self._open_story = story_id
        self._events.publish(SceneOpened(scene.id))
        return scene.id

    async def suspend(self) -> None:
        async with self._turnstile:
            await self._session.suspend(self._open_story)
            self._open_story = None

    async def abandon(self, story_id: Id) -> None:
        async with self._turnstile:
            await self._loops.fire(Loop.STORY, story_id, "abandon")

    async def told(self, story_id: Id) -> StoryRecord:
        """Return everything that a written-out story tells."""
        return await self._chronicle.story(story_id)

    async def complete_story(self, story_id: Id, recap: str = "") -> CommitReport:
        async with self._turnstile:
            return await self._stories.complete(story_id, recap)

    # --- the scene -----------------------------------------------------------------------------------

    async def scene(self, scene_id: Id) -> SceneView:
        why, _ = await self._scenes.trigger(scene_id, self._dismissed)
        return await self._views.scene(scene_id, why)

    async def transcript(self, scene_id: Id, start: int, count: int) -> list[TurnView]:
        return await self._transcript.rows(scene_id, start, count)

    async def submit(self, scene_id: Id, line: str) -> Reply:
        typed = self._storyteller.overridden(route(line, self._commands.names()))
        if isinstance(typed, Words) and (said := await self._storyteller.command_in(typed, scene_id, self)):
            return said
        moves = isinstance(typed, Operation) and typed.name in MOVES
        watch = None if moves else await self._table.running_out.watch(scene_id)
        if isinstance(typed, Operation):
            reply = await self._commands.run(scene_id, typed.name, typed.argument)
        else:
            async with self._turnstile:
                reply, exchange = await self._answer(scene_id, line, typed)
            # The model takes its time: meanwhile proposals can be decided on.
            reply = await self._told(exchange, reply)
        # What ran out is told as it was staged: a death that comes of it is the GM's to stage.
        reply = await self._table.running_out.crossed(watch, reply)
        return replace(reply, lines=(*reply.lines, *await self._offer(scene_id)))

    async def alter_roll(self, scene_id: Id, how: Literal["reroll", "pick"], typed: str) -> Reply:
        async with self._turnstile:
            await self._playing(scene_id, "take a roll otherwise")
            context = await self._context.load(scene_id)
            with_it = Counter(p.turn_id for p in context.staged)
            reply, left = await self._table.dicing.alter(context, how, typed)
            if not left:
                return reply
            offered = await self._scenes.undone.offer(await self._log.scene(scene_id), left)
        gone = sum(with_it[turn.id] for turn in left)
        noun = "proposal" if gone == 1 else "proposals"
        told = (f"{gone} {noun} of the old roll went with it; /undo brings it back.",) if gone else ()
        return replace(reply, lines=(*reply.lines, *told, *_offered(offered)))

    async def rest(self, scene_id: Id, typed: str) -> Reply:
        async with self._turnstile:
            await self._playing(scene_id, "rest")
            context = await self._context.load(scene_id)
            if not typed:
                return Reply("operation", self._table.rests.list(context), text="/rest ")
            exchange = await self._table.rests.rest(context, typed)
            await self._graph.play(exchange, context)
        return Reply("exchange", () if exchange.proposals else ("There was nothing to recover.",))

    async def edit_sheet(
        self, scene_id: Id, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> Reply:
        watch = await self._table.running_out.watch(scene_id)
        async with self._turnstile:
            await self._playing(scene_id, "change a sheet")
            proposals = await self._table.sheets.edit(scene_id, entity_id, numbers, tags)
        reply = await self._table.running_out.crossed(watch, staged(proposals))
        return replace(reply, lines=(*reply.lines, *await self._offer(scene_id)))

    async def sheet(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        return await self._table.sheets.view(scene_id, entity_id)

    async def pass_time(self, scene_id: Id, length: str) -> Reply:
        async with self._turnstile:
            await self._playing(scene_id, "pass time")
            context = await self._context.load(scene_id)
            calendar = context.universe.calendar
            until = read_time(length, calendar, context.tick)
            words = f"Time passes. It is {clock_time(calendar, until)}."
            passing = begin(self._ids, context.scene, context.head, words=words, until=until)
            await self._graph.play(passing, context)
        return Reply("exchange", await self._offer(scene_id))

    async def set_tension(self, scene_id: Id, tension: int | TensionMode) -> None:
        async with self._turnstile:
            if isinstance(tension, TensionMode):
                await self._table.settings.tension_mode(scene_id, tension)
            else:
                await self._kept.set_tension(scene_id, tension)
        self._events.publish(SceneOpened(scene_id))

    async def check_start(self, scene_id: Id, faces: tuple[int, ...] | None = None) -> Reply:
        async with self._turnstile:
            await self._playing(scene_id, "roll how it begins")
            context = await self._context.load(scene_id)
            await self._kept.start.check(context)
            reply, _ = await self._play(Roll("start", "", faces), context, "/start")
        return replace(reply, lines=(*reply.lines, *await self._offer(scene_id)))

    async def finish_track(self, scene_id: Id, track: str, faces: tuple[int, ...] | None = None) -> Reply:
        async with self._turnstile:
            await self._playing(scene_id, "finish a track")
            context = await self._context.load(scene_id)
            meant = await self._kept.clocks.to_finish(context, track)
            roll = Roll("track", meant.name, faces)
            reply, _ = await self._play(roll, context, f"/track {meant.name} roll")
        return replace(reply, lines=(*reply.lines, *await self._offer(scene_id)))

    async def undo(self, scene_id: Id) -> Reply:
        async with self._turnstile:
            scene = await self._playing(scene_id, "undo")
            staged = await self._log.proposals(scene_id=scene_id, statuses=OPEN)
            left = await self._line.undo(scene)
            gone = {turn.id for turn in left}
            with_it = sum(p.turn_id in gone for p in staged)
            offered = await self._scenes.undone.offer(await self._log.scene(scene_id), left)
        also = f" (and {with_it} {'proposal' if with_it == 1 else 'proposals'} with it)" if with_it else ""
        words = f"Undone: {_short(left[0].text)}{also}"
        return Reply("operation", (words, *_offered(offered)))

    async def redo(self, scene_id: Id) -> Reply:
        async with self._turnstile:
            scene = await self._playing(scene_id, "redo")
            turn = await self._line.redo(scene)
        return Reply("operation", (f"Back: {_short(turn.text)}",))

    async def retake(self, scene_id: Id, text: str) -> Reply:
        async with self._turnstile:
            scene = await self._playing(scene_id, "retake")
            turn = await self._line.retake(scene, clean_line(text))
            offered = await self._offer_retcons(scene)
        return Reply("operation", (f"Take {turn.take}.", *_offered(offered)))

    async def retell(self, scene_id: Id, note: str = "") -> Reply:
        async with self._turnstile:
            before = await self._playing(scene_id, "retell")
            context = await self._context.load(scene_id)
            exchange = await self._storyteller.again(context, clean(note))
            await self._graph.play(exchange, context)
        reply = await self._told(exchange, Reply("exchange"))
        async with self._turnstile:
            offered = await self._offer_retcons(before) if retaken(exchange) else 0
        return replace(reply, lines=(*reply.lines, *_offered(offered), *await self._offer(scene_id)))

    async def tell_on(self, scene_id: Id, note: str = "") -> Reply:
        async with self._turnstile:
            await self._playing(scene_id, "tell on")
            context = await self._context.load(scene_id)
            exchange = await self._storyteller.on_from_here(context, clean(note))
            await self._graph.play(exchange, context)
        reply = await self._told(exchange, Reply("exchange"))
        return replace(reply, lines=(*reply.lines, *await self._offer(scene_id)))

    async def finish(self, scene_id: Id) -> Reply:
        beat_id = await self._graph.untold(scene_id)
        if beat_id is None:
            return Reply("operation")
        self._storyteller.refuse_while_telling(scene_id, "finish the exchange")
        state = await self._storyteller.tell(scene_id, beat_id, again=True)
        told = state.told if state else ()
        return Reply("exchange", ("The exchange that was cut off goes on.", *told))

    async def answer_as_gm(self, scene_id: Id, words: str) -> Reply:
        context = await self._context.load(scene_id)
        self._storyteller.refuse_while_telling(scene_id, "talk to the GM")
        return Reply("operation", await self._storyteller.answer(context, clean(words)))

    async def walk_takes(self, scene_id: Id, step: Literal[-1, 1]) -> Reply:
        async with self._turnstile:
            scene = await self._playing(scene_id, "walk takes")
            turn = await self._line.walk(scene, step)
            offered = await self._offer_retcons(scene)
        return Reply("operation", (f"Take {turn.take}.", *_offered(offered)))

    async def branch(self, scene_id: Id, turn_id: Id) -> Reply:
        async with self._turnstile:
            scene = await self._playing(scene_id, "branch")
            left = await self._line.after(scene, turn_id)
            turn = await self._line.branch(scene, turn_id)
            offered = await self._scenes.undone.offer(await self._log.scene(scene_id), left)
        return Reply("operation", (f"Going on from: {_short(turn.text)}", *_offered(offered)))

    async def end_scene(self, scene_id: Id, summary: str = "") -> Reply:
        async with self._turnstile:
            await self._playing(scene_id, "end what happens")
            await self._scenes.end(scene_id, summary)
            told = await self._kept.told_at_end(scene_id)
        return Reply("operation", ("The scene is at the gate.", *told), goto="gate", subject=scene_id)

    async def rename_scene(self, scene_id: Id, title: str, goal: str = "") -> None:
        async with self._turnstile:
            await self._scenes.rename(scene_id, title, goal)

    async def reopen_scene(self, scene_id: Id) -> None:
        async with self._turnstile:
            await self._scenes.reopen(scene_id)

    # --- proposals and the gate ----------------------------------------------------------------------

    async def gate(self, scene_id: Id | None, universe_id: Id | None = None) -> GateView:
        if scene_id is not None:
            return await self._kept.at_gate(await self._views.gate(scene_id))
        if universe_id is None:
            raise InputError("Whose gate is it?", kept="Nothing was changed.")
        return await self._universe_gate.view(universe_id)

    async def decide(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        reason: str = "",
        edited: Payload | None = None,
    ) -> None:
        decision = (
            Decision(verdict=verdict, by="gm", at=self._clock(), reason=reason, edited=edited)
            if verdict
            else None
        )
        async with self._turnstile:
            if edited is None:
                proposal_ids = await self._views.together(proposal_ids)
            await self._keeper.decide(proposal_ids, decision)
            proposals = await self._log.proposals_by_id(proposal_ids)
        for universe_id, scene_id in dict.fromkeys((p.universe_id, p.scene_id) for p in proposals.values()):
            self._events.publish(ProposalsChanged(universe_id, scene_id))

    async def edit_text(self, proposal_id: Id, text: str) -> None:
        proposals = await self._log.proposals_by_id([proposal_id])
        if proposal_id not in proposals:
            raise InputError("That proposal is gone.", kept="Nothing was changed.")
        proposal = proposals[proposal_id]
        change = await involving(edited(proposal.change, text), proposal.change, await self._finder(proposal))
        await self.decide([proposal_id], Verdict.ACCEPT, reason="edited", edited=change)

    async def commit(self, scene_id: Id, only: Sequence[Id] | None = None) -> CommitReport:
        async with self._turnstile:
            await self._in_open_story(scene_id)
            return await self._scenes.commit(scene_id, only, reason="by hand")

    async def commit_universe(self, universe_id: Id, only: Collection[Id] | None = None) -> CommitReport:
        async with self._turnstile:
            return await self._universe_gate.commit(universe_id, only)

    async def commit_trigger(self, scene_id: Id) -> CommitReport:
        async with self._turnstile:
            why, ids = await self._scenes.trigger(scene_id, self._dismissed)
            return await self._scenes.commit(scene_id, ids, reason=why)

    async def dismiss_trigger(self, scene_id: Id) -> None:
        _, ids = await self._scenes.trigger(scene_id, self._dismissed)
        self._dismissed.update(ids)
        scene = await self._log.scene(scene_id)
        self._events.publish(ProposalsChanged(scene.universe_id, scene_id))

    @property
    def model(self) -> ModelDesk:
        return self._model

    @property
    def bench(self) -> Benches:
        return self._bench

    # --- the world -----------------------------------------------------------------------------------

    @property
    def imports(self) -> ImportDesk:
        return self._imports

    @property
    def recall(self) -> Recollections:
        return self._recall

    @property
    def people(self) -> Portraits:
        return self._people

    @property
    def background(self) -> BackgroundDesk:
        return self._background

    @property
    def world(self) -> Worlds:
        return self._world

    async def entities(self, universe_id: Id, search: str = "") -> list[Entity]:
        return await self._canon.entities(universe_id, search=search)

    async def known_as(self, universe_id: Id) -> list[str]:
        return await self._canon.known_as(universe_id)

    async def card(self, entity_id: Id) -> EntityCard:
        return await self._atlas.card(entity_id)

    async def trace(self, turn_id: Id) -> TurnTrace:
        trace = await self._transcript.trace(turn_id)
        return replace(trace, proposals=await self._views.of_turn(trace.scene.id, turn_id))

    # --- inside --------------------------------------------------------------------------------------

    async def _in_open_story(self, scene_id: Id) -> None:
        """Raise IllegalTransition when the scene's story is over."""
        scene = await self._log.scene(scene_id)
        story = await self._loops.state(Loop.STORY, scene.story_id)
        if story != "active":
            raise IllegalTransition(
                f"This story is {story}.",
                kept="Nothing was changed.",
                todo="Start another story in its universe.",
            )

    async def _finder(self, proposal: ProposedChange) -> FindEntity:
        """Return what finds whom a proposal names: in its scene, or in its universe if it is of none."""
        if proposal.scene_id is None:
            return await in_universe(proposal.universe_id, self._canon, self._log)
        return in_scene(await self._context.load(proposal.scene_id), self._context, guess=True)

    async def _offer_retcons(self, before: Scene) -> int:
        """After another take: what the one before had made true is off the line now."""
        left = [await self._log.turn(before.head)] if before.head else []
        return await self._scenes.undone.offer(await self._log.scene(before.id), left)

    async def _answer(self, scene_id: Id, line: str, typed: Words | Roll) -> tuple[Reply, Exchange | None]:
        """Play a typed line, or say what it still needs: a likelihood, a number, the player's own dice.
        Returns the exchange that was played, too."""
        await self._playing(scene_id, "play")
        context = await self._context.load(scene_id)
        roll = typed.roll if isinstance(typed, Words) else typed
        if isinstance(typed, Words) and roll is not None and roll.kind == "oracle" and not roll.spec:
            suggested = await self._chances.suggest(typed.text, context)
            if suggested.likelihood is not Likelihood.EVEN:
                return _suggestion(typed.text, suggested, roll), None
            typed = replace(typed, roll=replace(roll, spec=Likelihood.EVEN.value))
        return await self._play(typed, context, line)

    async def _play(
        self, typed: Words | Roll, context: SceneContext, line: str
    ) -> tuple[Reply, Exchange | None]:
        """Play one exchange, once the dice that its roll needs are thrown."""
        roll = typed.roll if isinstance(typed, Words) else typed
        if roll and (asked := await self._table.dicing.asks(line, roll, context)):
            return asked, None
        hearers: tuple[Id, ...] = ()
        if isinstance(typed, Words):
            typed, hearers = await heard_by(typed, context, self._context)
        exchange = begin(
            self._ids,
            context.scene,
            context.head,
            words=typed.text if isinstance(typed, Words) else "",
            told=isinstance(typed, Words) and typed.told,
            roll=(roll.kind, roll.spec) if roll else None,
            faces=roll.faces if roll else None,
            answered=answered(await self._line.last_exchange(context.scene)),
            tells=self._storyteller.answers(typed),
            hearers=hearers,
        )
        if exchange.roll and exchange.words_id is None:
            take = await self._line.take_after(context.scene, exchange.exchange_id, Speaker.ORACLE)
            exchange = exchange.model_copy(update={"roll": exchange.roll.model_copy(update={"take": take})})
        await self._graph.play(exchange, context)
        turns = await self._line.last_exchange(await self._log.scene(context.scene.id))
        results = await self._log.resolutions([turn.id for turn in turns])
        return Reply("exchange", tuple(self._table.dicing.by_program(turns, results, context))), exchange

    async def _told(self, exchange: Exchange | None, reply: Reply) -> Reply:
        """Have the model tell what was played, if it is to; in autopilot, commit what policy accepts."""
        if exchange is None or exchange.telling is None:
            return reply
        scene_id = exchange.scene_id
        state = await self._storyteller.tell(scene_id, exchange.beat_id)
        if state is None:
            return reply
        lines = (*reply.lines, *state.told)
        if waits(state):
            waiting = len(state.proposals)
            noun = "proposal waits" if waiting == 1 else "proposals wait"
            return replace(reply, lines=(*lines, f"Paused: {waiting} {noun} to be staged by your next line."))
        story = await self._log.story((await self._log.scene(scene_id)).story_id)
        if story.mode is StoryMode.AUTOPILOT:
            lines = (*lines, *await self._by_itself(scene_id, state))
        return replace(reply, lines=lines, severity="warning" if not state.told_id else reply.severity)

    async def _by_itself(self, scene_id: Id, state: TurnState) -> tuple[str, ...]:
        """Autopilot: take what the arbiter offers (no scene ends unasked), commit what policy accepts."""
        lines: list[str] = []
        if state.offer and not state.offer.startswith("/end"):
            name, _, argument = state.offer.removeprefix("/").partition(" ")
            lines += (await self._commands.run(scene_id, name, argument)).lines
        if state.offer or state.proposals:
            async with self._turnstile:
                lines += written(await self._scenes.commit(scene_id, None, reason="autopilot"))
        return tuple(lines)

    async def _playing(self, scene_id: Id, what: str) -> Scene:
        """Return the scene if its line may move, with nothing half done on it. Raises IllegalTransition
        when the scene is not Active, is being told, or its story is over."""
        await self._in_open_story(scene_id)
        self._storyteller.refuse_while_telling(scene_id, what)
        state = await self._loops.state(Loop.SCENE, scene_id)
        if state != "active":
            raise IllegalTransition(
                f"You cannot {what} in a scene that is {state}.",
                kept="Nothing was changed.",
                todo="/reopen goes back from the gate to play." if state == "finalizing" else "",
            )
        await self._graph.settle(scene_id)
        return await self._log.scene(scene_id)

    async def _offer(self, scene_id: Id) -> tuple[str, ...]:
        """After something was staged in a scene that is being played: the mid-scene trigger. Returns
        what was committed at once, if the story wants that."""
        if await self._loops.state(Loop.SCENE, scene_id) != "active":
            return ()
        async with self._turnstile:
            report = await self._scenes.raise_trigger(scene_id, self._dismissed)
        return written(report) if report else ()


def _suggestion(question: str, suggested: Suggestion, roll: Roll) -> Reply:
    """Canon has a view of the question: say it, and put it into the prompt for the player to decide."""
    fell = f" = {' '.join(map(str, roll.faces))}" if roll.faces else ""
    return Reply(
        "operation",
        (
            f"Canon suggests {suggested.text}",
            "Enter asks at that; change the word before the colon if you see it otherwise.",
        ),
        text=f"? {suggested.likelihood}: {question}{fell}",
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."


def _offered(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    noun = "piece of canon rests" if count == 1 else "pieces of canon rest"
    return (f"{count} {noun} on what was taken back: a retcon is proposed for each.",)
