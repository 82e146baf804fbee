"""Reads the Main Loop and the stories: which story was played last, and the cards of the menu. Read-only."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from agents.loop_states import state_after
from agents.proposals.decisions import count_waiting
from agents.rewordings import find_wordings, reword_turns
from agents.story_outline import MainMode
from agents.views.menu_views import MenuView, StoryCard
from stores.errors import LibraryUnreadable
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id, derive_id
from stores.records.play import Speaker, Story
from stores.records.sources import READING_STATES
from stores.records.workflow import Loop

SESSION_ID = derive_id("loop", "main")
"""The subject of the Main Loop: there is one session for each library."""

MAX_MAIN_LOOKBACK = 200
"""Transitions of the Main Loop in which the story that was played last is looked for."""

_PLAY_MODES = (MainMode.START_STORY.value, MainMode.CONTINUE.value)
"""Modes of the Main Loop in which a story may be open."""


class SessionReader:
    """Reads the Main Loop. It needs little of the program: the menu is filled before the rest is loaded."""

    def __init__(self, log: LogReader, canon: CanonReader) -> None:
        self._log = log
        self._canon = canon

    async def read_state(self, loop: Loop, subject_id: Id) -> str:
        """Return the present state of a loop."""
        return state_after(loop, await self._log.loop_state(loop, subject_id))

    async def read_suspended_story_id(self) -> Id | None:
        """Return the story that the Main Loop is suspended in, or None."""
        last_transition = await self._log.loop_state(Loop.MAIN, SESSION_ID)
        return (
            last_transition.detail or None
            if last_transition and last_transition.target == "suspended"
            else None
        )

    async def read_open_story_id(self) -> Id | None:
        """Return the story that was continued or begun and not left since, or None."""
        last_transition = await self._log.loop_state(Loop.MAIN, SESSION_ID)
        if last_transition is None or last_transition.target not in _PLAY_MODES:
            return None
        if last_transition.event == MainMode.START_STORY.value:
            return await self.find_last_played_story_id()
        return last_transition.detail or None

    async def build_menu(self, health: tuple[tuple[str, str], ...], notes: tuple[str, ...]) -> MenuView:
        """Return what the main menu shows."""
        stories = (await self._log.readable_stories()).records
        open_stories = await self._select_open_stories(stories)
        last_story_id = await self._find_last_played(open_stories)
        open_stories = sorted(open_stories, key=lambda story: story.id != last_story_id)
        universes = (await self._canon.readable_universes()).records
        _, facts = await self._canon.count()
        sources = await self._log.sources()
        document_ids = [source.id for source in sources if source.is_document]
        counts = await self._log.proposal_counts(document_ids) if document_ids else {}
        return MenuView(
            resume_story=await self._build_first_card(open_stories),
            story_count=len(stories),
            universe_count=len(universes),
            fact_count=facts,
            review_count=sum(map(count_waiting, counts.values())),
            is_reading=any(source.state in READING_STATES for source in sources),
            health=health,
            notes=notes,
        )

    async def build_story_cards(self) -> list[StoryCard]:
        """Return every story that can be read, the last played first; `recover` names the others.

        The first is the one that the menu offers; the others follow by their last turns.
        """
        stories = (await self._log.readable_stories()).records
        last_story_id = await self._find_last_played(await self._select_open_stories(stories))
        cards = []
        for story in stories:
            with suppress(LibraryUnreadable):
                cards.append(await self.build_story_card(story))
        cards.sort(key=lambda card: (card.story.id == last_story_id, card.played_at), reverse=True)
        return cards

    async def build_story_card(self, story: Story) -> StoryCard:
        scenes = await self._log.scenes(story.id)
        played_scenes = [s for s in scenes if s.head] or scenes
        last_turns = await self._log.line_tail(played_scenes[-1].id, 8) if played_scenes else []
        last_turns = reword_turns(last_turns, find_wordings(story.entries))
        narrative_texts = [
            turn.text for turn in last_turns if turn.speaker not in (Speaker.ORACLE, Speaker.SYSTEM)
        ]
        scene = scenes[-1] if scenes else None
        return StoryCard(
            story=story,
            universe=await self._canon.universe(story.universe_id),
            scene=scene,
            state=await self.read_state(Loop.STORY, story.id),
            scene_state=await self.read_state(Loop.SCENE, scene.id) if scene else "",
            scene_count=len(scenes),
            turn_count=await self._log.line_length(scene.id) if scene else 0,
            played_at=max([story.created_at, *(turn.created_at for turn in last_turns)]),
            last_line=narrative_texts[-1] if narrative_texts else "",
            is_suspended=await self.read_suspended_story_id() == story.id,
        )

    async def find_last_played_story_id(self) -> Id | None:
        """Return the open story that the player was in last; imports and background work do not count.

        After a crash in a story that was just started, the one whose scene moved last.
        """
        return await self._find_last_played(await self._read_open_stories())

    # --- inside --------------------------------------------------------------------------------------

    async def _find_last_played(self, open_stories: Sequence[Story]) -> Id | None:
        open_ids = {story.id for story in open_stories}
        main_transitions = await self._log.transitions(
            loop=Loop.MAIN, subject_id=SESSION_ID, limit=MAX_MAIN_LOOKBACK
        )
        last_transition = main_transitions[-1] if main_transitions else None
        if last_transition is None or last_transition.event != MainMode.START_STORY.value:
            for transition in reversed(main_transitions):
                if transition.detail in open_ids:
                    return transition.detail
        move_times = []
        for story in open_stories:
            with suppress(LibraryUnreadable):
                scenes = await self._log.scenes(story.id)
                last_transition = await self._log.loop_state(Loop.SCENE, scenes[-1].id) if scenes else None
                if last_transition is not None:
                    move_times.append((last_transition.at, story.id))
        return max(move_times)[1] if move_times else None

    async def _build_first_card(self, stories: Sequence[Story]) -> StoryCard | None:
        """Return the card of the first of these stories that can be read."""
        for story in stories:
            with suppress(LibraryUnreadable):
                return await self.build_story_card(story)
        return None

    async def _read_open_stories(self) -> list[Story]:
        return await self._select_open_stories((await self._log.readable_stories()).records)

    async def _select_open_stories(self, stories: Sequence[Story]) -> list[Story]:
        states = await self._log.loop_states(Loop.STORY, [s.id for s in stories])
        return [s for s in stories if s.id in states and states[s.id].target == "active"]
