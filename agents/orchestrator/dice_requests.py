"""Asks the player for dice and choices that a roll still needs, and alters rolls that were made."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.exchange import begin_altered_roll
from agents.orchestrator.exchange_pipeline import ExchangePipeline
from agents.orchestrator.input.parser import RollInput
from agents.orchestrator.rolls import RollService, describe_partial_without_effect
from agents.orchestrator.timeline import Timeline
from agents.resolver.alteration_parser import read_pick, read_reroll
from agents.resolver.dice_faces import DiceToThrow, describe_dice_to_throw, open_for_faces, split_faces
from agents.resolver.pack_check import list_check_options, list_moves
from agents.resolver.random_tables import TableDraw
from agents.resolver.roll_kinds import CHECK_KINDS, PROGRAM_DRAWN_KINDS
from agents.resolver.sparks import Spark
from agents.solo.story_rules import StoryRules, read_working_sheet
from agents.views.replies import Reply
from stores.records.ids import IdGenerator
from stores.records.play import DiceRoller, Resolution, Speaker, Turn

AlterationKind = Literal["reroll", "pick"]


class DiceRequestService:
    """Asks for missing dice and choices, and alters rolls that were made."""

    def __init__(
        self,
        rolls: RollService,
        rules: StoryRules,
        timeline: Timeline,
        pipeline: ExchangePipeline,
        ids: IdGenerator,
    ) -> None:
        self._rolls = rolls
        self._rules = rules
        self._timeline = timeline
        self._pipeline = pipeline
        self._ids = ids

    async def request_missing_input(
        self, typed_line: str, roll: RollInput, context: SceneContext
    ) -> Reply | None:
        """Return a reply that asks for what a typed line still needs; None if it needs nothing.

        Raises InputError, with nothing recorded, for a roll that could not be resolved.
        """
        listing = self._list_choices(roll, context)
        if roll.kind == "table" and not roll.spec:
            listing = await self._rolls.describe_tables(context)
        if listing:
            return Reply("operation", listing, suggested_line=f"{typed_line.rstrip()} ")
        missing_dice = await self._rolls.find_missing_dice(roll, context)
        return _ask_for_dice(typed_line, roll.faces, missing_dice) if missing_dice else None

    def explain_program_draws(
        self, turns: Sequence[Turn], results: Sequence[Resolution], context: SceneContext
    ) -> list[str]:
        """Return a line on those rolls that the program makes although the player throws the dice."""
        if context.story.dice is not DiceRoller.PHYSICAL:
            return []
        oracle_turn_ids = {turn.id for turn in turns if turn.speaker is Speaker.ORACLE}
        program_draws = [
            r
            for r in results
            if r.turn_id in oracle_turn_ids and r.kind in PROGRAM_DRAWN_KINDS and not r.by_hand
        ]
        explanation_by_kind = {
            "event": "The program drew the event: its dice depend on each other.",
            "spark": "The program drew the words; /spark = 34 61 draws with your own percentile dice.",
            "table": "The program rolled on the table; /table NAME = 4 takes your own dice.",
        }
        return list(dict.fromkeys(explanation_by_kind[r.kind] for r in program_draws))

    async def alter_last_roll(
        self, context: SceneContext, alteration_kind: AlterationKind, text: str
    ) -> tuple[Reply, list[Turn]]:
        """Replace the last roll of the timeline by another take of the turn that shows it.

        Returns the turns that leave the timeline; none while dice are still to be thrown by hand. Raises
        InputError if the timeline does not end in a roll, or if this roll cannot be altered so.
        """
        roll_turn, original = await self._timeline.read_last_roll(context.scene)
        spec, faces = split_faces(text) if alteration_kind == "reroll" else (text, None)
        if alteration_kind == "reroll":
            alteration = read_reroll(spec, original)
        else:
            alteration = read_pick(spec, original, await self._redraw_spark(original, context))
        typed_line = f"/{alteration_kind} {text}".rstrip()
        if missing_dice := await self._rolls.find_missing_reroll_dice(original, alteration, faces, context):
            return _ask_for_dice(typed_line, faces, missing_dice), []
        exchange = begin_altered_roll(
            self._ids,
            roll_turn,
            alteration,
            typed_text=typed_line,
            faces=faces,
            take=await self._timeline.next_take_number(roll_turn),
        )
        removed_turns = (
            [roll_turn]
            if context.head is None or context.head.id == roll_turn.id
            else [roll_turn, context.head]
        )
        played = await self._pipeline.play(exchange, context)
        effect_lines = (line for result in played.results for line in describe_partial_without_effect(result))
        return Reply("exchange", tuple(effect_lines)), removed_turns

    async def _redraw_spark(self, original: Resolution, context: SceneContext) -> Spark | None:
        """Return a spark, or the draw from a table, as it was drawn, so that one of its rows can be picked."""
        if original.kind not in ("spark", "table"):
            return None
        draw = await self._rolls.prepare_draw(original.kind, original.spec, context)
        faces = [die.face for die in original.dice if not die.rerolled]
        redrawn = draw(random.Random(0), faces)
        if isinstance(redrawn, TableDraw):
            return Spark((redrawn,))
        return redrawn if isinstance(redrawn, Spark) else None

    def _list_choices(self, roll: RollInput, context: SceneContext) -> tuple[str, ...]:
        """Return what may follow a bare `/move` or `/check`; nothing if the argument is there."""
        pack = self._rules.find_pack(context)
        if roll.kind not in CHECK_KINDS or roll.spec.split(";")[0].strip() or pack is None:
            return ()
        sheet = read_working_sheet(context, context.player_character())
        if roll.kind == "move":
            return list_moves(pack, sheet) or (f"{pack.name} has no moves; /check rolls its numbers.",)
        # What has no numbers is rolled as it stands: nothing is left to say.
        return list_check_options(pack, sheet) if pack.gauges() else ()


def _ask_for_dice(
    typed_line: str, faces: tuple[int, ...] | None, missing_dice: tuple[DiceToThrow, ...]
) -> Reply:
    dice = describe_dice_to_throw(missing_dice)
    has_reasons = any(one.reason for one in missing_dice)
    prompt = (
        f"Roll {dice}, then type on." if has_reasons else f"Roll {dice}, then type the result after the =."
    )
    return Reply("operation", (prompt,), prompt_text=open_for_faces(typed_line, faces))
