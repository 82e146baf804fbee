"""Where what the model did and costs is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class ToXray:
    """Why a turn says what it says."""

    turn_id: Id


@dataclass(frozen=True, slots=True)
class ToBill:
    """What the model cost; with a story, that story's calls and turns."""

    story_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToLlmSetup:
    """How the model is set up."""


LlmRoute = ToXray | ToBill | ToLlmSetup
