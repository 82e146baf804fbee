"""What the player does in a scene: typed lines, rolls, time, sheets, takes, undo and redo."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.branches import BranchActions
from agents.orchestrator.dispatcher import Access, Dispatcher
from agents.orchestrator.line_player import LinePlayer
from agents.orchestrator.narration.narration import Narration
from agents.orchestrator.narration.runner import NarrationRunner
from agents.orchestrator.open_offers import OpenOffers
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.play_tools import PlayTools
from agents.orchestrator.scene_actions import SceneActions
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.suggested_actions import ActionSuggestions
from agents.orchestrator.typed_lines import TypedLines
from agents.proposals.evidence import is_declared_after
from agents.services.transcript_rows import TranscriptReader
from agents.views.card_views import TurnTrace
from agents.views.gate_views import SceneEnd
from agents.views.replies import CommandHelp, Reply
from agents.views.scene_views import ActionIdeas, SceneView
from agents.views.sheet_views import SheetView
from agents.views.turn_views import TurnView
from stores.records.ids import Id
from stores.records.play import TensionMode, Turn
from stores.records.workflow import ProposedChange
from stores.records.world import Number


@dataclass(frozen=True, slots=True)
class PlayService:
    """Plays a scene. Every method raises `stores.errors.MonitorError` with words for the player.

    With `with_view`, a method's reply carries the scene as the play screen shows it next.
    """

    lines: TypedLines
    line_player: LinePlayer
    actions: SceneActions
    branches: BranchActions
    dispatcher: Dispatcher
    play_tools: PlayTools
    narration_runner: NarrationRunner
    narration: Narration
    views: SceneViewBuilder
    suggestions: ActionSuggestions
    offers: OpenOffers
    transcript_reader: TranscriptReader

    def commands(self) -> tuple[CommandHelp, ...]:
        """Return the slash commands that exist."""
        return self.lines.list_commands()

    async def scene(self, scene_id: Id) -> SceneView:
        """Return all that the play screen shows except the transcript."""
        return await self.lines.read_view(scene_id)

    async def trace(self, turn_id: Id) -> TurnTrace:
        """Return what a turn rests on and what it made true."""
        trace = await self.transcript_reader.trace_turn(turn_id)
        rows = await self.views.build_turn_proposals(trace.scene.id, turn_id)
        declared_ids = {row.proposal.id for row in rows if _is_declared_after(row.proposal, trace.turn)}
        return replace(trace, proposals=rows, declared_ids=trace.declared_ids | declared_ids)

    async def transcript(self, scene_id: Id, start: int, count: int) -> list[TurnView]:
        """Return the rows at depths `start` ... of the timeline; its cost does not grow with the scene."""
        return await self.transcript_reader.read_rows(scene_id, start, count)

    async def previous_end(self, scene_id: Id, count: int) -> SceneEnd | None:
        """Return the last rows of the scene before, or None if nothing was played before this one."""
        return await self.transcript_reader.read_previous_end(scene_id, count)

    async def sheet(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        """Return the sheet of somebody in the scene, the hero's if nobody is named."""
        return await self.play_tools.sheets.read_sheet(scene_id, entity_id)

    async def submit(
        self, scene_id: Id, line: str, *, with_view: bool = False, offers_moves: bool = False
    ) -> Reply:
        """Play one typed line: an exchange, or a slash command.

        With `offers_moves`, and unless the settings say otherwise, a line that calls for a move of the story's rules
        is not played yet: the reply offers the roll.
        """
        return await self.lines.submit(scene_id, line, with_view=with_view, offers_moves=offers_moves)

    async def alter_roll(self, scene_id: Id, alteration_kind: Literal["reroll", "pick"], text: str) -> Reply:
        """Throw some dice of the last roll again, or pick another result.

        The result is another take of the roll; the old one is withdrawn with all that it proposed. Undo reverts
        it.
        """
        return await self.lines.run_command(scene_id, alteration_kind, text)

    async def rest(self, scene_id: Id, text: str) -> Reply:
        """Rest by the story's rules; list the rests if none is named."""
        return await self.lines.run_command(scene_id, "rest", text)

    async def edit_sheet(
        self, scene_id: Id, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> Reply:
        """Propose, on the GM's word, changes of numbers and tags of a sheet."""

        async def edit(context: SceneContext) -> Outcome:
            return await self.actions.edit_sheet(context, entity_id, numbers, tags)

        return await self.lines.perform(scene_id, Access.PLAY, edit, action="change a sheet")

    async def pass_time(self, scene_id: Id, length: str) -> Reply:
        """Let world time pass: `+2h`, `to dusk`, `to day 5`. Undone like any exchange."""
        return await self.lines.run_command(scene_id, "time", length)

    async def set_tension(self, scene_id: Id, tension: int | TensionMode) -> None:
        """Set the story's tension (1 to 9), or what it does to the oracle.

        The oracle and the scene check follow the tension; the change is recorded.
        """
        async with self.dispatcher.exclusive():
            await self.actions.set_tension(scene_id, tension)

    async def check_start(self, scene_id: Id, faces: tuple[int, ...] | None = None) -> Reply:
        """Roll whether the scene begins as expected, altered or interrupted, as an exchange of its own."""
        work = partial(self.line_player.check_start, faces=faces)
        return await self.lines.perform(scene_id, Access.PLAY, work, action="roll how it begins")

    async def finish_track(self, scene_id: Id, track: str, faces: tuple[int, ...] | None = None) -> Reply:
        """Roll how well work on a track ends; the track is given by name or number."""
        work = partial(self.line_player.finish_track, track=track, faces=faces)
        return await self.lines.perform(scene_id, Access.PLAY, work, action="finish a track")

    async def undo(self, scene_id: Id) -> Reply:
        """Undo the last thing done: a command, a decision, a branch, or else the last line typed.

        If something became canon since, the reply says so, and its `confirm_line` undoes it all the same.
        """
        return await self.lines.run_command(scene_id, "undo")

    async def redo(self, scene_id: Id) -> Reply:
        """Redo what the last undo reverted."""
        return await self.lines.run_command(scene_id, "redo")

    async def read_last_narration(self, scene_id: Id) -> Turn:
        """Return the GM turn that `retake` puts in other words. Raises InputError if the last turn is none."""
        return await self.actions.read_last_narration(scene_id)

    async def retake(self, scene_id: Id, text: str) -> Reply:
        """Add another take of the last GM turn, in the GM's words."""
        work = partial(self.actions.retake, text=text)
        return await self._move(scene_id, "retake", work)

    async def walk_takes(self, scene_id: Id, step: Literal[-1, 1]) -> Reply:
        """Go to the previous or next take, if the last turn has several."""
        return await self._move(scene_id, "walk takes", partial(self.actions.walk_takes, step=step))

    async def branch(self, scene_id: Id, turn_id: Id, *, is_confirmed: bool = False) -> Reply:
        """Go on from an older turn; what came after it stays in the tree.

        If canon rests on what came after, the reply says so unless it `is_confirmed`, and its `confirm_line` goes to
        a turn of the line all the same.
        """
        work = partial(self.branches.branch, turn_id=turn_id, is_confirmed=is_confirmed)
        return await self._move(scene_id, "branch", work)

    async def edit_turn(self, scene_id: Id, turn_id: Id, text: str) -> Reply:
        """Put a turn in other words, as another take; a player's turn is put into the prompt to be played again."""
        return await self._move(
            scene_id, "edit a turn", partial(self.branches.edit_turn, turn_id=turn_id, text=text)
        )

    async def narrate_again(self, scene_id: Id, note: str = "") -> Reply:
        """Have the model narrate the last GM turn again; `note` says what it should do otherwise ("less gore").

        Raises ModelError; the present take is kept whatever happens.
        """
        return await self.lines.run_command(scene_id, "again", note)

    async def continue_narration(self, scene_id: Id, note: str = "") -> Reply:
        """Have the model narrate what happens next, without an act of the player's."""
        return await self.lines.run_command(scene_id, "continue", note)

    async def suggest_actions(self, scene_id: Id) -> ActionIdeas:
        """Return three things that the player's character could do next; nothing is played."""
        return (await self.dispatcher.run(scene_id, Access.READ, self.suggestions.suggest_actions)).result

    async def drop_offer(self, scene_id: Id, command: str) -> None:
        """Forget what waits with this command in the scene: the player does not want it."""
        await self.dispatcher.run(
            scene_id, Access.READ, partial(self.offers.drop, command=command), action="drop an offer"
        )

    async def finish_narration(self, scene_id: Id) -> Reply:
        """Have the model finish an exchange that a crash or a pause left without narration, if there is one."""
        scene = await self.lines.read_scene(scene_id)
        self.narration.request_record(scene)
        run_id = await self.narration_runner.find_unnarrated_run(
            scene_id, with_unrecorded=not self.narration.records_beside_play
        )
        if run_id is None:
            return Reply("operation")
        self.narration.refuse_while_narrating(scene_id, "finish the exchange")
        state = await self.narration.narrate(scene, run_id, is_resumed=True)
        player_lines = state.player_lines if state else ()
        return Reply("exchange", ("The exchange that was cut off goes on.", *player_lines))

    async def _move(
        self, scene_id: Id, action: str, work: Callable[[SceneContext], Awaitable[Outcome]]
    ) -> Reply:
        return await self.lines.perform(scene_id, Access.PLAY, work, action=action, moves_timeline=True)


def _is_declared_after(proposal: ProposedChange, turn: Turn) -> bool:
    """Say whether a proposal rests on what was typed after a turn, and on nothing of the turn itself."""
    evidence = [piece for piece in proposal.evidence if piece.turn_id == turn.id]
    return bool(evidence) and all(is_declared_after(piece, turn) for piece in evidence)
