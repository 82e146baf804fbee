"""The cold layer: a scene's whole log, put away in the object store and read back.

What is put away is the whole tree (every turn of every line, how the head moved, notes, results, decisions,
summaries, and the identifiers of its proposals) as gzipped JSON lines, under its own checksum. Nothing is
taken out of the log by it: the log is append-only, and evidence points into it. Source: design/loops.md,
"Memory layers"; docs/decisions/0018.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from agents.events import Event, LineMoved
from agents.jobs.worker import PLAIN_QUEUE, JobSubject
from stores.errors import ArchiveError, NotFound, StoreError, StoreUnavailable
from stores.ports import ArchivistLog, LogReader, ObjectStore
from stores.records.base import Record
from stores.records.ids import Clock, Id, derived
from stores.records.jobs import JobKind
from stores.records.memory import ArchivedLog, Summary
from stores.records.model import DecisionMark
from stores.records.play import HeadMove, Note, Resolution, Scene, Turn

ARCHIVES: Final = "archives"
FORMAT: Final = "monitor scene log"
VERSION: Final = 1
OLD: Final = timedelta(days=90)
"""Time since a scene's last turn after which its log is put away by itself."""
MOST: Final = 512 * 1024 * 1024
"""Bytes that an archive may unfold to: more is no log of ours."""

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class SceneLog:
    """All that the log holds of a scene's play. `proposal_ids` are in the order they were made."""

    scene: Scene
    turns: tuple[Turn, ...] = ()
    moves: tuple[HeadMove, ...] = ()
    notes: tuple[Note, ...] = ()
    resolutions: tuple[Resolution, ...] = ()
    decisions: tuple[DecisionMark, ...] = ()
    summaries: tuple[Summary, ...] = ()
    proposal_ids: tuple[Id, ...] = ()


async def scene_log(log: LogReader, scene_id: Id) -> SceneLog:
    """Return a scene's log as it stands. Raises NotFound."""
    scene = await log.scene(scene_id)
    turns = await log.all_turns(scene_id)
    ids = [turn.id for turn in turns]
    notes = await log.notes(story_id=scene.story_id)
    return SceneLog(
        scene,
        tuple(turns),
        tuple(await log.head_moves(scene_id)),
        tuple(note for note in notes if note.scene_id == scene_id),
        tuple(await log.resolutions(ids)),
        tuple(await log.decision_marks(scene_id)),
        tuple(await log.summaries(scene_id)),
        tuple(p.id for p in await log.proposals(scene_id=scene_id)),
    )


def packed(kept: SceneLog) -> bytes:
    """Return a log as gzipped JSON lines: the same log is the same bytes."""
    head = {"format": FORMAT, "version": VERSION, "turns": len(kept.turns)}
    lines = [json.dumps(head), *(json.dumps({"kind": kind, "record": body}) for kind, body in _lines(kept))]
    return gzip.compress("\n".join(lines).encode(), mtime=0)


def unpacked(data: bytes) -> SceneLog:
    """Return the log that was packed. Raises ArchiveError if it is not whole, or none of ours."""
    try:
        head, *lines = [json.loads(line) for line in _unfolded(data).decode().splitlines()]
        if head.get("format") != FORMAT or head.get("version") != VERSION:
            raise ValueError("another format")
        rows = [(line["kind"], line["record"]) for line in lines]
        (scene,) = _read(rows, "scene", Scene)
        kept = SceneLog(
            scene,
            _read(rows, "turn", Turn),
            _read(rows, "move", HeadMove),
            _read(rows, "note", Note),
            _read(rows, "resolution", Resolution),
            _read(rows, "decision", DecisionMark),
            _read(rows, "summary", Summary),
            tuple(str(body) for kind, body in rows if kind == "proposal"),
        )
        if len(kept.turns) != head["turns"]:
            raise ValueError("turns are missing")
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, OSError, zlib.error) as error:
        raise ArchiveError(
            "That archived log cannot be read.",
            kept="The log itself is in the library, as it always was.",
            todo="monitor archive with the story's name makes it again.",
        ) from error
    return kept


