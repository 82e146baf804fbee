"""Archives a scene's whole log in the object store, and reads it back.

An archive holds the whole tree (every turn of every line, head moves, notes, results, decisions, summaries, the
transitions of the scene and of its exchanges, and the identifiers of its proposals) as gzipped JSON lines with a
checksum. Nothing is removed from the
log, which is append-only and holds the evidence; see docs/decisions/0018.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from agents.events import Event, HeadMoved
from agents.jobs.followed_scenes import DueScenes
from agents.jobs.worker import PLAIN_QUEUE, JobSubject
from stores.errors import ArchiveError, NotFound, StoreError, StoreUnavailable
from stores.ports import ArchivedLogWriter, LogReader, ObjectStore
from stores.queries import ProposalQuery
from stores.records.base import Record
from stores.records.ids import Clock, Id, derive_id
from stores.records.jobs import JobKind
from stores.records.llm import DecisionMark
from stores.records.memory import ArchivedLog, Summary
from stores.records.play import HeadMove, Note, Resolution, Scene, Turn
from stores.records.workflow import Loop, Transition

ARCHIVE_BUCKET: Final = "archives"
ARCHIVE_FORMAT: Final = "monitor scene log"
ARCHIVE_VERSION: Final = 1
ARCHIVE_AFTER: Final = timedelta(days=90)
"""Time since a scene's last turn after which it is archived automatically."""
ARCHIVE_AGAIN_AFTER: Final = timedelta(hours=1)
"""Time since a turn that was played on in an archived scene: not after each line."""
MAX_TRANSITIONS: Final = 100_000
"""Transitions of one loop that are read."""
MAX_UNPACKED_BYTES: Final = 512 * 1024 * 1024
"""Bytes that an archive may unpack to; more is treated as damaged."""

R = TypeVar("R", bound=Record)


def concerns_archives(event: Event) -> bool:
    """Say whether an event may put an archive out of date."""
    return isinstance(event, HeadMoved)


@dataclass(frozen=True, slots=True)
class SceneLog:
    """Everything that the log holds of a scene."""

    scene: Scene
    turns: tuple[Turn, ...] = ()
    head_moves: tuple[HeadMove, ...] = ()
    notes: tuple[Note, ...] = ()
    resolutions: tuple[Resolution, ...] = ()
    decision_marks: tuple[DecisionMark, ...] = ()
    summaries: tuple[Summary, ...] = ()
    transitions: tuple[Transition, ...] = ()
    """The moves of the scene's loop, then of its exchanges; archives of earlier versions have none."""
    proposal_ids: tuple[Id, ...] = ()
    """In the order they were made."""


async def read_scene_log(log: LogReader, scene_id: Id) -> SceneLog:
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
        await _read_transitions(log, scene_id, turns),
        tuple(p.id for p in await log.proposals(ProposalQuery(scene_id=scene_id))),
    )


async def _read_transitions(log: LogReader, scene_id: Id, turns: Sequence[Turn]) -> tuple[Transition, ...]:
    """Return the moves of the scene's loop, then those of its exchanges."""
    scene_moves = await log.transitions(loop=Loop.SCENE, subject_id=scene_id, limit=MAX_TRANSITIONS)
    # A run of an exchange is named by its first turn.
    run_states = await log.loop_states(Loop.TURN, [turn.id for turn in turns]) if turns else {}
    exchange_moves = [
        move
        for turn in turns
        if turn.id in run_states
        for move in await log.transitions(loop=Loop.TURN, subject_id=turn.id, limit=MAX_TRANSITIONS)
    ]
    return (*scene_moves, *exchange_moves)


def pack_log(scene_log: SceneLog) -> bytes:
    """Return a log as gzipped JSON lines; equal logs give equal bytes."""
    header = {"format": ARCHIVE_FORMAT, "version": ARCHIVE_VERSION, "turns": len(scene_log.turns)}
    json_lines = [
        json.dumps(header),
        *(json.dumps({"kind": kind, "record": body}) for kind, body in _record_lines(scene_log)),
    ]
    return gzip.compress("\n".join(json_lines).encode(), mtime=0)


