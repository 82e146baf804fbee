"""Where the record is asked, and where those who live in a world are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class ToQuery:
    """Ask the record: of a universe, of it one story.

    `scene_id`: from play, to which it leads back; `words` are asked at once.
    """

    universe_id: Id | None = None
    story_id: Id | None = None
    scene_id: Id | None = None
    question: str = ""


@dataclass(frozen=True, slots=True)
class ToPrompt:
    """Back to the scene that is open under this, with these words in its prompt."""

    scene_id: Id
    text: str


@dataclass(frozen=True, slots=True)
class ToCharacters:
    """Those who live in a universe, at one of them; `beside`: a look aside, that leads back."""

    universe_id: Id | None = None
    entity_id: Id | None = None
    from_other_screen: bool = False


QueryRoute = ToQuery | ToCharacters
