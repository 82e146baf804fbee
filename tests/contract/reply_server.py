"""A server on loopback that answers every request with the same bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def saying(
    reply: bytes, heard: Callable[[asyncio.StreamReader], Awaitable[bytes]]
) -> AsyncIterator[str]:
    """Give its address; it answers once it has `heard` somebody. No connection outlives it: the next test
    would be blamed for its socket."""
    answering: set[asyncio.Task[None]] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (task := asyncio.current_task()) is not None:
            answering.add(task)
        try:
            await heard(reader)
            writer.write(reply)
            await writer.drain()
        finally:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        try:
            yield f"{host}:{port}"
        finally:
            for task in answering:
                task.cancel()
            await asyncio.gather(*answering, return_exceptions=True)