def unpack_log(data: bytes) -> SceneLog:
    """Return the log that was packed. Raises ArchiveError if the data is damaged or no scene archive."""
    try:
        header, *lines = [json.loads(line) for line in _decompress(data).decode().splitlines()]
        if header.get("format") != ARCHIVE_FORMAT or header.get("version") != ARCHIVE_VERSION:
            raise ValueError("another format")
        record_rows = [(line["kind"], line["record"]) for line in lines]
        (scene,) = _read_records(record_rows, "scene", Scene)
        scene_log = SceneLog(
            scene,
            _read_records(record_rows, "turn", Turn),
            _read_records(record_rows, "move", HeadMove),
            _read_records(record_rows, "note", Note),
            _read_records(record_rows, "resolution", Resolution),
            _read_records(record_rows, "decision", DecisionMark),
            _read_records(record_rows, "summary", Summary),
            _read_records(record_rows, "transition", Transition),
            tuple(str(body) for kind, body in record_rows if kind == "proposal"),
        )
        if len(scene_log.turns) != header["turns"]:
            raise ValueError("turns are missing")
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        EOFError,
        OSError,
        zlib.error,
    ) as error:
        raise ArchiveError(
            "That archived log cannot be read.",
            kept="The log itself is unchanged in the library.",
            todo="monitor archive with the story's name archives it again.",
        ) from error
    return scene_log


@dataclass(frozen=True, slots=True)
class SceneArchive:
    """Archives scenes and reads the archives back."""

    log: LogReader
    writer: ArchivedLogWriter
    objects: ObjectStore
    clock: Clock

    async def archive_scene(self, scene_id: Id) -> ArchivedLog:
        """Archive a scene's log as it stands and verify it; an unchanged archive is not written again.

        Raises NotFound, StoreError; ArchiveError if what is read back differs.
        """
        previous_archive = await self.find_archived(scene_id)
        scene_log = await read_scene_log(self.log, scene_id)
        if (
            previous_archive is not None
            and previous_archive.head == scene_log.scene.head
            and await self._is_intact(previous_archive)
        ):
            return previous_archive
        key = await self.objects.put(ARCHIVE_BUCKET, pack_log(scene_log))
        if await self._fetch_log(key) != scene_log:
            raise ArchiveError("The archive does not match the log.", kept="The log is unchanged.")
        archived_log = ArchivedLog(
            id=derive_id("archived", scene_id),
            scene_id=scene_id,
            story_id=scene_log.scene.story_id,
            universe_id=scene_log.scene.universe_id,
            object_key=key,
            turns=len(scene_log.turns),
            head=scene_log.scene.head,
            archived_at=self.clock(),
        )
        await self.writer.mark_archived(archived_log)
        return archived_log

    async def read_archived(self, scene_id: Id) -> SceneLog:
        """Return a scene's log from its archive. Raises NotFound; ArchiveError if it is damaged."""
        archived_log = await self.find_archived(scene_id)
        if archived_log is None:
            raise NotFound(
                "That scene is not archived.",
                kept="Its log is in the library.",
                todo="monitor archive with the story's name archives it.",
            )
        return await self._fetch_log(archived_log.object_key)

    async def find_archived(self, scene_id: Id) -> ArchivedLog | None:
        """Return the record of a scene's archive, if there is one."""
        scene = await self.log.scene(scene_id)
        archived_logs = await self.log.archived_logs(universe_id=scene.universe_id)
        return next(
            (archived_log for archived_log in reversed(archived_logs) if archived_log.scene_id == scene_id),
            None,
        )

    async def _fetch_log(self, key: str) -> SceneLog:
        data = await self.objects.get(ARCHIVE_BUCKET, key)
        if hashlib.sha256(data).hexdigest() != key.removeprefix("sha256:"):
            raise ArchiveError(
                "That archived log is damaged: its checksum does not match.",
                kept="The log itself is unchanged in the library.",
                todo="monitor archive with the story's name archives it again.",
            )
        return unpack_log(data)

    async def _is_intact(self, archived_log: ArchivedLog) -> bool:
        """Say whether the archive is still in the object store: a library that was moved may have lost it."""
        try:
            return len((await self._fetch_log(archived_log.object_key)).turns) == archived_log.turns
        except StoreUnavailable:
            raise  # the object store cannot be read now: try later
        except (ArchiveError, StoreError):
            return False