class Archive:
    """Puts logs away and reads them back. Stateless."""

    def __init__(self, log: ArchivistLog, objects: ObjectStore, clock: Clock) -> None:
        self._log = log
        self._objects = objects
        self._clock = clock

    async def put(self, scene_id: Id) -> ArchivedLog:
        """Put a scene's log away as it stands, and read it back; one that is put away already is not again.

        Raises NotFound, StoreError; ArchiveError if what comes back is not what was put.
        """
        held = await self.of(scene_id)
        kept = await scene_log(self._log, scene_id)
        if held is not None and held.head == kept.scene.head and await self._is_whole(held):
            return held
        key = await self._objects.put(ARCHIVES, packed(kept))
        if await self._fetched(key) != kept:
            raise ArchiveError("What was put away did not come back the same.", kept="The log is whole.")
        archived = ArchivedLog(
            id=derived("archived", scene_id),
            scene_id=scene_id,
            story_id=kept.scene.story_id,
            universe_id=kept.scene.universe_id,
            object_key=key,
            turns=len(kept.turns),
            head=kept.scene.head,
            archived_at=self._clock(),
        )
        await self._log.mark_archived(archived)
        return archived

    async def read(self, scene_id: Id) -> SceneLog:
        """Return a scene's log as it was put away. Raises NotFound; ArchiveError if it is not whole."""
        held = await self.of(scene_id)
        if held is None:
            raise NotFound(
                "That scene's log was not put away.",
                kept="It is in the library.",
                todo="monitor archive with the story's name puts it away.",
            )
        return await self._fetched(held.object_key)

    async def of(self, scene_id: Id) -> ArchivedLog | None:
        """Return what is known of the log that was put away, if it was."""
        scene = await self._log.scene(scene_id)
        every = await self._log.archived_logs(universe_id=scene.universe_id)
        return next((held for held in reversed(every) if held.scene_id == scene_id), None)

    async def _fetched(self, key: str) -> SceneLog:
        data = await self._objects.get(ARCHIVES, key)
        if hashlib.sha256(data).hexdigest() != key.removeprefix("sha256:"):
            raise ArchiveError(
                "That archived log is not what was put away: its checksum is another.",
                kept="The log itself is in the library, as it always was.",
                todo="monitor archive with the story's name makes it again.",
            )
        return unpacked(data)

    async def _is_whole(self, held: ArchivedLog) -> bool:
        """Say whether what was put away is there still: a library that was brought here has no objects."""
        try:
            return len((await self._fetched(held.object_key)).turns) == held.turns
        except StoreUnavailable:
            raise  # nobody can tell: later
        except (ArchiveError, StoreError):
            return False


class Archivist:
    """The background worker: puts logs away that are old, and those again that were and have moved on. See
    `agents.jobs.worker.Worker`; stateless."""

    kind = JobKind.ARCHIVE
    queue = PLAIN_QUEUE
    priority = 0

    def __init__(self, log: ArchivistLog, archive: Archive, clock: Clock) -> None:
        self._log = log
        self._archive = archive
        self._clock = clock

    async def subjects(self) -> Collection[JobSubject]:
        held = {each.scene_id: each for each in await self._log.archived_logs()}
        found: list[JobSubject] = []
        for story in await self._log.stories():
            scenes = [s for s in await self._log.scenes(story.id) if s.head]
            heads = await self._log.turns([s.head for s in scenes if s.head])
            found += (
                JobSubject(s.id, s.universe_id)
                for s in scenes
                if s.head in heads and self._due(heads[s.head], held)
            )
        return found

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        """A log that was put away and went another way is put away again; one that is played on, at the next
        start."""
        match event:
            case LineMoved(scene_id=scene_id) if await self._archive.of(scene_id) is not None:
                scene = await self._log.scene(scene_id)
                return [JobSubject(scene_id, scene.universe_id)]
            case _:
                return []

    async def reconcile(self, subject_id: Id) -> int:
        try:
            await self._archive.put(subject_id)
        except NotFound:
            return 0
        return 0

    def _due(self, head: Turn, held: dict[Id, ArchivedLog]) -> bool:
        known = held.get(head.scene_id)
        if known is not None:
            return known.head != head.id
        return self._clock() - head.created_at >= OLD


def _lines(kept: SceneLog) -> list[tuple[str, Any]]:
    of: Sequence[tuple[str, Sequence[Record]]] = (
        ("scene", (kept.scene,)),
        ("turn", kept.turns),
        ("move", kept.moves),
        ("note", kept.notes),
        ("resolution", kept.resolutions),
        ("decision", kept.decisions),
        ("summary", kept.summaries),
    )
    records = [(kind, record.model_dump(mode="json")) for kind, records in of for record in records]
    return [*records, *(("proposal", proposal_id) for proposal_id in kept.proposal_ids)]


def _read(rows: Sequence[tuple[str, Any]], kind: str, record: type[R]) -> tuple[R, ...]:
    try:
        return tuple(record.model_validate(body) for found, body in rows if found == kind)
    except ValidationError as error:
        raise ValueError(str(error)) from error


def _unfolded(data: bytes) -> bytes:
    unfolding = zlib.decompressobj(wbits=31)
    text = unfolding.decompress(data, MOST)
    if not unfolding.eof:
        raise ValueError("it is cut off, or too large")
    return text
