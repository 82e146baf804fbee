"""Drives headless Chromium over its DevTools protocol, for tests of pages; there need be none on the machine."""

# ruff: noqa: ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

import asyncio
import base64
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp

CHROMIUM: Final = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
NO_CHROMIUM: Final = "needs Chromium: apt-get install chromium"

_SPECIAL_KEYS: Final = {"Enter": ("\r", 13)}
"""What keys with a name type, and their numbers."""


class Page:
    """One window of the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0

    async def command(self, method: str, **params: Any) -> Any:
        """Send a command and return its result; events that come meanwhile are passed over."""
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        while True:
            message = await self._socket.receive_json(timeout=60)
            if message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    async def open(self, address: str) -> None:
        await self.command("Page.enable")
        # Without a screen no window has the focus, and keys go nowhere.
        await self.command("Emulation.setFocusEmulationEnabled", enabled=True)
        await self.command("Page.navigate", url=address)

    async def evaluate(self, expression: str) -> Any:
        result = await self.command("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def wait_for(self, expression: str, seconds: float = 60) -> Any:
        """Return what an expression says once that is anything but empty."""
        async with asyncio.timeout(seconds):
            while not (value := await self.evaluate(expression)):  # noqa: ASYNC110 - the page tells nothing
                await asyncio.sleep(0.1)
            return value

    async def press(self, key: str) -> None:
        """Press a key; a letter is typed."""
        if key not in _SPECIAL_KEYS:
            await self.command("Input.dispatchKeyEvent", type="char", text=key)
            return
        text, code = _SPECIAL_KEYS[key]
        await self.command(
            "Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text=text
        )
        await self.command("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def save_picture(self, file: Path) -> None:
        picture = await self.command("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(picture["data"]))


@asynccontextmanager
async def browsing(folder: Path, *, width: int = 1200, height: int = 760) -> AsyncIterator[Page]:
    """Start the browser with an empty profile in the folder, and end it."""
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        f"--window-size={width},{height}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        port_file = folder / "DevToolsActivePort"
        async with asyncio.timeout(60):
            while not (port_file.exists() and port_file.read_text()):  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.1)
        port = port_file.read_text().split()[0]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                targets = await answer.json()
            address = next(t["webSocketDebuggerUrl"] for t in targets if t["type"] == "page")
            async with session.ws_connect(address, max_msg_size=0) as socket:
                yield Page(socket)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
