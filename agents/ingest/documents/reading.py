"""Reads documents in a process of their own, with bounds on memory and time. Raises InputError."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from agents.child_processes import build_child_environment, end_child, kill_child
from agents.ingest.documents.document import Document, Page
from agents.ingest.documents.errors import damaged_picture_error, unreadable_document_error
from agents.ingest.documents.formats import MediaType, media_type_of_name
from agents.ingest.documents.limits import DEFAULT_LIMITS, MEGABYTE, ReadingLimits
from agents.ingest.documents.reading_pipe import (
    DONE_TAG,
    ERROR_TAG,
    FRAME_HEADER,
    PAGES_TAG,
    PICTURE_TAG,
    DocumentSummary,
    PageBatch,
    ReadingRequest,
    decode_error,
    decode_pages,
    decode_summary,
    encode_request,
    unpack_length,
)
from stores.errors import InputError

END_SECONDS: Final = 2.0
"""How long a child that has said everything may take to end."""

OnBatch = Callable[[PageBatch], Awaitable[None]]
"""Takes pages as they were read; the next are read while it works, and wait until it is done."""

_Frame = tuple[bytes, bytes]
"""Tag and data."""


class DocumentReader:
    """Reads documents, each in a child process that ends with it. Cancelling a call ends its process."""

    def __init__(self, limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits

    async def read_in_batches(
        self,
        source: Path | bytes,
        name: str,
        on_batch: OnBatch,
        *,
        sample_pages: int = 0,
        allows_pictures: bool = False,
    ) -> DocumentSummary:
        """Read a file or its bytes and hand over its pages; return title and notes.

        The first batch comes at once and is empty: it says how many pages there are. `name` is the file's
        name, for its format and its title. With `allows_pictures`, pages that are pictures are no fault of it.
        """
        summary: DocumentSummary | None = None
        page_count = 0

        async def on_frame(tag: bytes, data: bytes) -> None:
            nonlocal summary, page_count
            if tag == PAGES_TAG:
                batch = decode_pages(data)
                await on_batch(batch)
                page_count += len(batch.pages)
            elif tag == DONE_TAG:
                summary = decode_summary(data)

        request = replace(
            self._request(source, name), sample_pages=sample_pages, allows_pictures=allows_pictures
        )
        try:
            await self._run(source, request, on_frame)
        except _ReaderEnded:
            if media_type_of_name(name) is not MediaType.PDF:
                raise
            # The library that finds columns and tables crashes on some damaged files; the other does not.
            await self._run(source, replace(request, skipped_pages=page_count, is_plain=True), on_frame)
        assert summary is not None
        return summary

    async def read(self, source: Path | bytes, name: str, *, sample_pages: int = 0) -> Document:
        """Read a document, or some pages spread over it, into memory."""
        pages: list[Page] = []

        async def keep(batch: PageBatch) -> None:
            pages.extend(batch.pages)

        summary = await self.read_in_batches(source, name, keep, sample_pages=sample_pages)
        return Document(summary.title, summary.media_type, tuple(pages), summary.notes)

    async def render_page(
        self, source: Path | bytes, name: str, number: int, width: int, max_height: int = 0
    ) -> bytes:
        """Return a page of a PDF as a picture (PNG), `width` pixels wide unless that is too high (0: no matter).

        `number` is from 1.
        """
        request = replace(
            self._request(source, name),
            picture_page=number,
            picture_width=width,
            picture_height=max_height,
        )
        return await self._draw(source, request)

    async def shrink_picture(self, data: bytes, max_width: int, max_height: int) -> bytes:
        """Return a picture (PNG or JPEG) as PNG that fits into so many pixels; the whole file is read for it."""
        request = replace(
            self._request(data, "picture"),
            is_picture=True,
            picture_width=max_width,
            picture_height=max_height,
        )
        try:
            return await self._draw(data, request)
        except _ReaderEnded:
            raise damaged_picture_error() from None

    async def _draw(self, source: Path | bytes, request: ReadingRequest) -> bytes:
        picture = b""

        async def on_frame(tag: bytes, data: bytes) -> None:
            nonlocal picture
            if tag == PICTURE_TAG:
                picture = data

        await self._run(source, request, on_frame)
        return picture

    def _request(self, source: Path | bytes, name: str) -> ReadingRequest:
        path = str(source.absolute()) if isinstance(source, Path) else ""
        return ReadingRequest(name, path, self._limits)

    async def _run(
        self,
        source: Path | bytes,
        request: ReadingRequest,
        on_frame: Callable[[bytes, bytes], Awaitable[None]],
    ) -> None:
        process = await _start_process()
        try:
            # Sent by a task: the child may write its refusal before it has taken everything.
            sending = asyncio.create_task(
                _send(process, encode_request(request), b"" if isinstance(source, Path) else source)
            )
            try:
                await self._receive(process, on_frame)
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
            await end_child(process, seconds=END_SECONDS)
        finally:
            await kill_child(process)

    async def _receive(
        self, process: asyncio.subprocess.Process, on_frame: Callable[[bytes, bytes], Awaitable[None]]
    ) -> None:
        """Hand over frames until the last. Raises InputError if the child says so, is silent or ends before."""
        while True:
            try:
                async with asyncio.timeout(self._limits.silent_seconds):
                    tag, data = await _read_frame(process)
            except TimeoutError as error:
                raise self._time_error() from error
            except (EOFError, OSError, ValueError) as error:
                raise self._end_error(await process.wait()) from error
            if tag == ERROR_TAG:
                raise decode_error(data)
            await on_frame(tag, data)
            if tag != PAGES_TAG:
                return

    def _time_error(self) -> _ReaderEnded:
        return _ReaderEnded(
            f"This document cannot be read: a page took longer than {self._limits.silent_seconds:,.0f} seconds, "
            "and its reader was ended."
        )

    def _end_error(self, return_code: int) -> _ReaderEnded:
        if sys.platform != "win32" and return_code == -signal.SIGXCPU:
            return self._time_error()
        return _ReaderEnded(
            "This document cannot be read: its reader ended in the middle; it is damaged, or takes more than "
            f"{self._limits.memory_bytes / MEGABYTE / 1_000:,.0f} GB of memory."
        )


class _ReaderEnded(InputError):
    """The reading process ended, or was ended, before it had read everything."""

    def __init__(self, what: str) -> None:
        super().__init__(
            what,
            kept="Nothing of it was taken in.",
            todo="Save it again with the program that made it, or cut it into several documents.",
        )


async def _start_process() -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            # -P: not from the current folder, see agents.llm.child_client.
            *("-P", "-m", "agents.ingest.documents.child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=build_child_environment({"RAYON_NUM_THREADS": "1"}),
            start_new_session=True,
        )
    except OSError as error:
        raise unreadable_document_error(
            "the process that reads documents could not be started",
            "Close other programs; `monitor doctor` says what is installed",
        ) from error


async def _send(process: asyncio.subprocess.Process, header: bytes, data: bytes) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(header)
        for start in range(0, len(data), 1_000_000):
            process.stdin.write(data[start : start + 1_000_000])
            await process.stdin.drain()
        process.stdin.close()


async def _read_frame(process: asyncio.subprocess.Process) -> _Frame:
    assert process.stdout is not None
    length = unpack_length(await process.stdout.readexactly(FRAME_HEADER.size))
    tagged = await process.stdout.readexactly(length)
    return tagged[:1], tagged[1:]
