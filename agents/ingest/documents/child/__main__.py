"""Starts the child process: takes bounds on itself, reads one document, writes its pages and ends."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from agents.child_processes import claim_stdout, lower_own_priority, write_all
from agents.ingest.documents.document import Page
from agents.ingest.documents.errors import damaged_picture_error, unreadable_document_error
from agents.ingest.documents.limits import MEGABYTE, ReadingLimits
from agents.ingest.documents.reading_pipe import (
    PICTURE_TAG,
    ReadingRequest,
    decode_request,
    encode_error,
    encode_pages,
    encode_summary,
    pack_frame,
)
from stores.errors import InputError

BATCH_PAGES: Final = 16
BATCH_CHARACTERS: Final = 200_000
BATCH_SECONDS: Final = 0.5
"""A batch of pages is sent when it reaches one of these."""

RECURSION: Final = 10_000
"""Python calls inside each other; nested elements take a few each, up to the limit of nesting."""


def main() -> None:
    # Ctrl+C is handled by the screen; this process is ended by its parent, or by its limits.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = claim_stdout()
    request = decode_request(sys.stdin.buffer.readline())
    if not (
        request.is_picture or request.picture_page
    ):  # somebody looks at the place where a picture is to be
        lower_own_priority()
    _bound_this_process(request.limits)
    sys.setrecursionlimit(RECURSION)
    with suppress(BrokenPipeError):
        try:
            _answer(request, out)
        except InputError as error:
            write_all(out, encode_error(error))
        except MemoryError:
            write_all(out, encode_error(_memory_error(request.limits)))
        except BrokenPipeError:
            raise
        except Exception:  # noqa: BLE001 - whatever a hostile document does to a library is reported as damage
            write_all(out, encode_error(damaged_picture_error() if request.is_picture else _damage_error()))
    os._exit(0)  # end without waiting for the threads of libraries


def _answer(request: ReadingRequest, out: Any) -> None:
    # The libraries are loaded under the bounds, too, and only those that are used.
    data = _read_bytes(request, sys.stdin.buffer)
    if request.is_picture:
        from agents.ingest.documents.child.small_pictures import shrink_picture

        picture = shrink_picture(data, request.picture_width, request.picture_height)
        write_all(out, pack_frame(PICTURE_TAG, picture))
        return
    if request.picture_page:
        from agents.ingest.documents.child.page_pictures import render_page

        picture = render_page(data, request.picture_page, request.picture_width, request.picture_height)
        write_all(out, pack_frame(PICTURE_TAG, picture))
        return
    from agents.ingest.documents.child.reading import DocumentPages

    document = DocumentPages(data, request.name, request.limits, is_plain=request.is_plain)
    batch: list[Page] = []
    write_all(out, encode_pages(batch, document.page_count))
    sent_at = time.monotonic()
    for page in document.read(request.sample_pages, request.skipped_pages):
        batch.append(page)
        is_full = len(batch) >= BATCH_PAGES or sum(len(one.text) for one in batch) >= BATCH_CHARACTERS
        if is_full or time.monotonic() - sent_at >= BATCH_SECONDS:
            write_all(out, encode_pages(batch, document.page_count))
            batch.clear()
            sent_at = time.monotonic()
    summary = document.summarize(allows_pictures=request.allows_pictures)
    write_all(out, encode_pages(batch, document.page_count))
    write_all(out, encode_summary(summary))


def _read_bytes(request: ReadingRequest, inlet: BinaryIO) -> bytes:
    """Return the document; one byte more than allowed is enough to refuse it. Raises InputError."""
    most = request.limits.file_bytes + 1
    if not request.path:
        return inlet.read(most)
    try:
        with Path(request.path).open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise unreadable_document_error(
            f"{(error.strerror or 'it cannot be opened').lower()}", "Check its path and who may read it"
        ) from error


def _bound_this_process(limits: ReadingLimits) -> None:
    if sys.platform == "win32":
        return
    import resource

    # Some systems (macOS) do not know a bound on the address space; time is bounded by the parent too.
    for kind, most in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, limits.processor_seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def _damage_error() -> InputError:
    return unreadable_document_error(
        "it is damaged", "Get it anew, or save it again with the program that made it"
    )


def _memory_error(limits: ReadingLimits) -> InputError:
    return unreadable_document_error(
        f"it takes more than {limits.memory_bytes / MEGABYTE / 1_000:,.0f} GB of memory",
        "Cut it into several documents",
    )


if __name__ == "__main__":
    main()
