"""What the player does in a scene: typed lines, rolls, time, sheets, takes, undo and redo."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from agents.clean import clean, clean_line
from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.messages import EventBus, SceneOpened
from agents.orchestrator.bookkeeping import Bookkeeping
from agents.orchestrator.calendar import clock_time
from agents.orchestrator.chances import Chances
from agents.orchestrator.commands import Commands
from agents.orchestrator.commit_triggers import CommitTriggers
from agents.orchestrator.durations import read_time
from agents.orchestrator.exchange import Exchange, begin
from agents.orchestrator.hearing import heard_by
from agents.orchestrator.line import Line
from agents.orchestrator.reply_lines import staged, written
from agents.orchestrator.router import Operation, Roll, Words, route
from agents.orchestrator.scene import SceneLoop
from agents.orchestrator.scene_guard import SceneGuard
from agents.orchestrator.scene_views import OPEN, SceneViews
from agents.orchestrator.storyteller import Storyteller, retaken, waits
from agents.orchestrator.table import PlayTable
from agents.orchestrator.transcript import Transcript
from agents.orchestrator.turn_graph import TurnGraph, answered
from agents.orchestrator.turn_state import TurnState
from agents.resolver.likelihood import Suggestion
from agents.resolver.oracle import Likelihood
from agents.views import CommandHelp, Reply, SceneView, SheetView, TurnTrace, TurnView
from stores.ports import OrchestratorLog
from stores.records.ids import Id, IdMaker
from stores.records.play import Scene, Speaker, StoryMode, TensionMode
from stores.records.world import Number

MOVES = frozenset({"undo", "redo", "take", "retake", "branch"})
"""Commands that move along the line: what they bring back was announced when it was staged."""


class PlayService:
    """Plays a scene. Every method raises `stores.errors.MonitorError` with words for the player."""

    def __init__(
        self,
        *,
        log: OrchestratorLog,
        context: ContextAssembly,
        scenes: SceneLoop,
        guard: SceneGuard,
        triggers: CommitTriggers,
        graph: TurnGraph,
        line: Line,
        chances: Chances,
        kept: Bookkeeping,
        table: PlayTable,
        views: SceneViews,
        storyteller: Storyteller,
        transcript: Transcript,
        commands: Callable[[], Commands],
        turnstile: asyncio.Lock,
        ids: IdMaker,
        events: EventBus,
    ) -> None:
        self._log = log
        self._context = context
        self._scenes = scenes
        self._guard = guard
        self._triggers = triggers
        self._graph = graph
        self._line = line
        self._chances = chances
        self._kept = kept
        self._table = table
        self._views = views
        self._storyteller = storyteller
        self._transcript = transcript
        self._commands = commands
        self._turnstile = turnstile
        self._ids = ids
        self._events = events

    def commands(self) -> tuple[CommandHelp, ...]:
        """Return the slash commands that exist."""
        return self._commands().help()

    async def scene(self, scene_id: Id) -> SceneView:
        """Return all that the play screen shows but the transcript."""
        return await self._views.scene(scene_id, await self._triggers.reason(scene_id))

    async def trace(self, turn_id: Id) -> TurnTrace:
        """Return what a turn rests on and what it made true."""
        trace = await self._transcript.trace(turn_id)
        return replace(trace, proposals=await self._views.of_turn(trace.scene.id, turn_id))

    async def transcript(self, scene_id: Id, start: int, count: int) -> list[TurnView]:
        """Rows at depths `start` ... of the line; cheap at any length of scene."""
        return await self._transcript.rows(scene_id, start, count)

    async def submit(self, scene_id: Id, line: str) -> Reply:
        """One typed line: an exchange, or a slash command."""
        typed = self._storyteller.overridden(route(line, self._commands().names()))
        if isinstance(typed, Words) and (
            said := await self._storyteller.command_in(typed, scene_id, self.commands())
        ):
            return said
        moves = isinstance(typed, Operation) and typed.name in MOVES
        watch = None if moves else await self._table.running_out.watch(scene_id)
        if isinstance(typed, Operation):
            reply = await self._commands().run(scene_id, typed.name, typed.argument)
        else:
            async with self._turnstile:
                reply, exchange = await self._answer(scene_id, line, typed)
            # The model takes its time: meanwhile proposals can be decided on.
            reply = await self._told(exchange, reply)
        # What ran out is told as it was staged: a death that comes of it is the GM's to stage.
        reply = await self._table.running_out.crossed(watch, reply)
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def alter_roll(self, scene_id: Id, how: Literal["reroll", "pick"], typed: str) -> Reply:
        """Take the last roll of the line otherwise: throw some of its dice again, or pick another result.
        It becomes another take; the old one is withdrawn with all that it proposed. Undone by undo.
        """
        async with self._turnstile:
            await self._guard.require_playing(scene_id, "take a roll otherwise")
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
        """Rest by the story's rules: time passes and what it does is proposed, in one exchange. Lists the
        rests if none is named.
        """
        async with self._turnstile:
            await self._guard.require_playing(scene_id, "rest")
            context = await self._context.load(scene_id)
            if not typed:
                return Reply("operation", self._table.rests.list(context), text="/rest ")
            exchange = await self._table.rests.rest(context, typed)
            await self._graph.play(exchange, context)
        return Reply("exchange", () if exchange.proposals else ("There was nothing to recover.",))

    async def edit_sheet(
        self, scene_id: Id, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> Reply:
        """Propose, on the GM's word, that numbers of a sheet are these, and that tags are on it or not."""
        watch = await self._table.running_out.watch(scene_id)
        async with self._turnstile:
            await self._guard.require_playing(scene_id, "change a sheet")
            proposals = await self._table.sheets.edit(scene_id, entity_id, numbers, tags)
        reply = await self._table.running_out.crossed(watch, staged(proposals))
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def sheet(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        """The sheet of somebody in the scene, as it stands on its line; the hero's if nobody is named."""
        return await self._table.sheets.view(scene_id, entity_id)

    async def pass_time(self, scene_id: Id, length: str) -> Reply:
        """World time passes: `+2h`, `to dusk`, `to day 5`. Undone like any exchange."""
        async with self._turnstile:
            await self._guard.require_playing(scene_id, "pass time")
            context = await self._context.load(scene_id)
            calendar = context.universe.calendar
            until = read_time(length, calendar, context.tick)
            words = f"Time passes. It is {clock_time(calendar, until)}."
            passing = begin(self._ids, context.scene, context.head, words=words, until=until)
            await self._graph.play(passing, context)
        return Reply("exchange", await self._triggers.offer(scene_id))

    async def set_tension(self, scene_id: Id, tension: int | TensionMode) -> None:
        """Set the story's tension, 1 to 9 (the oracle and the scene check follow it; it is recorded), or
        what it does to the oracle.
        """
        async with self._turnstile:
            if isinstance(tension, TensionMode):
                await self._table.settings.tension_mode(scene_id, tension)
            else:
                await self._kept.set_tension(scene_id, tension)
        self._events.publish(SceneOpened(scene_id))

    async def check_start(self, scene_id: Id, faces: tuple[int, ...] | None = None) -> Reply:
        """Roll whether the scene begins as expected, altered or interrupted; an exchange of its own."""
        async with self._turnstile:
            await self._guard.require_playing(scene_id, "roll how it begins")
            context = await self._context.load(scene_id)
            await self._kept.start.check(context)
            reply, _ = await self._play(Roll("start", "", faces), context, "/start")
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def finish_track(self, scene_id: Id, track: str, faces: tuple[int, ...] | None = None) -> Reply:
        """Roll how well what was worked at ends: the track of that name or number."""
        async with self._turnstile:
            await self._guard.require_playing(scene_id, "finish a track")
            context = await self._context.load(scene_id)
            meant = await self._kept.clocks.to_finish(context, track)
            roll = Roll("track", meant.name, faces)
            reply, _ = await self._play(roll, context, f"/track {meant.name} roll")
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def undo(self, scene_id: Id) -> Reply:
        async with self._turnstile:
            scene = await self._guard.require_playing(scene_id, "undo")
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
            scene = await self._guard.require_playing(scene_id, "redo")
            turn = await self._line.redo(scene)
        return Reply("operation", (f"Back: {_short(turn.text)}",))

    async def retake(self, scene_id: Id, text: str) -> Reply:
        """Another take of the last GM turn, in the GM's words."""
        async with self._turnstile:
            scene = await self._guard.require_playing(scene_id, "retake")
            turn = await self._line.retake(scene, clean_line(text))
            offered = await self._offer_retcons(scene)
        return Reply("operation", (f"Take {turn.take}.", *_offered(offered)))

    async def retell(self, scene_id: Id, note: str = "") -> Reply:
        """Another take of the last GM turn, told by the model; `note` says what it should do otherwise
        ("less gore"). Raises ModelError; the take that stands is kept whatever happens.
        """
        async with self._turnstile:
            before = await self._guard.require_playing(scene_id, "retell")
            context = await self._context.load(scene_id)
            exchange = await self._storyteller.again(context, clean(note))
            await self._graph.play(exchange, context)
        reply = await self._told(exchange, Reply("exchange"))
        async with self._turnstile:
            offered = await self._offer_retcons(before) if retaken(exchange) else 0
        return replace(reply, lines=(*reply.lines, *_offered(offered), *await self._triggers.offer(scene_id)))

    async def tell_on(self, scene_id: Id, note: str = "") -> Reply:
        """The model goes on telling from where the story stands, without an act of the player's."""
        async with self._turnstile:
            await self._guard.require_playing(scene_id, "tell on")
            context = await self._context.load(scene_id)
            exchange = await self._storyteller.on_from_here(context, clean(note))
            await self._graph.play(exchange, context)
        reply = await self._told(exchange, Reply("exchange"))
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def finish(self, scene_id: Id) -> Reply:
        """Have the model go on with an exchange that a crash or a pause left untold (`SceneView.unfinished`);
        nothing happens if there is none.
        """
        beat_id = await self._graph.untold(scene_id)
        if beat_id is None:
            return Reply("operation")
        self._storyteller.refuse_while_telling(scene_id, "finish the exchange")
        state = await self._storyteller.tell(scene_id, beat_id, again=True)
        told = state.told if state else ()
        return Reply("exchange", ("The exchange that was cut off goes on.", *told))

    async def answer_as_gm(self, scene_id: Id, words: str) -> Reply:
        """Talk to the GM out of character (`/gm`): a note, and the model's answer to it beside the story.
        Nothing of it is told, staged or remembered as said in the world.
        """
        context = await self._context.load(scene_id)
        self._storyteller.refuse_while_telling(scene_id, "talk to the GM")
        return Reply("operation", await self._storyteller.answer(context, clean(words)))

    async def walk_takes(self, scene_id: Id, step: Literal[-1, 1]) -> Reply:
        """Stand on the take before or after, if the last turn has several."""
        async with self._turnstile:
            scene = await self._guard.require_playing(scene_id, "walk takes")
            turn = await self._line.walk(scene, step)
            offered = await self._offer_retcons(scene)
        return Reply("operation", (f"Take {turn.take}.", *_offered(offered)))

    async def branch(self, scene_id: Id, turn_id: Id) -> Reply:
        """Play goes on from this older turn; what came after it stays in the tree."""
        async with self._turnstile:
            scene = await self._guard.require_playing(scene_id, "branch")
            left = await self._line.after(scene, turn_id)
            turn = await self._line.branch(scene, turn_id)
            offered = await self._scenes.undone.offer(await self._log.scene(scene_id), left)
        return Reply("operation", (f"Going on from: {_short(turn.text)}", *_offered(offered)))

    async def _offer_retcons(self, before: Scene) -> int:
        """After another take: what the one before had made true is off the line now."""
        left = [await self._log.turn(before.head)] if before.head else []
        return await self._scenes.undone.offer(await self._log.scene(before.id), left)

    async def _answer(self, scene_id: Id, line: str, typed: Words | Roll) -> tuple[Reply, Exchange | None]:
        """Play a typed line, or say what it still needs: a likelihood, a number, the player's own dice.
        Returns the exchange that was played, too."""
        await self._guard.require_playing(scene_id, "play")
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
            lines += (await self._commands().run(scene_id, name, argument)).lines
        if state.offer or state.proposals:
            async with self._turnstile:
                lines += written(await self._scenes.commit(scene_id, None, reason="autopilot"))
        return tuple(lines)


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
