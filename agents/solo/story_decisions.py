"""`/decide`, `/lift` and `/decisions`: what the player decided, which every prompt of the story holds to.

A decision is an entry of the story's journal, so that undo takes it back; one that a model or the GM's own words
marked (`@DECISION`) is lifted in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_decisions import StoryDecision, read_decisions
from agents.declarations.declarations import name_hero_in
from agents.llm.prompt_builder import estimate_tokens
from agents.name_matching import match_names
from agents.solo.story_journal import NOTHING_CHANGED, StoryJournal
from agents.typed_text import fold_name, one_line
from stores.errors import InputError
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.story_journal import DecisionEntry

MAX_DECISION_LENGTH: Final = 400
"""Characters of one decision."""
DECISION_TOKENS: Final = 1_000
"""Tokens of all decisions above which the player is asked to lift some: they are never left out of a prompt."""

_NUMBERED: Final = re.compile(r"#?(\d{1,4})(?:\s+(.+))?", re.DOTALL)


class DecisionService:
    """Lists, makes and lifts the decisions of a story. The caller holds the session lock."""

    def __init__(self, log: LogReader, journal: StoryJournal) -> None:
        self._log = log
        self._journal = journal

    async def list_decisions(self, context: SceneContext) -> tuple[str, ...]:
        """Return the decisions that hold as numbered lines, and whether they take much of each prompt."""
        decisions = await read_decisions(self._log, context)
        orders_by_scene = {s.id: s.order for s in await self._log.scenes(context.story.id)}
        lines = [
            f"{number}. {decision.text}  (scene {orders_by_scene[decision.scene_id]})"
            for number, decision in enumerate(decisions, start=1)
        ]
        return (*lines, *describe_overflow(decisions))

    async def decide(self, scene_id: Id, typed_text: str) -> tuple[str, ...]:
        """Enter a decision; return lines on it. Raises InputError."""
        context = await self._journal.load_open_scene(scene_id)
        text = _parse_decision(context, typed_text)
        if _is_decided(context, await read_decisions(self._log, context), text):
            raise InputError(
                f"“{text}” is decided already.", kept=NOTHING_CHANGED, todo="/decisions lists what holds."
            )
        await self._enter(context, text)
        decisions = await read_decisions(self._log, await self._journal.load_open_scene(scene_id))
        return (
            f"Decided: {text} (/lift {len(decisions)} takes it back)",
            *describe_overflow(decisions),
        )

    async def lift(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Lift a decision, named by number or words; words behind the number take its place. Raises InputError."""
        context = await self._journal.load_open_scene(scene_id)
        decisions = await read_decisions(self._log, context)
        is_text = any(fold_name(argument) == fold_name(decision.text) for decision in decisions)
        # `2 men stand guard` may be a decision itself.
        numbered = None if is_text else _NUMBERED.fullmatch(argument)
        decision = _find_decision(decisions, argument, int(numbered[1]) if numbered else None)
        new_text = _parse_decision(context, numbered[2]) if numbered and numbered[2] else ""
        stamp = self._journal.build_stamp(context)
        await self._journal.add_entry(
            context, DecisionEntry(**stamp, decision_id=decision.id, is_lifted=True)
        )
        if not new_text:
            return (f"No longer decided: {decision.text}",)
        await self._enter(context, new_text, command_id=stamp["command_id"])
        return (f"Decided: {new_text}", f"No longer decided: {decision.text}")

    async def _enter(self, context: SceneContext, text: str, command_id: Id | None = None) -> None:
        """Enter a decision, as part of another command if one is named."""
        stamp = self._journal.build_stamp(context)
        if command_id is not None:
            stamp["command_id"] = command_id
        await self._journal.add_entry(context, DecisionEntry(**stamp, decision_id=stamp["id"], text=text))


def describe_overflow(decisions: Sequence[StoryDecision]) -> tuple[str, ...]:
    """Return a line that asks for some to be lifted if they take too much of each prompt."""
    tokens = sum(estimate_tokens(decision.text) for decision in decisions)
    if tokens <= DECISION_TOKENS:
        return ()
    return (
        f"They take about {tokens:,} tokens of each prompt, which leaves less for the rest. "
        "/lift NUMBER takes one back that no longer matters.",
    )


def _is_decided(context: SceneContext, decisions: Sequence[StoryDecision], text: str) -> bool:
    """Say whether one of the decisions says the same; those of plain words are in the first person."""
    folded_texts = (name_hero_in(context, decision.text).casefold().rstrip(".") for decision in decisions)
    return text.casefold().rstrip(".") in folded_texts


def _find_decision(decisions: Sequence[StoryDecision], argument: str, number: int | None) -> StoryDecision:
    if number is not None and 1 <= number <= len(decisions):
        return decisions[number - 1]
    matching = match_names(argument, [(decision.text, decision.id) for decision in decisions])
    if number is None and len(matching) == 1:
        return next(decision for decision in decisions if decision.id == matching[0])
    if not decisions:
        raise InputError(
            "No decision holds, so there is none to lift.",
            kept=NOTHING_CHANGED,
            todo="/decide WORDS makes one.",
        )
    raise InputError(
        f"Which decision is {one_line(argument)[:40]!r}?",
        kept=NOTHING_CHANGED,
        todo=f"They are numbered 1 to {len(decisions)}. /decisions lists them.",
    )


def _parse_decision(context: SceneContext, typed_text: str) -> str:
    """Return what is decided, with the hero's name for `I`: a prompt says it to a model that plays others, too."""
    text = name_hero_in(context, one_line(typed_text).strip())
    if len(text) > MAX_DECISION_LENGTH:
        raise InputError(
            f"That is {len(text)} characters; a decision has at most {MAX_DECISION_LENGTH}.",
            kept=NOTHING_CHANGED,
            todo="Shorten it; /note can hold the details.",
        )
    return text
