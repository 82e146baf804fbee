"""What a story is played by, and may be changed in mid-story: its rules, whose dice fall, what tension does.

None of it is part of the line: undoing takes no setting back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from agents.resolver.ruleset_schema import Pack
from agents.resolver.rulesets import PackLibrary
from agents.resolver.sheets import NewSheet, new_sheet, sheet_lines
from agents.resolver.typed_text import did_you_mean, fold_name
from agents.solo.character_sheets import sheet_row
from agents.views.play_views import RulePackView
from stores.errors import InputError
from stores.ports import OrchestratorLog
from stores.records.ids import Id
from stores.records.play import DiceRoller, Story, TensionMode

Choice = TypeVar("Choice", DiceRoller, TensionMode)
_NONE = ("none", "off", "no rules", "generic")
_DICE = {
    DiceRoller.PROGRAM: "The program throws the dice. /roll 2d6 = 5 4 still takes yours.",
    DiceRoller.PHYSICAL: "You throw the dice: each roll asks for them, and you type what fell behind the =.",
}
MODES = {
    TensionMode.BEND: "Tension bends the odds of a yes: more happens when it is high.",
    TensionMode.EDGE: "Tension leaves the odds alone: when it is high, more answers go all the way (and).",
}


class Settings:
    """Stateless; `packs` gives the rule packs there are."""

    def __init__(self, log: OrchestratorLog, packs: Callable[[], PackLibrary]) -> None:
        self._log = log
        self._packs = packs

    async def systems(self) -> tuple[RulePackView, ...]:
        """Return the rule packs there are, then the files that cannot be used, with what is wrong."""
        library = await asyncio.to_thread(self._packs)
        usable = [_view(pack, pack.id in library.user_pack_ids) for pack in library.packs.values()]
        wrong = [RulePackView(id="", name=name, problem=why) for name, why in library.errors_by_file.items()]
        return (*usable, *wrong)

    async def pack(self, wanted: str) -> Pack | None:
        """Return the pack of this id or name; None for none. Raises InputError if there is no such pack."""
        if not wanted or fold_name(wanted) in _NONE:
            return None
        return (await asyncio.to_thread(self._packs)).find_pack(wanted)

    async def dice(self, scene_id: Id, wanted: str) -> tuple[str, ...]:
        """Say whose dice fall, or change it. Raises InputError."""
        story = await self._story(scene_id)
        if wanted:
            story = await self._put(story, dice=_choice(DiceRoller, wanted, "/dice"))
        return (_DICE[story.dice],)

    async def tension_mode(self, scene_id: Id, wanted: str) -> tuple[str, ...]:
        """Change what tension does to the oracle. Raises InputError."""
        story = await self._put(
            await self._story(scene_id), tension_mode=_choice(TensionMode, wanted, "/tension")
        )
        return (MODES[story.tension_mode],)

    async def system(self, scene_id: Id, wanted: str) -> tuple[str, ...]:
        """Say what rules the story is played by, or change them. Raises InputError."""
        story = await self._story(scene_id)
        if not wanted:
            return await self._systems_told(story)
        pack = await self.pack(wanted)
        before = story.system
        if before == (pack.id if pack else ""):
            return (f"The story is played by {_name(pack)} already.",)
        await self._put(story, system=pack.id if pack else "")
        back = f"/system {before}" if before else "/system none"
        return (
            f"From now on the story is played by {_name(pack)}.",
            "Every sheet keeps its numbers and tags; what the new rules ask for and a sheet has not got "
            "counts as they begin it.",
            f"Undo does not take this back: {back} does.",
        )

    async def _systems_told(self, story: Story) -> tuple[str, ...]:
        library = await asyncio.to_thread(self._packs)
        now = library.packs.get(story.system)
        lost = f" ({story.system} is not there any more)" if story.system and now is None else ""
        return (
            f"The story is played by {_name(now)}{lost}.",
            *(f"{pack.id}: {pack.summary}" for pack in library.packs.values()),
            "none: 2d6 and a number, or plain luck",
            *(f"{name}: {why}" for name, why in library.errors_by_file.items()),
        )

    async def _story(self, scene_id: Id) -> Story:
        return await self._log.story((await self._log.scene(scene_id)).story_id)

    async def _put(self, story: Story, **changed: object) -> Story:
        story = story.model_copy(update=changed)
        await self._log.put_story(story)
        return story


def _view(pack: Pack, own: bool) -> RulePackView:
    lines = sheet_lines(pack, new_sheet(pack), whole=True)
    every_tag = NewSheet(tags=tuple(tag.key for tag in pack.tags))
    tags = [sheet_row(line) for line in sheet_lines(pack, every_tag) if line.kind == "tag"]
    return RulePackView(
        id=pack.id,
        name=pack.name,
        summary=pack.summary,
        own=own,
        numbers=tuple(sheet_row(line) for line in lines if line.kind == "number"),
        tracks=tuple(sheet_row(line) for line in lines if line.kind == "track"),
        tags=tuple(tags),
    )


def _name(pack: Pack | None) -> str:
    return pack.name if pack else "no rule pack (2d6 and a number, or plain luck)"


def _choice(kind: type[Choice], wanted: str, command: str) -> Choice:
    """Return the value that is named. Raises InputError that lists them."""
    values = [value.value for value in kind]
    if fold_name(wanted) not in values:
        raise InputError(
            f"{wanted[:40]!r} is none of {', '.join(values)}.",
            kept="Nothing was changed.",
            todo=did_you_mean(wanted, values) or f"As in: {command} {values[-1]}",
        )
    return kind(fold_name(wanted))
