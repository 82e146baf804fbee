"""Encodes what goes between the program and its workers on other machines.

A message is a line of JSON behind its signature (HMAC-SHA256) with the worker's own key, which the program derives too:
what carries messages need not be trusted, and what is not signed by the worker that it names is dropped. Bodies are
read as the records that they name, never unpickled: a worker is trusted with its own work, and not with the program.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import TypeAdapter, ValidationError

from agents.events import Event
from agents.jobs.worker_pipe import (
    Done,
    EmbedTexts,
    Failure,
    MarkArchived,
    MarkVectorsComplete,
    Postponed,
    PublishEvent,
    PutMemories,
    PutPages,
    PutSnippets,
    PutSource,
    PutSummaries,
    StageSnippets,
    TextEmbeddings,
    WorkAnswer,
    WriteCursor,
    WriteRequest,
)
from stores import errors
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.jobs import JobKind


@dataclass(frozen=True, slots=True)
class DoPiece:
    """Asks for a piece of work on a subject."""

    kind: JobKind
    subject_id: Id
    events: tuple[Event, ...] = ()
    """What was published of the subject since it was last done: the worker takes note of it first."""


@dataclass(frozen=True, slots=True)
class RenewLease:
    """Says which pieces the program still waits for: any other is given up."""

    pieces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Says that a worker is there, and what it works on."""

    version: str
    """Of the program: messages and stored records are of one version."""
    slots: int
    """How many pieces it does at a time."""
    skills: frozenset[str]
    """The kinds of work that it can do; see `agents.jobs.worker_pool.WorkerPool`."""
    pieces: tuple[int, ...] = ()
    """What it works on."""
    is_leaving: bool = False
    """It ends: what it works on is given back."""


ToWorker = DoPiece | RenewLease | Done | TextEmbeddings | Failure
FromWorker = Heartbeat | WorkAnswer | Postponed | Failure | WriteRequest

_EVENT_TYPES: Final[Mapping[str, type[Any]]] = {
    event_type.__name__: event_type for event_type in get_args(Event)
}
_TYPES: Final[Mapping[str, type[Any]]] = {
    message_type.__name__: message_type
    for message_type in (
        *(DoPiece, RenewLease, Heartbeat, Done, TextEmbeddings, WorkAnswer, Postponed, Failure),
        *(PutMemories, PutSummaries, MarkArchived, PutSource, PutPages, PutSnippets, StageSnippets),
        *(WriteCursor, PublishEvent, EmbedTexts, MarkVectorsComplete),
    )
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message, and between whom it goes."""

    worker: str
    """The worker's name."""
    life: str
    """One run of the worker: what was meant for an earlier one is dropped."""
    number: int
    """What is asked has a number of whoever asks, from 1; an answer has the number of what was asked."""
    piece: int
    """The piece of work that a write or an embedding belongs to; 0: none."""
    message: ToWorker | FromWorker


def seal(envelope: Envelope, key: str) -> str:
    """Return the signed text of a message."""
    message_type = type(envelope.message)
    text = json.dumps(
        {
            "worker": envelope.worker,
            "life": envelope.life,
            "number": envelope.number,
            "piece": envelope.piece,
            "type": message_type.__name__,
            "body": _encode(envelope.message, message_type),
        }
    )
    return _sign(text, key) + text


def unseal(sealed_text: str, find_key: Callable[[str], str]) -> Envelope:
    """Read a message. Raises ValueError if it is damaged, or not signed by the worker that it names."""
    signature, text = sealed_text[:_SIGNATURE_LENGTH], sealed_text[_SIGNATURE_LENGTH:]
    try:
        fields = json.loads(text)
        worker, life = str(fields["worker"]), str(fields["life"])
        if not hmac.compare_digest(_sign(text, find_key(worker)), signature):
            raise ValueError("it is not signed by the worker that it names")
        message = _decode(fields["body"], _TYPES[fields["type"]])
        return Envelope(worker, life, int(fields["number"]), int(fields["piece"]), message)
    except (KeyError, TypeError, ValidationError) as error:
        raise ValueError("it is no message of this version") from error


def _encode(message: ToWorker | FromWorker, message_type: type[Any]) -> Any:
    match message:
        case Failure(what, kept, todo, traceback, error_type):
            words = {"what": what, "kept": kept, "todo": todo, "traceback": traceback}
            return {**words, "error": error_type.__name__}
        case PublishEvent(event):
            return _encode_event(event)
        case DoPiece(kind, subject_id, events):
            return {"kind": kind, "subject": subject_id, "events": [_encode_event(event) for event in events]}
        case _:
            return _adapter(message_type).dump_python(message, mode="json")


def _decode(body: Any, message_type: type[Any]) -> Any:
    if message_type is Failure:
        error_type = getattr(errors, str(body["error"]), MonitorError)
        is_error = isinstance(error_type, type) and issubclass(error_type, MonitorError)
        words = {name: str(body[name]) for name in ("what", "kept", "todo", "traceback")}
        return Failure(**words, error_type=error_type if is_error else MonitorError)
    if message_type is PublishEvent:
        return PublishEvent(_decode_event(body))
    if message_type is DoPiece:
        events = tuple(_decode_event(event) for event in body["events"])
        return DoPiece(JobKind(body["kind"]), str(body["subject"]), events)
    return _adapter(message_type).validate_python(body)


def _encode_event(event: Event) -> Any:
    """Return the event with its type: several events have the same fields."""
    return [type(event).__name__, _adapter(type(event)).dump_python(event, mode="json")]


def _decode_event(body: Any) -> Event:
    type_name, fields = body
    event: Event = _adapter(_EVENT_TYPES[type_name]).validate_python(fields)
    return event


def _adapter(message_type: type[Any]) -> TypeAdapter[Any]:
    if message_type not in _ADAPTERS:
        _ADAPTERS[message_type] = TypeAdapter(message_type)
    return _ADAPTERS[message_type]


def _sign(text: str, key: str) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


_ADAPTERS: Final = dict[type[Any], TypeAdapter[Any]]()
"""Made when first used: each takes milliseconds."""
_SIGNATURE_LENGTH: Final = hashlib.sha256().digest_size * 2
