"""Requests in, answers out: any number at once, each a task that can be cancelled by its number."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any, BinaryIO

from agents.model.child import facts
from agents.model.child.answers import Alive, answer
from agents.model.child.embedding import embed
from agents.model.child.failures import failure
from agents.model.errors import ModelError
from agents.model.port import Ask, ToEmbed, Words
from agents.model.wire import (
    LONGEST_DOWN,
    PIECE,
    ask_in,
    embedded_out,
    error_out,
    facts_out,
    line,
    read,
    usage_out,
)
from agents.processes import write_all


class Service:
    """Serves `inlet` until it ends, which it does when MONITOR does, however it ended."""

    def __init__(self, inlet: BinaryIO, outlet: BinaryIO) -> None:
        self._inlet, self._outlet = inlet, outlet
        self._running: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        async for message in self._messages():
            match message:
                case {"op": "keys", "keys": keys}:
                    os.environ.update(keys)
                case {"op": "cancel", "id": number}:
                    if task := self._running.get(number):
                        task.cancel()
                case {"op": str(), "id": int(number)}:
                    task = asyncio.create_task(self._serve(number, message))
                    self._running[number] = task
                    task.add_done_callback(partial(self._ended, number))
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _ended(self, number: int, _: asyncio.Task[None]) -> None:
        self._running.pop(number, None)

    async def _serve(self, number: int, message: dict[str, Any]) -> None:
        try:
            match message["op"]:
                case "stream":
                    await self._stream(number, ask_in(message["ask"]))
                case "tokens":
                    value = await asyncio.to_thread(facts.tokens, message["model"], message["texts"])
                    self._say(number, value=value)
                case "facts":
                    self._say(number, value=facts_out(facts.facts(message["model"])))
                case "embed":
                    self._say(number, value=embedded_out(*await embed(ToEmbed(**message["what"]))))
                case unknown:
                    raise ModelError(f"The model's process does not know “{unknown}”.")
        except ModelError as error:
            self._say(number, error=error_out(error))
        except Exception as error:  # noqa: BLE001 - anything else is told as well; the next call may go well
            self._say(number, error=error_out(failure(error, str(message.get("model", "")))))

    async def _stream(self, number: int, ask: Ask) -> None:
        async with aclosing(answer(ask)) as parts:
            async for part in parts:
                if isinstance(part, Words):
                    for at in range(0, len(part.text), PIECE):
                        self._say(number, words=part.text[at : at + PIECE])
                elif isinstance(part, Alive):
                    self._say(number, alive=True)
                else:
                    self._say(number, usage=usage_out(part))

    def _say(self, number: int, **what: Any) -> None:
        write_all(self._outlet, line({"id": number, **what}))

    async def _messages(self) -> AsyncIterator[dict[str, Any]]:
        """Read lines in a thread: pipes cannot be awaited on every system."""
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes] = asyncio.Queue()

        def pump() -> None:
            while raw := self._inlet.readline(LONGEST_DOWN + 1):
                loop.call_soon_threadsafe(lines.put_nowait, raw)
            loop.call_soon_threadsafe(lines.put_nowait, b"")

        threading.Thread(target=pump, daemon=True).start()
        while raw := await lines.get():
            yield read(raw)
