"""How each server is, in words: for the menu's line of health, and once for every change.

Source: issue "The five stores" ("the program says so once, keeps playing on what is left").
"""

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
from stores.stores import Hear, Severity, StoreNotice

log = logging.getLogger(__name__)

OK = "ok"

NAMES: Final[Mapping[Store, str]] = {
    Store.LOG: "log",
    Store.CANON: "canon",
    Store.OBJECTS: "documents",
    Store.VECTORS: "meanings",
    Store.WORDS: "words",
}
"""What each store is called in front of the user."""

_MEANWHILE: Final[Mapping[Store, str]] = {
    Store.LOG: "Play goes on from the copy in your home folder; what you write is kept and sent later.",
    Store.CANON: "Play goes on from the copy in your home folder; commits wait there and are sent later.",
    Store.OBJECTS: "Those in your home folder can be read; new ones wait there and are sent later.",
    Store.VECTORS: "Nothing is found by meaning until it is back; what is to be indexed is kept.",
    Store.WORDS: "Nothing is found by words until it is back; what is to be indexed is kept.",
}


class State(StrEnum):
    """`WAITS`: it answers, and what is for it stands behind something for another that does not.
    `APART`: it answers, and what is here and there may not be joined without a decision."""

    UP = "up"
    DOWN = "down"
    WAITS = "waits"
    CATCHING_UP = "catching up"
    APART = "apart"


@dataclass(frozen=True, slots=True)
class Condition:
    """`since` is when this state began. Since the store was last well, `sent` is how much of what waited
    has arrived, and `said` what the user has been told."""

    state: State
    since: datetime
    why: str = ""
    sent: int = 0
    said: frozenset[str] = frozenset()


class Board:
    """Keeps the condition of the stores that are on servers. `waiting` counts what is still to be sent."""

    def __init__(self, stores: Collection[Store], clock: Clock, waiting: Counter[Store]) -> None:
        self._clock = clock
        self._waiting = waiting
        self._listeners: list[Hear] = []
        self._of = {store: Condition(State.UP, clock()) for store in stores}

    def listen(self, listener: Hear) -> None:
        """Call `listener` with every change from now on. It must not block."""
        self._listeners.append(listener)

    def say(self, store: Store, text: str, severity: Severity) -> None:
        """Tell the listeners, and the log."""
        log.log(logging.INFO if severity == "information" else logging.WARNING, "%s", text)
        for listener in tuple(self._listeners):
            listener(StoreNotice(store, text, severity))

    def state(self, store: Store) -> State:
        return self._of[store].state if store in self._of else State.UP

    def down(self, store: Store, why: str) -> None:
        """It does not answer; `why` says so in a sentence."""
        if self.state(store) is not State.DOWN:
            self._set(store, State.DOWN, why)
            self._say_once(store, "down", f"{why} {_MEANWHILE[store]}", "warning")

    def apart(self, store: Store, why: str) -> None:
        """It answers, and does not take what is kept here (or is not the server that this copy is of)."""
        self._set(store, State.APART, why)
        text = f"The {NAMES[store]} server and the copy here are apart: {why}"
        self._say_once(store, why, text, "error")

    def waits(self, store: Store) -> None:
        """It answers, but what is for it waits."""
        if self.state(store) is State.UP:
            self._set(store, State.WAITS)

    def catching_up(self, store: Store) -> None:
        """It answers, and what waited is being sent."""
        if self.state(store) in (State.UP, State.DOWN, State.WAITS):
            self._set(store, State.CATCHING_UP)

    def sent(self, store: Store) -> None:
        """One more of what waited has arrived."""
        if self.state(store) is State.APART:
            self._set(store, State.CATCHING_UP)
        self._of[store] = replace(self._of[store], sent=self._of[store].sent + 1)

    def up(self, store: Store) -> None:
        """It answers, and has everything."""
        before = self._of[store]
        if before.state is State.UP:
            return
        self._of[store] = Condition(State.UP, self._clock())
        if before.said:
            sent = f" All {before.sent} writes that waited are on it." if before.sent else ""
            self.say(store, f"The {NAMES[store]} server is back.{sent}", "information")

    def health(self, store: Store) -> str:
        """Return "ok", or what is amiss in a few words."""
        found, waiting = self._of[store], self._waiting[store]
        wait = f", {waiting} to send" if waiting else ""
        if found.state is State.DOWN:
            return f"down since {found.since.astimezone():%H:%M}{wait}"
        if found.state is State.APART:
            return f"apart from the copy here{wait}"
        if found.state is State.WAITS:
            return f"behind{wait}"
        if found.state is State.CATCHING_UP:
            return f"catching up {found.sent} of {found.sent + waiting}"
        return OK

    def amiss(self) -> tuple[str, ...]:
        """Return a sentence or two for all stores that are down, and for each that is apart."""
        down = [store for store in self._of if self.state(store) is State.DOWN]
        apart = [f"{NAMES[s]}: {self._of[s].why}" for s in self._of if self.state(s) is State.APART]
        if not down:
            return tuple(apart)
        names = ", ".join(NAMES[store] for store in down)
        return (f"Down: {names}. Play goes on; what they miss is sent when they are back.", *apart)

    def _set(self, store: Store, state: State, why: str = "") -> None:
        self._of[store] = replace(self._of[store], state=state, since=self._clock(), why=why)

    def _say_once(self, store: Store, what: str, text: str, severity: Severity) -> None:
        """Say it, unless it has been said since the store was last well."""
        before = self._of[store]
        if what not in before.said:
            self._of[store] = replace(before, said=before.said | {what})
            self.say(store, text, severity)
