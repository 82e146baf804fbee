"""What the play screen tells itself: what its workers have read and done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from screens.play.scene_reader import SceneReading
from stores.errors import MonitorError
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.views.gate_views import CommitReport
    from agents.views.replies import Reply


@dataclass
class SceneLoaded(Message):
    """The scene as it is, and the turns that were narrated into it meanwhile."""

    reading: SceneReading
    appended_ids: set[Id]


@dataclass
class StoryCostLoaded(Message):
    """What the story has cost so far, in words."""

    cost_text: str


@dataclass
class ReplyReceived(Message):
    """The result of a line or key that was played."""

    reply: Reply


@dataclass
class PlayFailed(Message):
    """A line or key could not be played."""

    error: MonitorError


@dataclass
class TriggerCommitted(Message):
    """The offered commit is written."""

    report: CommitReport


@dataclass
class NamesLoaded(Message):
    """The names that `@` completes, and the tables that `/table` does."""

    names: list[str]
    tables: list[str]
