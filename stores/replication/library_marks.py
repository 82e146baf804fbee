"""Records on the servers about the library itself: its identity, and who has it open.

They are records of kinds that every adapter has, under identifiers that nothing else uses: notes and a
checkpoint of a scene that does not exist, and a story node of a universe that does not exist. A note is added
only if absent, so of two machines that begin the same lease number only one gets it. Nothing else reads them,
as every reader of notes, checkpoints or nodes names a scene, story or universe.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from stores.authority import Role
from stores.records.ids import Clock, Id, derive_id
from stores.records.play import Note
from stores.records.workflow import Checkpoint
from stores.records.world import StoryNode
from stores.replication.connection import ServerConnection
from stores.stores import AnyCanon, AnyLog

_MARKS_OWNER_ID: Final = derive_id("library", "marks")
_IDENTITY_ID: Final = derive_id("library", "identity")
_HEARTBEAT_ID: Final = derive_id("library", "beat")


class LeaseHolder(BaseModel):
    """Who has the library open: one copy on one machine."""

    model_config = ConfigDict(frozen=True)

    mirror: Id
    host: str
    home: str
    process: int

    def is_same_replica(self, other: LeaseHolder) -> bool:
        """Return whether both are the same copy in the same folder, in whatever process."""
        return (self.mirror, self.host, self.home) == (other.mirror, other.host, other.home)


class Lease(BaseModel):
    """One opening of the library for writing; `number` rises by one with each."""

    model_config = ConfigDict(frozen=True)

    number: int
    holder: LeaseHolder
    since: datetime


class LeaseHeartbeat(BaseModel):
    """The last heartbeat of a lease; `over` says that its holder has closed the library."""

    model_config = ConfigDict(frozen=True)

    number: int
    over: bool
    at: datetime


class LogMarks:
    """Identity and leases on the log's server. Raises ServerOutage, or what the server refuses."""

    def __init__(self, connection: ServerConnection[AnyLog], clock: Clock) -> None:
        self._connection = connection
        self._clock = clock

    async def read_library_id(self) -> Id | None:
        """Return the identity of the library, if one was written."""
        return await self._read_note_text(_IDENTITY_ID)

    async def claim_library(self, library_id: Id) -> Id:
        """Write the identity if there is none; return the one that is there."""
        await self._add_note(_IDENTITY_ID, library_id)
        return await self._read_note_text(_IDENTITY_ID) or library_id

    async def read_leases(self) -> list[Lease]:
        """Return every lease, oldest first."""
        notes = await self._connection.read(
            Role.ORCHESTRATOR, lambda log: log.notes(story_id=_MARKS_OWNER_ID)
        )
        leases = (Lease.model_validate_json(note.text) for note in notes if note.id != _IDENTITY_ID)
        return sorted(leases, key=lambda lease: lease.number)

    async def read_lease(self, number: int) -> Lease | None:
        """Return the lease of that number, if there is one."""
        text = await self._read_note_text(_lease_id(number))
        return Lease.model_validate_json(text) if text is not None else None

    async def begin_lease(self, lease: Lease) -> Lease:
        """Begin a lease, if nobody has begun one of this number; return the one that is there."""
        await self._add_note(_lease_id(lease.number), lease.model_dump_json())
        return await self.read_lease(lease.number) or lease

    async def write_heartbeat(self, heartbeat: LeaseHeartbeat) -> None:
        checkpoint = Checkpoint(
            run_id=_HEARTBEAT_ID,
            scene_id=_MARKS_OWNER_ID,
            step="library",
            state=heartbeat.model_dump(mode="json"),
            at=heartbeat.at,
        )
        await self._connection.write(Role.ORCHESTRATOR, lambda log: log.save_checkpoint(checkpoint))

    async def read_last_heartbeat(self) -> LeaseHeartbeat | None:
        checkpoints = await self._connection.read(
            Role.ORCHESTRATOR, lambda log: log.checkpoints(_MARKS_OWNER_ID)
        )
        return LeaseHeartbeat.model_validate(checkpoints[0].state) if checkpoints else None

    async def _add_note(self, note_id: Id, text: str) -> None:
        note = Note(
            id=note_id,
            story_id=_MARKS_OWNER_ID,
            scene_id=_MARKS_OWNER_ID,
            turn_id=note_id,
            text=text,
            created_at=self._clock(),
        )
        await self._connection.write(Role.ORCHESTRATOR, lambda log: log.add_note(note))

    async def _read_note_text(self, note_id: Id) -> str | None:
        notes = await self._connection.read(Role.ORCHESTRATOR, lambda log: log.notes(turn_ids=[note_id]))
        return notes[0].text if notes else None


class CanonMarks:
    """The library's identity on the canon server. Raises ServerOutage, or what the server refuses."""

    def __init__(self, connection: ServerConnection[AnyCanon]) -> None:
        self._connection = connection

    async def read_library_id(self) -> Id | None:
        nodes = await self._connection.read(
            Role.ORCHESTRATOR, lambda canon: canon.story_nodes(_MARKS_OWNER_ID)
        )
        return next((node.title for node in nodes if node.id == _IDENTITY_ID), None)

    async def claim_library(self, library_id: Id) -> Id:
        """Write the identity if there is none; return the one that is there."""
        node = StoryNode(id=_IDENTITY_ID, universe_id=_MARKS_OWNER_ID, title=library_id, status="library")
        await self._connection.write(Role.ORCHESTRATOR, lambda canon: canon.create_story_node(node))
        return await self.read_library_id() or library_id


def _lease_id(number: int) -> Id:
    return derive_id("library", "term", number)
