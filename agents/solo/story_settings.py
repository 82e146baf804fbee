"""A story's settings that may change in mid-story: its rules, its style, who throws the dice, what tension does.

None is part of the timeline: undo reverts no setting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from agents.resolver.ruleset_schema import Creation, Pack
from agents.resolver.rulesets import PackLibrary
from agents.resolver.sheets import NewSheet, new_sheet, sheet_lines
from agents.solo.character_sheets import build_sheet_row
from agents.story_outline import read_style
from agents.typed_text import did_you_mean, fold_name
from agents.views.sheet_views import HeroCreation, RulePackView
from stores.errors import InputError
from stores.ports import OrchestratorLog
from stores.records.ids import Id
from stores.records.play import DiceRoller, Story, TensionMode

Choice = TypeVar("Choice", DiceRoller, TensionMode)
_NO_PACK_WORDS = ("none", "off", "no rules", "generic")
_DICE_LINES = {
    DiceRoller.PROGRAM: "The program rolls the dice. /roll 2d6 = 5 4 still takes yours.",
    DiceRoller.PHYSICAL: "You roll the dice: each roll asks for them, and you type the result after the =.",
}
_NO_STYLE_WORDS = ("none", "off", "usual")
TENSION_MODE_LINES = {
    TensionMode.BEND: "Tension bends the odds of a yes: more happens when it is high.",
    TensionMode.EDGE: "Tension leaves the odds alone: when it is high, more answers go all the way (and).",
}


class StorySettings:
    """Reads and changes a story's settings; `packs` returns the rule packs."""

    def __init__(self, log: OrchestratorLog, load_packs: Callable[[], PackLibrary]) -> None:
        self._log = log
        self._load_packs = load_packs

    async def list_rule_packs(self) -> tuple[RulePackView, ...]:
        """Return the rule packs, then the files that cannot be used, with the reason."""
        library = await asyncio.to_thread(self._load_packs)
        usable = [
            _build_rule_pack_view(pack, pack.id in library.user_pack_ids) for pack in library.packs.values()
        ]
        unusable = [
            RulePackView(id="", name=name, problem=problem)
            for name, problem in library.errors_by_file.items()
        ]
        return (*usable, *unusable)

    async def find_pack(self, pack_name: str) -> Pack | None:
        """Return the pack of this id or name; None for `none`. Raises InputError if there is no such pack."""
        if not pack_name or fold_name(pack_name) in _NO_PACK_WORDS:
            return None
        return (await asyncio.to_thread(self._load_packs)).find_pack(pack_name)

    async def set_dice_roller(self, scene_id: Id, typed_choice: str) -> tuple[str, ...]:
        """Change who throws the dice, or return who does. Raises InputError."""
        story = await self._read_story(scene_id)
        if typed_choice:
            story = await self._save_story(story, dice=_parse_choice(DiceRoller, typed_choice, "/dice"))
        return (_DICE_LINES[story.dice],)

    async def set_tension_mode(self, scene_id: Id, typed_choice: str) -> tuple[str, ...]:
        """Change what tension does to the oracle. Raises InputError."""
        story = await self._save_story(
            await self._read_story(scene_id),
            tension_mode=_parse_choice(TensionMode, typed_choice, "/tension"),
        )
        return (TENSION_MODE_LINES[story.tension_mode],)

    async def set_style(self, scene_id: Id, words: str) -> tuple[str, ...]:
        """Change how the model narrates, or return how it does. Raises InputError."""
        story, style = await self._read_story(scene_id), read_style(words)
        if not style:
            return (
                f"Every narration: {story.style or 'as usual: a few short paragraphs, present tense, “you”'}.",
                "/style and your words change it: length, tense, person, wishes. /style none: as usual.",
            )
        style = "" if fold_name(style) in _NO_STYLE_WORDS else style
        await self._save_story(story, style=style)
        restore_command = f"/style {story.style or 'none'}"
        return (
            f"From the next narration on: {style}" if style else "From the next narration on as usual.",
            f"Undo does not change this back: {restore_command} does.",
        )

    async def read_style_line(self, scene_id: Id) -> str:
        """Return the line that sets the style as it is, to be changed; the beginning of one if there is none."""
        return f"/style {(await self._read_story(scene_id)).style}"

    async def set_rule_pack(self, scene_id: Id, pack_name: str) -> tuple[str, ...]:
        """Change the story's rule pack, or return which it is. Raises InputError."""
        story = await self._read_story(scene_id)
        if not pack_name:
            return await self._describe_rule_packs(story)
        pack = await self.find_pack(pack_name)
        previous_pack_id = story.system
        if previous_pack_id == (pack.id if pack else ""):
            return (f"The story is played by {_pack_label(pack)} already.",)
        await self._save_story(story, system=pack.id if pack else "")
        undo_command = f"/system {previous_pack_id}" if previous_pack_id else "/system none"
        return (
            f"From now on the story is played by {_pack_label(pack)}.",
            "Every sheet keeps its numbers and tags; what the new rules ask for and a sheet has not got "
            "counts as they begin it.",
            f"Undo does not change this back: {undo_command} does.",
        )

    async def _describe_rule_packs(self, story: Story) -> tuple[str, ...]:
        library = await asyncio.to_thread(self._load_packs)
        current_pack = library.packs.get(story.system)
        missing_note = f" ({story.system} is missing now)" if story.system and current_pack is None else ""
        return (
            f"The story is played by {_pack_label(current_pack)}{missing_note}.",
            *(f"{pack.id}: {pack.summary}" for pack in library.packs.values()),
            "none: 2d6 and a number, or plain odds",
            *(f"{name}: {problem}" for name, problem in library.errors_by_file.items()),
        )

    async def _read_story(self, scene_id: Id) -> Story:
        return await self._log.story((await self._log.scene(scene_id)).story_id)

    async def _save_story(self, story: Story, **changed_fields: object) -> Story:
        story = story.model_copy(update=changed_fields)
        await self._log.put_story(story)
        return story


def _build_rule_pack_view(pack: Pack, is_user_pack: bool) -> RulePackView:
    sheet_lines_shown = sheet_lines(pack, new_sheet(pack), whole=True)
    all_tags_sheet = NewSheet(tags=tuple(tag.key for tag in pack.tags))
    tag_rows = [build_sheet_row(line) for line in sheet_lines(pack, all_tags_sheet) if line.kind == "tag"]
    return RulePackView(
        id=pack.id,
        name=pack.name,
        summary=pack.summary,
        own=is_user_pack,
        numbers=tuple(build_sheet_row(line) for line in sheet_lines_shown if line.kind == "number"),
        tracks=tuple(build_sheet_row(line) for line in sheet_lines_shown if line.kind == "track"),
        tags=tuple(tag_rows),
        creation=_build_creation(pack.creation),
    )


def _build_creation(creation: Creation | None) -> HeroCreation | None:
    if creation is None:
        return None
    return HeroCreation(creation.numbers, creation.array, creation.roll or "")


def _pack_label(pack: Pack | None) -> str:
    return pack.name if pack else "no rule pack (2d6 and a number, or plain odds)"


def _parse_choice(kind: type[Choice], typed_choice: str, command: str) -> Choice:
    """Return the choice of that name. Raises InputError that lists them."""
    values = [value.value for value in kind]
    if fold_name(typed_choice) not in values:
        raise InputError(
            f"{typed_choice[:40]!r} is none of {', '.join(values)}.",
            kept="Nothing was changed.",
            todo=did_you_mean(typed_choice, values) or f"As in: {command} {values[-1]}",
        )
    return kind(fold_name(typed_choice))
