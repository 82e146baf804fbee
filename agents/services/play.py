"""What the player does in a scene: typed lines, rolls, time, sheets, takes, undo and redo."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import EventBus, SceneOpened
from agents.orchestrator.commands.registry import CommandRegistry
from agents.orchestrator.commit_triggers import CommitTriggers
from agents.orchestrator.exchange import Exchange, begin_exchange
from agents.orchestrator.exchange_pipeline import ExchangePipeline, is_answered
from agents.orchestrator.input.audience import resolve_hearers
from agents.orchestrator.input.parser import CommandInput, RollInput, WordsInput, parse_input
from agents.orchestrator.narration.narration import Narration, is_paused, is_retake
from agents.orchestrator.narration.state import NarrationState
from agents.orchestrator.reply_lines import commit_lines, proposed_reply
from agents.orchestrator.scene_guard import SceneGuard
from agents.orchestrator.scene_loop import SceneLoop
from agents.orchestrator.timeline import Timeline
from agents.resolver.likelihood import LikelihoodSuggestion
from agents.resolver.oracle import Likelihood
from agents.sanitize import clean, clean_line
from agents.services.scene_views import UNDECIDED_STATUSES, SceneViewBuilder
from agents.services.transcript_rows import TranscriptReader
from agents.solo.oracle_draws import OracleDraws
from agents.solo.play_table import PlayTable
from agents.solo.solo_tools import Bookkeeping
from agents.views.play_views import CommandHelp, Reply, SceneView, SheetView, TurnTrace, TurnView
from agents.world_time.calendar import format_clock_time
from agents.world_time.durations import read_time_jump
from stores.ports import OrchestratorLog
from stores.records.ids import Id, IdGenerator
from stores.records.play import Scene, Speaker, StoryMode, TensionMode
from stores.records.world import Number

TIMELINE_COMMANDS = frozenset({"undo", "redo", "take", "retake", "branch"})
"""Commands that move along the line: what they bring back was announced when it was staged."""


class PlayService:
    """Plays a scene. Every method raises `stores.errors.MonitorError` with words for the player."""

    def __init__(
        self,
        *,
        log: OrchestratorLog,
        context: SceneContextLoader,
        scenes: SceneLoop,
        guard: SceneGuard,
        triggers: CommitTriggers,
        pipeline: ExchangePipeline,
        timeline: Timeline,
        oracle_draws: OracleDraws,
        solo_tools: Bookkeeping,
        play_table: PlayTable,
        views: SceneViewBuilder,
        narration: Narration,
        transcript: TranscriptReader,
        commands: Callable[[], CommandRegistry],
        session_lock: asyncio.Lock,
        ids: IdGenerator,
        events: EventBus,
    ) -> None:
        self._log = log
        self._context = context
        self._scenes = scenes
        self._guard = guard
        self._triggers = triggers
        self._pipeline = pipeline
        self._timeline = timeline
        self._oracle_draws = oracle_draws
        self._solo_tools = solo_tools
        self._play_table = play_table
        self._views = views
        self._narration = narration
        self._transcript = transcript
        self._commands = commands
        self._session_lock = session_lock
        self._ids = ids
        self._events = events

    def commands(self) -> tuple[CommandHelp, ...]:
        """Return the slash commands that exist."""
        return self._commands().list_help()

    async def scene(self, scene_id: Id) -> SceneView:
        """Return all that the play screen shows but the transcript."""
        return await self._views.build_scene_view(scene_id, await self._triggers.reason(scene_id))

    async def trace(self, turn_id: Id) -> TurnTrace:
        """Return what a turn rests on and what it made true."""
        trace = await self._transcript.trace_turn(turn_id)
        return replace(trace, proposals=await self._views.build_turn_proposals(trace.scene.id, turn_id))

    async def transcript(self, scene_id: Id, start: int, count: int) -> list[TurnView]:
        """Rows at depths `start` ... of the line; cheap at any length of scene."""
        return await self._transcript.read_rows(scene_id, start, count)

    async def submit(self, scene_id: Id, line: str) -> Reply:
        """One typed line: an exchange, or a slash command."""
        parsed_input = self._narration.apply_narrate_override(
            parse_input(line, self._commands().command_names())
        )
        if isinstance(parsed_input, WordsInput) and (
            command_reply := await self._narration.offer_command(parsed_input, scene_id, self.commands())
        ):
            return command_reply
        moves_timeline = isinstance(parsed_input, CommandInput) and parsed_input.name in TIMELINE_COMMANDS
        snapshot = None if moves_timeline else await self._play_table.running_out.take_snapshot(scene_id)
        if isinstance(parsed_input, CommandInput):
            reply = await self._commands().run(scene_id, parsed_input.name, parsed_input.argument)
        else:
            async with self._session_lock:
                reply, exchange = await self._play_input(scene_id, line, parsed_input)
            # The model takes its time: meanwhile proposals can be decided on.
            reply = await self._narrate_exchange(exchange, reply)
        # What ran out is told as it was staged: a death that comes of it is the GM's to stage.
        reply = await self._play_table.running_out.add_depletion_lines(snapshot, reply)
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def alter_roll(self, scene_id: Id, alteration_kind: Literal["reroll", "pick"], text: str) -> Reply:
        """Take the last roll of the line otherwise: throw some of its dice again, or pick another result.
        It becomes another take; the old one is withdrawn with all that it proposed. Undone by undo.
        """
        async with self._session_lock:
            await self._guard.require_playing(scene_id, "take a roll otherwise")
            context = await self._context.load_context(scene_id)
            proposals_by_turn = Counter(p.turn_id for p in context.staged_proposals)
            reply, removed_turns = await self._play_table.dicing.alter_last_roll(
                context, alteration_kind, text
            )
            if not removed_turns:
                return reply
            retcon_count = await self._scenes.undone_canon.propose_retcons(
                await self._log.scene(scene_id), removed_turns
            )
        withdrawn_count = sum(proposals_by_turn[turn.id] for turn in removed_turns)
        noun = "proposal" if withdrawn_count == 1 else "proposals"
        withdrawn_lines = (
            (f"{withdrawn_count} {noun} of the old roll went with it; /undo brings it back.",)
            if withdrawn_count
            else ()
        )
        return replace(reply, lines=(*reply.lines, *withdrawn_lines, *_retcon_lines(retcon_count)))

    async def rest(self, scene_id: Id, text: str) -> Reply:
        """Rest by the story's rules: time passes and what it does is proposed, in one exchange. Lists the
        rests if none is named.
        """
        async with self._session_lock:
            await self._guard.require_playing(scene_id, "rest")
            context = await self._context.load_context(scene_id)
            if not text:
                return Reply("operation", self._play_table.rests.list_rests(context), text="/rest ")
            exchange = await self._play_table.rests.begin_rest(context, text)
            await self._pipeline.play(exchange, context)
        return Reply("exchange", () if exchange.proposals else ("There was nothing to recover.",))

    async def edit_sheet(
        self, scene_id: Id, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> Reply:
        """Propose, on the GM's word, that numbers of a sheet are these, and that tags are on it or not."""
        snapshot = await self._play_table.running_out.take_snapshot(scene_id)
        async with self._session_lock:
            await self._guard.require_playing(scene_id, "change a sheet")
            proposals = await self._play_table.sheets.edit(scene_id, entity_id, numbers, tags)
        reply = await self._play_table.running_out.add_depletion_lines(snapshot, proposed_reply(proposals))
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def sheet(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        """The sheet of somebody in the scene, as it stands on its line; the hero's if nobody is named."""
        return await self._play_table.sheets.view(scene_id, entity_id)

    async def pass_time(self, scene_id: Id, length: str) -> Reply:
        """World time passes: `+2h`, `to dusk`, `to day 5`. Undone like any exchange."""
        async with self._session_lock:
            await self._guard.require_playing(scene_id, "pass time")
            context = await self._context.load_context(scene_id)
            calendar = context.universe.calendar
            until_tick = read_time_jump(length, calendar, context.tick)
            passing_text = f"Time passes. It is {format_clock_time(calendar, until_tick)}."
            exchange = begin_exchange(
                self._ids, context.scene, context.head, words=passing_text, until_tick=until_tick
            )
            await self._pipeline.play(exchange, context)
        return Reply("exchange", await self._triggers.offer(scene_id))

    async def set_tension(self, scene_id: Id, tension: int | TensionMode) -> None:
        """Set the story's tension, 1 to 9 (the oracle and the scene check follow it; it is recorded), or
        what it does to the oracle.
        """
        async with self._session_lock:
            if isinstance(tension, TensionMode):
                await self._play_table.settings.tension_mode(scene_id, tension)
            else:
                await self._solo_tools.set_tension(scene_id, tension)
        self._events.publish(SceneOpened(scene_id))

    async def check_start(self, scene_id: Id, faces: tuple[int, ...] | None = None) -> Reply:
        """Roll whether the scene begins as expected, altered or interrupted; an exchange of its own."""
        async with self._session_lock:
            await self._guard.require_playing(scene_id, "roll how it begins")
            context = await self._context.load_context(scene_id)
            await self._solo_tools.start.require_start_roll(context)
            reply, _ = await self._play_exchange(RollInput("start", "", faces), context, "/start")
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def finish_track(self, scene_id: Id, track: str, faces: tuple[int, ...] | None = None) -> Reply:
        """Roll how well what was worked at ends: the track of that name or number."""
        async with self._session_lock:
            await self._guard.require_playing(scene_id, "finish a track")
            context = await self._context.load_context(scene_id)
            matching_track = await self._solo_tools.clocks.to_finish(context, track)
            roll = RollInput("track", matching_track.name, faces)
            reply, _ = await self._play_exchange(roll, context, f"/track {matching_track.name} roll")
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def undo(self, scene_id: Id) -> Reply:
        async with self._session_lock:
            scene = await self._guard.require_playing(scene_id, "undo")
            waiting_proposals = await self._log.proposals(scene_id=scene_id, statuses=UNDECIDED_STATUSES)
            removed_turns = await self._timeline.undo(scene)
            removed_ids = {turn.id for turn in removed_turns}
            withdrawn_count = sum(p.turn_id in removed_ids for p in waiting_proposals)
            retcon_count = await self._scenes.undone_canon.propose_retcons(
                await self._log.scene(scene_id), removed_turns
            )
        withdrawn_note = (
            f" (and {withdrawn_count} {'proposal' if withdrawn_count == 1 else 'proposals'} with it)"
            if withdrawn_count
            else ""
        )
        undone_line = f"Undone: {_shorten(removed_turns[0].text)}{withdrawn_note}"
        return Reply("operation", (undone_line, *_retcon_lines(retcon_count)))

    async def redo(self, scene_id: Id) -> Reply:
        async with self._session_lock:
            scene = await self._guard.require_playing(scene_id, "redo")
            turn = await self._timeline.redo(scene)
        return Reply("operation", (f"Back: {_shorten(turn.text)}",))

    async def retake(self, scene_id: Id, text: str) -> Reply:
        """Another take of the last GM turn, in the GM's words."""
        async with self._session_lock:
            scene = await self._guard.require_playing(scene_id, "retake")
            turn = await self._timeline.retake(scene, clean_line(text))
            retcon_count = await self._offer_retcons(scene)
        return Reply("operation", (f"Take {turn.take}.", *_retcon_lines(retcon_count)))

    async def narrate_again(self, scene_id: Id, note: str = "") -> Reply:
        """Another take of the last GM turn, told by the model; `note` says what it should do otherwise
        ("less gore"). Raises ModelError; the take that stands is kept whatever happens.
        """
        async with self._session_lock:
            scene_before = await self._guard.require_playing(scene_id, "retell")
            context = await self._context.load_context(scene_id)
            exchange = await self._narration.plan_retake(context, clean(note))
            await self._pipeline.play(exchange, context)
        reply = await self._narrate_exchange(exchange, Reply("exchange"))
        async with self._session_lock:
            retcon_count = await self._offer_retcons(scene_before) if is_retake(exchange) else 0
        return replace(
            reply, lines=(*reply.lines, *_retcon_lines(retcon_count), *await self._triggers.offer(scene_id))
        )

    async def continue_narration(self, scene_id: Id, note: str = "") -> Reply:
        """The model goes on telling from where the story stands, without an act of the player's."""
        async with self._session_lock:
            await self._guard.require_playing(scene_id, "tell on")
            context = await self._context.load_context(scene_id)
            exchange = await self._narration.plan_continuation(context, clean(note))
            await self._pipeline.play(exchange, context)
        reply = await self._narrate_exchange(exchange, Reply("exchange"))
        return replace(reply, lines=(*reply.lines, *await self._triggers.offer(scene_id)))

    async def finish_narration(self, scene_id: Id) -> Reply:
        """Have the model go on with an exchange that a crash or a pause left untold (`SceneView.unfinished`);
        nothing happens if there is none.
        """
        run_id = await self._pipeline.find_unnarrated_run(scene_id)
        if run_id is None:
            return Reply("operation")
        self._narration.refuse_while_narrating(scene_id, "finish the exchange")
        state = await self._narration.narrate(scene_id, run_id, is_resumed=True)
        player_lines = state.player_lines if state else ()
        return Reply("exchange", ("The exchange that was cut off goes on.", *player_lines))

    async def answer_as_gm(self, scene_id: Id, words: str) -> Reply:
        """Talk to the GM out of character (`/gm`): a note, and the model's answer to it beside the story.
        Nothing of it is told, staged or remembered as said in the world.
        """
        context = await self._context.load_context(scene_id)
        self._narration.refuse_while_narrating(scene_id, "talk to the GM")
        return Reply("operation", await self._narration.answer_out_of_character(context, clean(words)))

    async def walk_takes(self, scene_id: Id, step: Literal[-1, 1]) -> Reply:
        """Stand on the take before or after, if the last turn has several."""
        async with self._session_lock:
            scene = await self._guard.require_playing(scene_id, "walk takes")
            turn = await self._timeline.walk_takes(scene, step)
            retcon_count = await self._offer_retcons(scene)
        return Reply("operation", (f"Take {turn.take}.", *_retcon_lines(retcon_count)))

    async def branch(self, scene_id: Id, turn_id: Id) -> Reply:
        """Play goes on from this older turn; what came after it stays in the tree."""
        async with self._session_lock:
            scene = await self._guard.require_playing(scene_id, "branch")
            removed_turns = await self._timeline.read_turns_after(scene, turn_id)
            turn = await self._timeline.branch(scene, turn_id)
            retcon_count = await self._scenes.undone_canon.propose_retcons(
                await self._log.scene(scene_id), removed_turns
            )
        return Reply("operation", (f"Going on from: {_shorten(turn.text)}", *_retcon_lines(retcon_count)))

    async def _offer_retcons(self, scene_before: Scene) -> int:
        """After another take: what the one before had made true is off the line now."""
        removed_turns = [await self._log.turn(scene_before.head)] if scene_before.head else []
        return await self._scenes.undone_canon.propose_retcons(
            await self._log.scene(scene_before.id), removed_turns
        )

    async def _play_input(
        self, scene_id: Id, line: str, parsed_input: WordsInput | RollInput
    ) -> tuple[Reply, Exchange | None]:
        """Play a typed line, or say what it still needs: a likelihood, a number, the player's own dice.
        Returns the exchange that was played, too."""
        await self._guard.require_playing(scene_id, "play")
        context = await self._context.load_context(scene_id)
        roll = parsed_input.roll if isinstance(parsed_input, WordsInput) else parsed_input
        if (
            isinstance(parsed_input, WordsInput)
            and roll is not None
            and roll.kind == "oracle"
            and not roll.spec
        ):
            suggestion = await self._oracle_draws.suggest_likelihood(parsed_input.text, context)
            if suggestion.likelihood is not Likelihood.EVEN:
                return _suggestion_reply(parsed_input.text, suggestion, roll), None
            parsed_input = replace(parsed_input, roll=replace(roll, spec=Likelihood.EVEN.value))
        return await self._play_exchange(parsed_input, context, line)

    async def _play_exchange(
        self, parsed_input: WordsInput | RollInput, context: SceneContext, line: str
    ) -> tuple[Reply, Exchange | None]:
        """Play one exchange, once the dice that its roll needs are thrown."""
        roll = parsed_input.roll if isinstance(parsed_input, WordsInput) else parsed_input
        if roll and (
            dice_request := await self._play_table.dicing.request_missing_input(line, roll, context)
        ):
            return dice_request, None
        hearer_ids: tuple[Id, ...] = ()
        if isinstance(parsed_input, WordsInput):
            parsed_input, hearer_ids = await resolve_hearers(parsed_input, context, self._context)
        exchange = begin_exchange(
            self._ids,
            context.scene,
            context.head,
            words=parsed_input.text if isinstance(parsed_input, WordsInput) else "",
            gm_authored=isinstance(parsed_input, WordsInput) and parsed_input.gm_authored,
            roll=(roll.kind, roll.spec) if roll else None,
            faces=roll.faces if roll else None,
            is_answered=is_answered(await self._timeline.read_last_exchange(context.scene)),
            needs_narration=self._narration.should_answer(parsed_input),
            hearer_ids=hearer_ids,
        )
        if exchange.roll and exchange.words_id is None:
            take = await self._timeline.take_number_after(context.scene, exchange.exchange_id, Speaker.ORACLE)
            exchange = exchange.model_copy(update={"roll": exchange.roll.model_copy(update={"take": take})})
        await self._pipeline.play(exchange, context)
        turns = await self._timeline.read_last_exchange(await self._log.scene(context.scene.id))
        results = await self._log.resolutions([turn.id for turn in turns])
        return Reply(
            "exchange", tuple(self._play_table.dicing.explain_program_draws(turns, results, context))
        ), exchange

    async def _narrate_exchange(self, exchange: Exchange | None, reply: Reply) -> Reply:
        """Have the model tell what was played, if it is to; in autopilot, commit what policy accepts."""
        if exchange is None or exchange.narration is None:
            return reply
        scene_id = exchange.scene_id
        state = await self._narration.narrate(scene_id, exchange.run_id)
        if state is None:
            return reply
        lines = (*reply.lines, *state.player_lines)
        if is_paused(state):
            waiting_count = len(state.proposals)
            noun = "proposal waits" if waiting_count == 1 else "proposals wait"
            return replace(
                reply, lines=(*lines, f"Paused: {waiting_count} {noun} to be staged by your next line.")
            )
        story = await self._log.story((await self._log.scene(scene_id)).story_id)
        if story.mode is StoryMode.AUTOPILOT:
            lines = (*lines, *await self._run_autopilot(scene_id, state))
        return replace(reply, lines=lines, severity="warning" if not state.gm_turn_id else reply.severity)

    async def _run_autopilot(self, scene_id: Id, state: NarrationState) -> tuple[str, ...]:
        """Autopilot: take what the arbiter offers (no scene ends unasked), commit what policy accepts."""
        lines: list[str] = []
        if state.offered_command and not state.offered_command.startswith("/end"):
            name, _, argument = state.offered_command.removeprefix("/").partition(" ")
            lines += (await self._commands().run(scene_id, name, argument)).lines
        if state.offered_command or state.proposals:
            async with self._session_lock:
                lines += commit_lines(await self._scenes.commit(scene_id, None, reason="autopilot"))
        return tuple(lines)


def _suggestion_reply(question: str, suggestion: LikelihoodSuggestion, roll: RollInput) -> Reply:
    """Canon has a view of the question: say it, and put it into the prompt for the player to decide."""
    faces_text = f" = {' '.join(map(str, roll.faces))}" if roll.faces else ""
    return Reply(
        "operation",
        (
            f"Canon suggests {suggestion.text}",
            "Enter asks at that; change the word before the colon if you see it otherwise.",
        ),
        text=f"? {suggestion.likelihood}: {question}{faces_text}",
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."


def _retcon_lines(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    noun = "piece of canon rests" if count == 1 else "pieces of canon rest"
    return (f"{count} {noun} on what was taken back: a retcon is proposed for each.",)
