"""Reads what the menu shows. It needs little of the program: the menu is filled before the rest is loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.orchestrator.session_reader import SessionReader
from agents.services.recap_reader import RecapReader
from agents.views.menu_views import MenuView
from stores.errors import LibraryUnreadable
from stores.ports import CanonReader, LogReader

ReadStoreStates = Callable[[], tuple[tuple[str, str], ...]]
"""Returns each store with its state."""


class MenuReader:
    """Reads the menu."""

    def __init__(self, log: LogReader, canon: CanonReader, read_health: ReadStoreStates) -> None:
        self._session = SessionReader(log, canon)
        self._recaps = RecapReader(log, canon, SceneContextLoader(canon, log), StoryAgendaReader(canon, log))
        self._read_health = read_health

    async def read_menu(self, notes: tuple[str, ...] = ()) -> MenuView:
        """Return the menu with these notes; without a story whose record is damaged."""
        view = await self._session.build_menu(self._read_health(), notes)
        if view.resume_story is None or view.resume_story.scene is None:
            return view
        try:
            previously = await self._recaps.read_short_recap(view.resume_story.scene.id)
        except LibraryUnreadable:  # recovery says so
            return replace(view, resume_story=None)
        return replace(view, resume_story=replace(view.resume_story, previously_lines=previously))
