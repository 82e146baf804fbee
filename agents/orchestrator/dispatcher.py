"""The one place that takes the session lock, checks the scene and loads its context for an operation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.orchestrator.scene_guard import SceneGuard
from agents.session_lock import SessionLock
from stores.records.ids import Id

T = TypeVar("T")


class Access(Enum):
    """What an operation on a scene needs before it runs."""

    READ = "read"
    """It changes nothing and takes no lock."""
    DELEGATE = "delegate"
    """It takes no lock itself: a service that it calls dispatches the change."""
    CHANGE = "change"
    """It changes something, and has the session lock while it runs."""
    PLAY = "play"
    """It has the session lock, and runs only in a scene that is being played."""


@dataclass(frozen=True, slots=True)
class Dispatched(Generic[T]):
    """What an operation returned, and the scene as it was before."""

    before: SceneContext
    result: T


class Dispatcher:
    """Runs operations one at a time. An operation never takes the session lock itself."""

    def __init__(self, session_lock: SessionLock, guard: SceneGuard, contexts: SceneContextLoader) -> None:
        self._session_lock = session_lock
        self._guard = guard
        self._contexts = contexts

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Hold the session lock for a change outside any scene. Raises NestedChangeError inside another."""
        async with self._session_lock:
            yield

    async def run(
        self,
        scene_id: Id,
        access: Access,
        work: Callable[[SceneContext], Awaitable[T]],
        *,
        action: str = "",
    ) -> Dispatched[T]:
        """Load the scene once and run `work` on it, with the access that it needs.

        With `Access.PLAY`, raises IllegalTransition when the scene is not being played; the message names
        `action`. Raises NestedChangeError when called from inside another change.
        """
        if access in (Access.READ, Access.DELEGATE):
            context = await self._contexts.load_context(scene_id)
            return Dispatched(context, await work(context))
        async with self._session_lock:
            context = before = await self._contexts.load_context(scene_id)
            if access is Access.PLAY:
                context = await self._guard.require_playing(context, action)
            return Dispatched(before, await work(context))
