"""Serves the program to a browser: the page, what it needs, and the connection that its keys and pictures take.

One library has one writer, so one window at a time is served. The program itself runs as a process of its own, which
textual-serve speaks to.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

import textual_serve
from aiohttp import ClientConnectionError, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from monitor_tui.browser_server.visits import (
    ACCESS_COOKIE,
    TOKEN_FIELD,
    VISIT_COOKIE,
    Door,
    comes_from_own_page,
)

MAX_CELLS: Final = 1_000
"""Columns and rows of a window."""
MAX_MESSAGE_BYTES: Final = 1024 * 1024
"""Of one message of a browser: a long paste."""
RELOAD_SECONDS: Final = 10.0
"""How long a window that is opened anew waits until the one before it, of the same browser, has closed."""
CLOSE_SECONDS: Final = 30.0
"""How long the program may take to close before it is ended: all that was played is on the disk by then."""

WRONG_NAME: Final = "MONITOR is not served under this name. Open it as http://127.0.0.1 or http://localhost."
NO_TOKEN: Final = "This needs the token. Open the whole address that monitor serve has printed."
IN_USE: Final = (
    "MONITOR is open in another browser: one window at a time is served. Close it there, then reload this."
)
FOREIGN_PAGE: Final = "Only MONITOR's own page may connect."

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}

log = logging.getLogger("monitor.serve")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class BrowserServer:
    """Serves one window at a time. `command` is the line of the shell that starts the program."""

    def __init__(self, command: str, door: Door) -> None:
        self._command = command
        self._door = door
        self._window: asyncio.Lock = asyncio.Lock()
        self._visit = ""
        """The browser that has the window; empty: none has."""
        self._websockets: set[web.WebSocketResponse] = set()

    def build(self) -> web.Application:
        """Return the application, in which nothing is served before the visitor is checked."""
        application = web.Application(middlewares=[self._check_visitor], client_max_size=MAX_MESSAGE_BYTES)
        statics = Path(textual_serve.__file__).parent / "static"
        application.add_routes(
            [
                web.get("/", self._serve_page),
                web.get("/page.js", _serve_script),
                web.get("/ws", self._serve_window),
                web.static("/static", statics),
            ]
        )
        application.on_response_prepare.append(_add_headers)
        application.on_shutdown.append(self._close_windows)
        return application

    # --- who comes in --------------------------------------------------------------------------------

    @web.middleware
    async def _check_visitor(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not self._door.admits_host(request.host):
            return _notice(WRONG_NAME, 403)
        if TOKEN_FIELD in request.query and self._door.admits_token(request.query[TOKEN_FIELD]):
            # The token leaves the address, so that it stands in no history and is passed on to nobody.
            moved = web.Response(status=303, headers={"Location": "/"})
            _set_cookie(moved, request, ACCESS_COOKIE, self._door.access)
            return moved
        if not self._door.admits_cookie(request.cookies.get(ACCESS_COOKIE, "")):
            return _notice(NO_TOKEN, 401)
        return await handler(request)

    async def _serve_page(self, request: web.Request) -> web.Response:
        visit = request.cookies.get(VISIT_COOKIE, "")
        if self._visit and visit != self._visit:
            return _notice(IN_USE, 503)
        scheme = "wss" if request.headers.get("X-Forwarded-Proto", request.scheme) == "https" else "ws"
        text = Template(_read_file("page.html")).substitute(
            websocket_url=escape(f"{scheme}://{request.host}/ws")
        )
        response = web.Response(text=text, content_type="text/html")
        if not visit:
            _set_cookie(response, request, VISIT_COOKIE, secrets.token_urlsafe(16))
        return response

    # --- the window ----------------------------------------------------------------------------------

    async def _serve_window(self, request: web.Request) -> web.StreamResponse:
        if not comes_from_own_page(request.headers.get("Origin", ""), request.host):
            return _notice(FOREIGN_PAGE, 403)
        visit = request.cookies.get(VISIT_COOKIE, "")
        if not visit or (self._visit and visit != self._visit):
            return _notice(IN_USE, 503)
        try:
            await asyncio.wait_for(self._window.acquire(), RELOAD_SECONDS)
        except TimeoutError:
            return _notice(IN_USE, 503)
        self._visit = visit
        try:
            return await self._run_program(request)
        finally:
            self._visit = ""
            self._window.release()

    async def _run_program(self, request: web.Request) -> web.WebSocketResponse:
        websocket = web.WebSocketResponse(heartbeat=15, max_msg_size=MAX_MESSAGE_BYTES)
        await websocket.prepare(request)
        program = AppService(
            self._command,
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=_close_quietly(websocket),
            download_manager=DownloadManager(),
        )
        self._websockets.add(websocket)
        try:
            await program.start(
                _read_cells(request.query.get("width"), 80), _read_cells(request.query.get("height"), 24)
            )
            await _pass_on(websocket, program)
        finally:
            self._websockets.discard(websocket)
            await _stop(program)
        return websocket

    async def _close_windows(self, application: web.Application) -> None:
        for websocket in list(self._websockets):
            await websocket.close()


async def serve(server: BrowserServer, address: str, port: int, announce: Callable[[int], None]) -> None:
    """Serve until this is cancelled; `announce` is called with the port once visitors may come. Raises OSError."""
    runner = web.AppRunner(server.build(), access_log=None, shutdown_timeout=CLOSE_SECONDS)
    await runner.setup()
    try:
        site = web.TCPSite(runner, address, port)
        await site.start()
        (bound_port, *_) = [int(name[1]) for name in runner.addresses]
        announce(bound_port)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


async def _pass_on(websocket: web.WebSocketResponse, program: AppService) -> None:
    """Pass on what the browser sends until it closes; what is no message of its page is left out."""
    async for message in websocket:
        if message.type is not WSMsgType.TEXT:
            continue
        with suppress(ValueError, RecursionError):
            await _pass_on_message(message.json(), websocket, program)


async def _pass_on_message(envelope: object, websocket: web.WebSocketResponse, program: AppService) -> None:
    match envelope:
        case ["stdin", str() as keys]:
            await program.send_bytes(keys.encode("utf-8", errors="replace"))
        case ["resize", {"width": int() as width, "height": int() as height}]:
            await program.set_terminal_size(_bound_cells(width), _bound_cells(height))
        case ["ping", str() | int() | float() as data]:
            await websocket.send_json(["pong", data])
        case ["blur", *_]:
            await program.blur()
        case ["focus", *_]:
            await program.focus()
        case _:
            log.info("a browser sent what its page does not send")


async def _stop(program: AppService) -> None:
    """Close the program as leaving it does, and end it if it does not; return once its library is free again."""
    process = program._process  # textual-serve waits for what it writes alone
    if process is None:
        return
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await program.stop()
            program.stdin.close()
            await process.wait()
    except TimeoutError:
        log.warning("the program did not close and is ended")
        process.kill()
        await process.wait()


def _close_quietly(websocket: web.WebSocketResponse) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        with suppress(ClientConnectionError):
            await websocket.close()

    return close


def _read_cells(text: str | None, default: int) -> int:
    return (
        _bound_cells(int(text)) if text and text.isascii() and text.isdigit() and len(text) < 6 else default
    )


def _bound_cells(count: int) -> int:
    return max(1, min(count, MAX_CELLS))


def _set_cookie(response: web.StreamResponse, request: web.Request, name: str, value: str) -> None:
    response.set_cookie(name, value, httponly=True, samesite="Lax", secure=request.secure, path="/")


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)


async def _serve_script(request: web.Request) -> web.Response:
    return web.Response(text=_read_file("page.js"), content_type="text/javascript")


def _notice(text: str, status: int) -> web.Response:
    page = Template(_read_file("notice.html")).substitute(text=escape(text))
    return web.Response(text=page, status=status, content_type="text/html")


def _read_file(name: str) -> str:
    return (files("monitor_tui.browser_server") / name).read_text(encoding="utf-8")


def join_command(arguments: Sequence[str]) -> str:
    """Return one line for the shell of this system."""
    import shlex
    import subprocess
    import sys

    return subprocess.list2cmdline(arguments) if sys.platform == "win32" else shlex.join(arguments)
