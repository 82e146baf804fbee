"""Plays typed lines and runs every other operation on a scene: the one entry point for services.

A line is parsed, the scene is loaded once, and every step takes that context and hands it on: a missing
likelihood or missing dice are asked for, then the exchange is recorded, rolled, sealed and its changes are
proposed (`ExchangePipeline`), a model narrates it if one is set up, and at the end the reply says what ran out
and whether a commit is offered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgenda
from agents.loop_transitions import LoopTransitions
from agents.orchestrator.commands.registry import (
    CommandCall,
    CommandRegistry,
    lacks_argument,
    refuse_unread_words,
)
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.commands.usage_examples import missing_argument_error
from agents.orchestrator.commit_reports import commit_lines
from agents.orchestrator.commit_triggers import CommitTriggers
from agents.orchestrator.dispatcher import Access, Dispatched, Dispatcher
from agents.orchestrator.input.parser import CommandInput, WordsInput, parse_input
from agents.orchestrator.input.sub_words import read_sub_word
from agents.orchestrator.line_outcomes import LineOutcomes
from agents.orchestrator.line_player import LinePlayer
from agents.orchestrator.narration.narration import Narration, is_paused, is_retake
from agents.orchestrator.narration.state import NarrationState
from agents.orchestrator.open_offers import OpenOffers
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.play_tools import PlayTools
from agents.orchestrator.prose_worker import ProseWorker
from agents.orchestrator.record_worker import RecordWorker
from agents.orchestrator.scene_actions import SceneActions
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.solo.presence_checks import NotPresent
from agents.telemetry.spans import NO_TELEMETRY, ExchangeKind, MeasuredOperation, Span, SpanRecords, Telemetry
from agents.views.replies import CommandHelp, Reply
from agents.views.scene_views import SceneView
from stores.records.ids import Id
from stores.records.play import Scene, StoryMode
from stores.records.workflow import Loop


class TypedLines:
    """Runs lines, commands and other operations on a scene, each with the same beginning and end."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        contexts: SceneContextLoader,
        line_player: LinePlayer,
        narration: Narration,
        actions: SceneActions,
        triggers: CommitTriggers,
        play_tools: PlayTools,
        views: SceneViewBuilder,
        loops: LoopTransitions,
        commands: CommandRegistry,
        tools: CommandTools,
        records: RecordWorker,
        prose_reading: ProseWorker,
        offers: OpenOffers,
        outcomes: LineOutcomes,
        telemetry: Telemetry = NO_TELEMETRY,
    ) -> None:
        self._telemetry = telemetry
        self._dispatcher = dispatcher
        self._contexts = contexts
        self._line_player = line_player
        self._narration = narration
        self._actions = actions
        self._triggers = triggers
        self._play_tools = play_tools
        self._views = views
        self._loops = loops
        self._commands = commands
        self._tools = tools
        self._records = records
        self._prose_reading = prose_reading
        self._offers = offers
        self._outcomes = outcomes

    def list_commands(self) -> tuple[CommandHelp, ...]:
        """Return help for the slash commands."""
        return self._commands.list_help()

    async def submit(
        self, scene_id: Id, line: str, *, with_view: bool = False, offers_moves: bool = False
    ) -> Reply:
        """Play one typed line, or run it as a slash command.

        `with_view` adds what the screen shows then; with `offers_moves` a line that calls for a move of the story's
        rules is not played: the reply offers the roll.
        """
        parsed = self._narration.apply_narrate_override(parse_input(line, self._commands.names()))
        if isinstance(parsed, CommandInput):
            return await self.run_command(
                scene_id, parsed.name, parsed.argument, with_view=with_view, typed_line=line
            )
        if isinstance(parsed, WordsInput) and (
            command_reply := await self._narration.offer_command(parsed, scene_id, self._commands.list_help())
        ):
            return command_reply

        async def play_line(context: SceneContext) -> Outcome:
            return await self._line_player.play(parsed, context, line, offers_moves=offers_moves)

        return await self.perform(scene_id, Access.PLAY, play_line, action="play", with_view=with_view)

    async def run_command(
        self,
        scene_id: Id,
        name: str,
        argument: str = "",
        *,
        with_view: bool = False,
        typed_line: str = "",
    ) -> Reply:
        """Run a slash command. Raises InputError if its argument is missing, not read or makes no sense."""
        name, argument = read_sub_word(name, argument)
        command = self._commands.find_command(name)
        refuse_unread_words(command, name, argument)
        former_name_note = self._commands.describe_former_name(name)
        choice = self._commands.find_choice(name)

        async def run_handler(context: SceneContext) -> Outcome:
            if lacks_argument(command, argument):
                raise await missing_argument_error(command.help, name, context, self._tools.canon)
            result = await command.handler(
                self._tools, CommandCall(context, argument, choice, self._commands.list_help())
            )
            if not isinstance(result, Outcome):
                result = Outcome(result, context if command.access is Access.READ else None)
            if former_name_note:
                lines = (former_name_note, *result.reply.lines)
                result = replace(result, reply=replace(result.reply, lines=lines))
            if command.takes_numbers and not argument:
                result = replace(result, reply=replace(result.reply, number_command=f"/{command.help.name}"))
            return result

        return await self.perform(
            scene_id,
            Access.READ if lacks_argument(command, argument) else command.access,
            run_handler,
            action=command.action,
            moves_timeline=command.moves_timeline,
            needs_records=command.needs_records,
            with_view=with_view,
            typed_line=typed_line,
        )

    async def perform(
        self,
        scene_id: Id,
        access: Access,
        work: Callable[[SceneContext], Awaitable[Outcome]],
        *,
        action: str = "",
        moves_timeline: bool = False,
        needs_records: bool = False,
        with_view: bool = False,
        typed_line: str = "",
    ) -> Reply:
        """Run `work` on the scene's context, have its exchange narrated, and reply.

        What an operation that `moves_timeline` brings back was announced when it was staged. One that `needs_records`
        waits until it is recorded what the narrations before changed, and the GM's prose is read.
        """
        with self._telemetry.span(
            MeasuredOperation.COMMAND, access.value, SpanRecords(scene_id=scene_id)
        ) as span:
            return await self._perform(
                scene_id,
                access,
                work,
                span,
                action=action,
                moves_timeline=moves_timeline,
                needs_records=needs_records,
                with_view=with_view,
                typed_line=typed_line,
            )

    async def _perform(
        self,
        scene_id: Id,
        access: Access,
        work: Callable[[SceneContext], Awaitable[Outcome]],
        span: Span,
        *,
        action: str,
        moves_timeline: bool,
        needs_records: bool,
        with_view: bool,
        typed_line: str,
    ) -> Reply:
        if needs_records:
            await self._records.record_all(scene_id)
            await self._prose_reading.read_all(scene_id)
        try:
            dispatched = await self._dispatcher.run(scene_id, access, work, action=action)
        except NotPresent:
            # They may have come in a narration that is not recorded yet: such a line alone waits for it.
            if not await self._records.record_all(scene_id):
                raise
            dispatched = await self._dispatcher.run(scene_id, access, work, action=action)
        _describe_span(span, dispatched)
        if next_line := dispatched.result.next_line:
            reply = await self.submit(scene_id, next_line, with_view=with_view)
            return replace(reply, lines=(*dispatched.result.reply.lines, *reply.lines))
        # The model takes its time: meanwhile proposals can be decided on.
        outcome = await self._narrate(dispatched.before, dispatched.result)
        context = outcome.context or await self._contexts.load_context(scene_id)
        reply = outcome.reply
        if not moves_timeline:
            # A death that comes of what ran out is the GM's to stage.
            reply = self._play_tools.depletion.add_depletion_lines(dispatched.before, context, reply)
        await self._offers.add(context, reply.offers, typed_line=typed_line)
        return await self._finish(
            context, reply, state=outcome.state, agenda=outcome.agenda, with_view=with_view
        )

    async def read_scene(self, scene_id: Id) -> Scene:
        return (await self._contexts.load_context(scene_id)).scene

    async def read_view(self, scene_id: Id) -> SceneView:
        """Return all that the play screen shows except the transcript."""
        return await self._build_view(await self._contexts.load_context(scene_id))

    async def _build_view(self, context: SceneContext, state: str | None = None) -> SceneView:
        offer = await self._triggers.find_offer(context)
        view = await self._views.build_scene_view(context, offer, state=state)
        return await self._add_offers(view, context)

    async def _add_offers(self, view: SceneView, context: SceneContext) -> SceneView:
        """Return the view with what lines offered and nobody answered, in a scene that is being played."""
        self._outcomes.note_scene(context)
        return replace(view, offers=await self._offers.list_open(context)) if view.state == "active" else view

    async def _finish(
        self,
        context: SceneContext,
        reply: Reply,
        *,
        state: str,
        agenda: StoryAgenda | None = None,
        with_view: bool,
    ) -> Reply:
        """Offer a commit if one is due in a scene that is being played, and read what is shown next.

        `agenda` is the story's in that scene, if it was read already.
        """
        state = state or await self._loops.read_state(Loop.SCENE, context.scene.id)
        offer = await self._triggers.find_offer(context) if with_view or state == "active" else None
        if offer is not None and state == "active":
            async with self._dispatcher.exclusive():
                report = await self._triggers.raise_offer(context, offer)
            if report is not None:
                reply = replace(reply, lines=(*reply.lines, *commit_lines(report)))
                context, agenda = await self._contexts.load_context(context.scene.id), None
                offer = await self._triggers.find_offer(context) if with_view else None
        if not with_view:
            return reply
        view = await self._views.build_scene_view(context, offer, state=state, agenda=agenda)
        return replace(reply, scene=await self._add_offers(view, context))

    async def _narrate(self, before: SceneContext, outcome: Outcome) -> Outcome:
        """Have the model narrate the exchange if it should; in autopilot, do what it leads to."""
        exchange = outcome.exchange
        if exchange is None or exchange.narration is None:
            return outcome
        reply = outcome.reply
        is_autopilot = before.story.mode is StoryMode.AUTOPILOT
        # In autopilot what comes next is done by what was recorded.
        state = await self._narration.narrate(before.scene, exchange.run_id, records_at_once=is_autopilot)
        if state is not None and is_paused(state):
            waiting_count = len(state.proposals)
            noun = "proposal waits" if waiting_count == 1 else "proposals wait"
            paused_line = f"Paused: {waiting_count} {noun} to be proposed with your next line."
            reply = replace(reply, lines=(*reply.lines, *state.player_lines, paused_line))
        elif state is not None:
            lines = (*reply.lines, *state.player_lines)
            if is_autopilot:
                lines = (*lines, *await self._run_offered_command(exchange.scene_id, state))
            severity = reply.severity if state.gm_turn_id else "warning"
            reply = replace(reply, lines=lines, severity=severity)
        if is_retake(exchange):
            async with self._dispatcher.exclusive():
                retcon_lines = await self._actions.propose_retcons_of_take(before.scene)
            reply = replace(reply, lines=(*reply.lines, *retcon_lines))
        return Outcome(reply)

    async def _run_offered_command(self, scene_id: Id, state: NarrationState) -> tuple[str, ...]:
        """Run what the arbiter offers, except ending a scene; what it proposes is committed at once."""
        if not state.offered_command or state.offered_command.startswith("/end"):
            return ()
        return (await self.submit(scene_id, state.offered_command)).lines


def _describe_span(span: Span, dispatched: Dispatched[Outcome]) -> None:
    """Have the span say whether it was an exchange, and which."""
    scene, exchange = dispatched.before.scene, dispatched.result.exchange
    span.records = SpanRecords(scene.universe_id, scene.story_id, scene.id)
    if exchange is not None:
        span.operation = MeasuredOperation.EXCHANGE
        span.kind = ExchangeKind.PLAIN if exchange.narration is None else ExchangeKind.NARRATED
        span.records = span.records._replace(run_id=exchange.run_id)
