"""The commands that were offered in the scene of each story and wait for an answer, in a file beside the library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from stores.errors import StoreError
from stores.records.ids import Id
from stores.story_file import StoryFile


@dataclass(frozen=True, slots=True)
class StoredOffer:
    """A command that was offered after a line, and where play stood then."""

    scene_id: Id
    turn_id: Id
    """The turn that it was offered after; empty before the first."""
    depth: int
    tick: int
    question: str
    command: str


class OfferFile:
    """Reads and writes offers."""

    def __init__(self, path: Path) -> None:
        self._file = StoryFile(path)

    async def read(self, story_id: Id) -> list[StoredOffer]:
        """Return the offers of a story, the oldest first."""
        values = await self._file.read(story_id)
        offers = map(_read_offer, values) if isinstance(values, list) else ()
        return [offer for offer in offers if offer is not None]

    async def save(self, story_id: Id, offers: Sequence[StoredOffer]) -> None:
        """Keep the offers of a story. Raises StoreError."""
        try:
            await self._file.save(story_id, [asdict(offer) for offer in offers])
        except OSError as error:
            raise StoreError(
                f"What is offered could not be kept: {error.strerror}.",
                kept="All that you sent is in the library.",
                todo="Take the offers that matter before you close MONITOR.",
            ) from error


def _read_offer(value: object) -> StoredOffer | None:
    match value:
        case {
            "scene_id": str() as scene_id,
            "turn_id": str() as turn_id,
            "depth": int() as depth,
            "tick": int() as tick,
            "question": str() as question,
            "command": str() as command,
        }:
            return StoredOffer(scene_id, turn_id, depth, tick, question, command)
        case _:
            return None
