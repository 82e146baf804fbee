"""What stands on the servers about the library itself: whose it is, and who has it open.

It is kept in records that every adapter has already, under identifiers that nothing else uses: notes and
a checkpoint of a scene that there is not, and a story node of a universe that there is not. Notes are
added only if absent, so of two that reach for the same number one gets it: that is all the agreement that
two machines need. Nobody sees them: who lists notes, checkpoints or nodes names a scene, story or universe.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from stores.authority import Role
from stores.mirror.link import Link
from stores.records.ids import Clock, Id, derived
from stores.records.ledger import Checkpoint
from stores.records.play import Note
from stores.records.world import StoryNode

_NOWHERE: Final = derived("library", "marks")
_IDENTITY: Final = derived("library", "identity")
_BEAT: Final = derived("library", "beat")


class Holder(BaseModel):
    """Who has the library open: one mirror on one machine."""

    model_config = ConfigDict(frozen=True)

    mirror: Id
    host: str
    home: str
    process: int

    def is_of(self, other: Holder) -> bool:
        """Whether both are the same mirror in the same place, in whatever process."""
        return (self.mirror, self.host, self.home) == (other.mirror, other.host, other.home)


class Term(BaseModel):
    """One opening of the library for writing; `number` rises by one with each."""

    model_config = ConfigDict(frozen=True)

    number: int
    holder: Holder
    since: datetime


class Beat(BaseModel):
    """The last sign of life of a term; `over` says that its holder has closed the library."""

    model_config = ConfigDict(frozen=True)

    number: int
    over: bool
    at: datetime


class LogMarks:
    """The marks on the log's server. Errors: Outage, and what the server refuses."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock

    async def identity(self) -> Id | None:
        """Return whose library the log is, if that has been said."""
        return await self._text(_IDENTITY)

    async def claim(self, identity: Id) -> Id:
        """Say whose library it is, if nobody has; return what stands."""
        await self._add(_IDENTITY, identity)
        return await self._text(_IDENTITY) or identity

    async def terms(self) -> list[Term]:
        """Return every term, oldest first."""
        notes: list[Note] = await self._link.read(Role.ORCHESTRATOR, "notes", story_id=_NOWHERE)
        terms = (Term.model_validate_json(note.text) for note in notes if note.id != _IDENTITY)
        return sorted(terms, key=lambda term: term.number)

    async def term(self, number: int) -> Term | None:
        """Return the term of that number."""
        text = await self._text(_term_id(number))
        return Term.model_validate_json(text) if text is not None else None

    async def begin(self, term: Term) -> Term:
        """Begin a term, if nobody has begun one of this number; return the one that stands."""
        await self._add(_term_id(term.number), term.model_dump_json())
        return await self.term(term.number) or term

    async def beat(self, beat: Beat) -> None:
        state = beat.model_dump(mode="json")
        await self._link.write(
            Role.ORCHESTRATOR,
            "save_checkpoint",
            Checkpoint(exchange_id=_BEAT, scene_id=_NOWHERE, node="library", state=state, at=beat.at),
        )

    async def last_beat(self) -> Beat | None:
        found: list[Checkpoint] = await self._link.read(Role.ORCHESTRATOR, "checkpoints", _NOWHERE)
        return Beat.model_validate(found[0].state) if found else None

    async def _add(self, note_id: Id, text: str) -> None:
        note = Note(
            id=note_id,
            story_id=_NOWHERE,
            scene_id=_NOWHERE,
            turn_id=note_id,
            text=text,
            created_at=self._clock(),
        )
        await self._link.write(Role.ORCHESTRATOR, "add_note", note)

    async def _text(self, note_id: Id) -> str | None:
        found: list[Note] = await self._link.read(Role.ORCHESTRATOR, "notes", turn_ids=[note_id])
        return found[0].text if found else None


class CanonMarks:
    """Whose library the canon server has. Errors: Outage, and what the server refuses."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def identity(self) -> Id | None:
        nodes: list[StoryNode] = await self._link.read(Role.ORCHESTRATOR, "story_nodes", _NOWHERE)
        return next((node.title for node in nodes if node.id == _IDENTITY), None)

    async def claim(self, identity: Id) -> Id:
        """Say whose library it is, if nobody has; return what stands."""
        node = StoryNode(id=_IDENTITY, universe_id=_NOWHERE, title=identity, status="library")
        await self._link.write(Role.ORCHESTRATOR, "create_story_node", node)
        return await self.identity() or identity


def _term_id(number: int) -> Id:
    return derived("library", "term", number)
