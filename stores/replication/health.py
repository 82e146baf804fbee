"""The condition of each server as text for the user: a status line, and one notice for every change."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from stores.authority import Store
from stores.records.ids import Clock
from stores.stores import NoticeListener, Severity, StoreNotice

log = logging.getLogger(__name__)

HEALTHY = "ok"

STORE_NAMES: Final[Mapping[Store, str]] = {
    Store.LOG: "log",
    Store.CANON: "canon",
    Store.OBJECTS: "documents",
    Store.VECTORS: "meanings",
    Store.WORDS: "words",
}
"""What each store is called on the screen."""

_DOWN_EFFECTS: Final[Mapping[Store, str]] = {
    Store.LOG: "Play goes on from the copy in your home folder; what you write is kept and sent later.",
    Store.CANON: "Play goes on from the copy in your home folder; commits wait there and are sent later.",
    Store.OBJECTS: "Those in your home folder can be read; new ones wait there and are sent later.",
    Store.VECTORS: "Nothing is found by meaning until it is back; what is to be indexed is kept.",
    Store.WORDS: "Nothing is found by words until it is back; what is to be indexed is kept.",
}


class ServerState(StrEnum):
    """The condition of one server."""

    UP = "up"
    DOWN = "down"
    WAITING = "waits"
    """It answers, but its writes wait behind a write for another server that does not."""
    CATCHING_UP = "catching up"
    DIVERGED = "apart"
    """It answers, but the library on it and the copy here cannot be joined without a decision of the user."""


@dataclass(frozen=True, slots=True)
class ServerCondition:
    """The state of one server, and what happened since it was last up."""

    state: ServerState
    since: datetime
    """When this state began."""
    reason: str = ""
    sent_count: int = 0
    """Waiting writes that have been sent since the server was last up."""
    announced_topics: frozenset[str] = frozenset()
    """What the user was notified of since the server was last up."""


class ServerHealth:
    """Keeps the condition of the stores that are on servers, and notifies listeners of changes."""

    def __init__(self, stores: Collection[Store], clock: Clock, pending_counts: Counter[Store]) -> None:
        self._clock = clock
        self._pending_counts = pending_counts
        self._listeners: list[NoticeListener] = []
        self._conditions = {store: ServerCondition(ServerState.UP, clock()) for store in stores}

    def add_listener(self, listener: NoticeListener) -> None:
        """Call `listener` with every notice from now on. It must not block."""
        self._listeners.append(listener)

    def notify(self, store: Store, text: str, severity: Severity) -> None:
        """Send a notice to the listeners, and log it."""
        log.log(logging.INFO if severity == "information" else logging.WARNING, "%s", text)
        for listener in tuple(self._listeners):
            listener(StoreNotice(store, text, severity))

    def get_state(self, store: Store) -> ServerState:
        return self._conditions[store].state if store in self._conditions else ServerState.UP

    def mark_down(self, store: Store, reason: str) -> None:
        """Note that the server does not answer; `reason` is a sentence."""
        if self.get_state(store) is not ServerState.DOWN:
            self._set_state(store, ServerState.DOWN, reason)
            self._notify_once(store, "down", f"{reason} {_DOWN_EFFECTS[store]}", "warning")

    def mark_diverged(self, store: Store, reason: str) -> None:
        """Note that the server refuses what is sent, or has another library."""
        self._set_state(store, ServerState.DIVERGED, reason)
        text = f"The {STORE_NAMES[store]} server and the copy here are apart: {reason}"
        self._notify_once(store, reason, text, "error")

    def mark_waiting(self, store: Store) -> None:
        """Note that the server answers, but its writes wait."""
        if self.get_state(store) is ServerState.UP:
            self._set_state(store, ServerState.WAITING)

    def mark_catching_up(self, store: Store) -> None:
        """Note that the waiting writes are being sent."""
        if self.get_state(store) in (ServerState.UP, ServerState.DOWN, ServerState.WAITING):
            self._set_state(store, ServerState.CATCHING_UP)

    def count_sent(self, store: Store) -> None:
        """Count one more waiting write as sent."""
        if self.get_state(store) is ServerState.DIVERGED:
            self._set_state(store, ServerState.CATCHING_UP)
        self._conditions[store] = replace(
            self._conditions[store], sent_count=self._conditions[store].sent_count + 1
        )

    def mark_up(self, store: Store) -> None:
        """Note that the server answers and has everything."""
        previous = self._conditions[store]
        if previous.state is ServerState.UP:
            return
        self._conditions[store] = ServerCondition(ServerState.UP, self._clock())
        if previous.announced_topics:
            sent_text = (
                f" All {previous.sent_count} writes that waited are on it." if previous.sent_count else ""
            )
            self.notify(store, f"The {STORE_NAMES[store]} server is back.{sent_text}", "information")

    def describe(self, store: Store) -> str:
        """Return "ok", or the problem in a few words."""
        condition, pending_count = self._conditions[store], self._pending_counts[store]
        pending_text = f", {pending_count} to send" if pending_count else ""
        if condition.state is ServerState.DOWN:
            return f"down since {condition.since.astimezone():%H:%M}{pending_text}"
        if condition.state is ServerState.DIVERGED:
            return f"apart from the copy here{pending_text}"
        if condition.state is ServerState.WAITING:
            return f"behind{pending_text}"
        if condition.state is ServerState.CATCHING_UP:
            return f"catching up {condition.sent_count} of {condition.sent_count + pending_count}"
        return HEALTHY

    def current_problems(self) -> tuple[str, ...]:
        """Return a sentence or two for all stores that are down, and for each that has diverged."""
        down_stores = [store for store in self._conditions if self.get_state(store) is ServerState.DOWN]
        diverged_texts = [
            f"{STORE_NAMES[s]}: {self._conditions[s].reason}"
            for s in self._conditions
            if self.get_state(s) is ServerState.DIVERGED
        ]
        if not down_stores:
            return tuple(diverged_texts)
        names = ", ".join(STORE_NAMES[store] for store in down_stores)
        return (f"Down: {names}. Play goes on; what they miss is sent when they are back.", *diverged_texts)

    def _set_state(self, store: Store, state: ServerState, reason: str = "") -> None:
        self._conditions[store] = replace(
            self._conditions[store], state=state, since=self._clock(), reason=reason
        )

    def _notify_once(self, store: Store, topic: str, text: str, severity: Severity) -> None:
        """Send a notice, unless there was one on this topic since the server was last up."""
        condition = self._conditions[store]
        if topic not in condition.announced_topics:
            self._conditions[store] = replace(
                condition, announced_topics=condition.announced_topics | {topic}
            )
            self.notify(store, text, severity)
