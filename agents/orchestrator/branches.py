"""The lines of play that a scene's turn tree holds, and the ways from one to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.context_assembly.scene_context import SceneContext, is_scene_end_turn
from agents.count_words import count_noun
from agents.orchestrator.command_undo import describe_left_commands
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.timeline import Timeline
from agents.orchestrator.turn_rewording import TurnRewording
from agents.orchestrator.undo_words import list_names, shorten
from agents.orchestrator.undone_canon import UndoneCanonService, UnsupportedCanon
from agents.sanitize import clean_line
from agents.views.replies import Reply
from stores.errors import InputError
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.play import GM_SPEAKERS, Speaker, Turn

BACK = "back"
"""What is typed to go back to the line that was left last."""


@dataclass(frozen=True, slots=True)
class PlayLine:
    """A way that the scene went, to its end."""

    end: Turn
    is_current: bool

    def describe(self, number: int) -> str:
        """Return it as a numbered line."""
        length = count_noun(self.end.depth + 1, "turn")
        here = "  (play is here)" if self.is_current else ""
        return f"{number}. {length}: {shorten(self.end.text)}{here}"


class BranchActions:
    """Goes on from an older turn, lists the lines that were left, and returns to them."""

    def __init__(
        self,
        log: LogReader,
        timeline: Timeline,
        undone_canon: UndoneCanonService,
        rewording: TurnRewording,
    ) -> None:
        self._log = log
        self._rewording = rewording
        self._timeline = timeline
        self._undone_canon = undone_canon

    async def branch(
        self, context: SceneContext, turn_id: Id, *, is_confirmed: bool = False, confirm_line: str = ""
    ) -> Outcome:
        """Go on from another turn; what is left stays in the tree.

        If canon rests on turns that leave the line, the reply says so unless that `is_confirmed`, and its
        `confirm_line` (by default `/branch` with the number of the turn) goes there all the same.
        """
        scene, target = context.scene, await self._log.turn(turn_id)
        self._timeline.require_other_turn(scene, target)
        left_turns = await self._timeline.read_turns_left(scene, turn_id)
        unsupported_canon = await self._undone_canon.find_unsupported(scene, left_turns)
        if unsupported_canon and not is_confirmed:
            confirm_line = confirm_line or f"/branch {target.depth + 1} yes"
            return Outcome(_ask_to_branch(target, unsupported_canon, confirm_line))
        await self._timeline.branch(scene, turn_id)
        retcon_lines = await self._undone_canon.propose_retcons(scene, unsupported_canon)
        left_line = (
            (f"{count_noun(len(left_turns), 'turn')} stayed behind; /undo or /branches back returns there.",)
            if left_turns
            else ()
        )
        return Outcome(
            Reply("operation", (f"Going on from: {shorten(target.text)}", *left_line, *retcon_lines))
        )

    async def edit_turn(
        self, context: SceneContext, turn_id: Id, text: str, *, is_confirmed: bool = False
    ) -> Outcome:
        """Put a turn of the line in other words.

        The last turn, if it is the GM's, gets another take; an earlier one reads otherwise in its place, and the
        turns after it stand. A player's turn is taken back to before it, and the words are put into the prompt, to be
        played; what followed stays in the tree. If canon rests on turns that leave the line, the reply asks first.
        Raises InputError.
        """
        scene, turn = context.scene, await self._log.turn(turn_id)
        if not await self._log.on_line(scene.id, [turn_id]):
            raise InputError(
                "That turn is not on the line that is played.",
                kept="Nothing was changed.",
                todo="/map goes to the line that it is on.",
            )
        if turn.speaker not in (*GM_SPEAKERS, Speaker.PLAYER):
            raise InputError(
                "What was rolled stays as it fell.",
                kept="Nothing was changed.",
                todo="/reroll throws dice of the last roll again; B on the turn before it goes back.",
            )
        words = clean_line(text)
        if turn.speaker in GM_SPEAKERS and turn.id != scene.head:
            return await self._rewording.reword(context, turn, words)
        left_turns = [turn, *await self._timeline.read_turns_left(scene, turn_id)]
        unsupported_canon = await self._undone_canon.find_unsupported(scene, left_turns)
        if unsupported_canon and not is_confirmed:
            return Outcome(
                _ask_to_branch(turn, unsupported_canon, f"/edit {turn.depth + 1}! {words}", is_edit=True)
            )
        lines: tuple[str, ...]
        if turn.speaker is Speaker.PLAYER:
            await self._timeline.branch(scene, turn.parent_id)
            lines, prompt_text = (
                (f"Turn {turn.depth + 1} again. Enter plays it as it stands in the prompt.",),
                words,
            )
        else:
            await self._timeline.add_take(scene, turn, words)
            lines = (
                f"Turn {turn.depth + 1} in other words, as another take.",
                *describe_left_commands(context),
            )
            prompt_text = ""
        retcon_lines = await self._undone_canon.propose_retcons(scene, unsupported_canon)
        left_count = len(left_turns) - 1
        left_lines = (
            (f"{count_noun(left_count, 'later turn')} stayed behind; /undo or /branches back returns there.",)
            if left_count
            else ()
        )
        return Outcome(Reply("operation", (*lines, *left_lines, *retcon_lines), prompt_text=prompt_text))

    async def list_branches(self, context: SceneContext) -> Outcome:
        """Return the ends of the scene's lines, numbered, the oldest first."""
        lines = await self._read_lines(context)
        described = [line.describe(number) for number, line in enumerate(lines, start=1)]
        if not described:
            return Outcome(Reply("operation", ("The scene has no turns yet.",)), context)
        if len(described) == 1:
            return Outcome(Reply("operation", tuple(described)), context)
        has_left_line = await self._timeline.find_left_head(context.scene) is not None
        back_words = f", /branches {BACK} to the line that was left last" if has_left_line else ""
        return Outcome(Reply("operation", (*described, f"/branches 1 goes there{back_words}.")), context)

    async def go_to_branch(self, context: SceneContext, typed: str, *, is_confirmed: bool) -> Outcome:
        """Go to the end of a line, named by its number or `back`. Raises InputError."""
        if typed.casefold() == BACK:
            left_head = await self._timeline.find_left_head(context.scene)
            if left_head is None:
                raise InputError(
                    "No line was left in this scene.",
                    kept="Nothing was changed.",
                    todo="/branches lists the lines that there are.",
                )
            turn_id = left_head
        else:
            turn_id = self._choose_line(await self._read_lines(context), typed).end.id
        return await self.branch(
            context, turn_id, is_confirmed=is_confirmed, confirm_line=f"/branches {typed} yes"
        )

    def _choose_line(self, lines: Sequence[PlayLine], typed: str) -> PlayLine:
        number = int(typed) if typed.isdecimal() and len(typed) < 9 else 0
        if not 1 <= number <= len(lines):
            raise InputError(
                f"There is no line {typed[:20]!r} in this scene.",
                kept="Nothing was changed.",
                todo="/branches lists them with their numbers.",
            )
        return lines[number - 1]

    async def _read_lines(self, context: SceneContext) -> list[PlayLine]:
        """Return the ends of all lines. Other takes of a turn are no lines, nor is the report of a scene's end."""
        turns = [t for t in await self._log.all_turns(context.scene.id) if not is_scene_end_turn(t)]
        parent_ids = {turn.parent_id for turn in turns}
        on_line_ids = await self._log.on_line(context.scene.id, [turn.id for turn in turns])
        current_takes = {_take_key(turn) for turn in turns if turn.id in on_line_ids}
        current_end = context.last_play_turn
        ends = [
            turn
            for turn in turns
            if turn is not current_end
            and turn.id not in parent_ids
            and turn.id not in on_line_ids
            and _take_key(turn) not in current_takes
        ]
        lines = [PlayLine(turn, is_current=False) for turn in ends]
        if current_end is not None:
            lines.append(PlayLine(current_end, is_current=True))
        return sorted(lines, key=lambda line: line.end.created_at)


def _take_key(turn: Turn) -> tuple[Id | None, Id, str]:
    return turn.parent_id, turn.exchange_id, turn.speaker


def _ask_to_branch(
    target: Turn,
    unsupported_canon: Sequence[UnsupportedCanon],
    confirm_line: str,
    *,
    is_edit: bool = False,
) -> Reply:
    """Return what of canon rests on the turns that would be left, and the line that goes on all the same."""
    count = len(unsupported_canon)
    return Reply(
        "nothing",
        (
            f"Canon rests on {'' if is_edit else 'what comes after '}“{shorten(target.text)}”"
            f"{' and what follows' if is_edit else ''}:",
            *list_names([record.label for record in unsupported_canon]),
            f"{'To edit it' if is_edit else 'Going on from there'} leaves those turns, and proposes a retcon of "
            f"{'it' if count == 1 else f'these {count}'} for you to decide at the gate.",
            f"/branch {target.depth + 1} NAME makes a branch instead, with canon as it was then.",
        ),
        confirm_line=confirm_line,
        confirm_word="Edit it" if is_edit else "Go there",
    )