@dataclass(frozen=True, slots=True)
class ArchiveWorker:
    """Archives old scenes in the background, and archived ones that changed.

    See `agents.jobs.followed_scenes.SceneWorker`.
    """

    kind = JobKind.ARCHIVE
    queue = PLAIN_QUEUE
    priority = 0
    version = ARCHIVE_VERSION

    log: LogReader
    archive: SceneArchive
    clock: Clock

    async def find_due(self, scenes: Sequence[Scene]) -> DueScenes:
        """Return the archived scenes that were played on, and the old ones that are not archived."""
        if not scenes:
            return DueScenes([])
        archived_by_scene = {each.scene_id: each for each in await self.log.archived_logs()}
        head_turns = await self.log.turns([scene.head for scene in scenes if scene.head])
        due_subjects: list[JobSubject] = []
        later_dates: list[datetime] = []
        for scene in scenes:
            head = head_turns.get(scene.head) if scene.head else None
            if head is None:
                continue
            archived_log = archived_by_scene.get(scene.id)
            if archived_log is not None and archived_log.head == head.id:
                continue
            due = head.created_at + (ARCHIVE_AFTER if archived_log is None else ARCHIVE_AGAIN_AFTER)
            if due <= self.clock():
                due_subjects.append(JobSubject(scene.id, scene.universe_id))
            else:
                later_dates.append(due)
        return DueScenes(due_subjects, min(later_dates, default=None))

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        """Archive a scene again at once if its line changed; one that is only played on, some time after."""
        match event:
            case HeadMoved(scene_id=scene_id) if await self.archive.find_archived(scene_id) is not None:
                scene = await self.log.scene(scene_id)
                return [JobSubject(scene_id, scene.universe_id)]
            case _:
                return []

    async def reconcile(self, subject_id: Id) -> int:
        try:
            await self.archive.archive_scene(subject_id)
        except NotFound:
            return 0
        return 0


def _record_lines(scene_log: SceneLog) -> list[tuple[str, Any]]:
    records_by_kind: Sequence[tuple[str, Sequence[Record]]] = (
        ("scene", (scene_log.scene,)),
        ("turn", scene_log.turns),
        ("move", scene_log.head_moves),
        ("note", scene_log.notes),
        ("resolution", scene_log.resolutions),
        ("decision", scene_log.decision_marks),
        ("summary", scene_log.summaries),
        ("transition", scene_log.transitions),
    )
    records = [
        (kind, record.model_dump(mode="json")) for kind, records in records_by_kind for record in records
    ]
    return [*records, *(("proposal", proposal_id) for proposal_id in scene_log.proposal_ids)]


def _read_records(rows: Sequence[tuple[str, Any]], kind: str, record: type[R]) -> tuple[R, ...]:
    try:
        return tuple(record.model_validate(body) for row_kind, body in rows if row_kind == kind)
    except ValidationError as error:
        raise ValueError(str(error)) from error


def _decompress(data: bytes) -> bytes:
    decompressor = zlib.decompressobj(wbits=31)
    unpacked_bytes = decompressor.decompress(data, MAX_UNPACKED_BYTES)
    if not decompressor.eof:
        raise ValueError("it is cut off, or too large")
    return unpacked_bytes
