"""`monitor serve`: the program in a browser, for whom it is meant, one window at a time."""

from __future__ import annotations

import asyncio
import hmac
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import WSServerHandshakeError
from aiohttp.test_utils import TestServer as AiohttpServer
from typer.testing import CliRunner

from monitor_tui import program_log
from monitor_tui.browser_server import server as browser_server
from monitor_tui.browser_server.server import BrowserServer, join_command
from monitor_tui.browser_server.visits import (
    ACCESS_COOKIE,
    TOKEN_VARIABLE,
    VISIT_COOKIE,
    Door,
    choose_token,
    comes_from_own_page,
)
from monitor_tui.cli.app import app
from stores.authority import Role
from stores.errors import InputError, LibraryInUse
from stores.open import open_stores, open_stores_beside
from stores.records.play import Turn
from tests.chromium import CHROMIUM, NO_CHROMIUM, Page, browsing

TOKEN = "correct-horse-battery"
PATHS = ("/", "/ws", "/page.js", "/static/js/textual.js", "/static/", "/nothing", "/?token=", "/?token=wrong")

PROGRAM = """
import json, os, sys
def send(kind, data):
    sys.stdout.buffer.write(kind + len(data).to_bytes(4, "big") + data)
    sys.stdout.buffer.flush()
sys.stdout.buffer.write(b"__GANGLION__\\n")
send(b"D", f"{os.environ['COLUMNS']}x{os.environ['ROWS']}".encode())
while head := sys.stdin.buffer.read(5):
    data = sys.stdin.buffer.read(int.from_bytes(head[1:], "big"))
    if head[:1] == b"M" and json.loads(data)["type"] == "quit":
        break
    send(b"D", b"got " + data)
"""
"""Speaks as Textual does in a browser, and says what it is sent."""


class Visitor:
    """A browser, with its own cookies."""

    def __init__(self, server: AiohttpServer, session: aiohttp.ClientSession) -> None:
        self._server = server
        self._session = session

    async def get(self, path: str, **headers: str) -> tuple[int, str]:
        async with self._session.get(self._server.make_url(path), headers=headers) as answer:
            return answer.status, await answer.text()

    async def response(self, path: str) -> aiohttp.ClientResponse:
        async with self._session.get(self._server.make_url(path), allow_redirects=False) as answer:
            await answer.read()
            return answer

    async def connect(self, query: str = "", origin: str | None = None) -> aiohttp.ClientWebSocketResponse:
        own = f"http://127.0.0.1:{self._server.port}"
        return await self._session.ws_connect(
            self._server.make_url(f"/ws{query}"), origin=own if origin is None else origin
        )


@asynccontextmanager
async def serving(token: str = "") -> AsyncIterator[AiohttpServer]:
    command = join_command([sys.executable, "-c", PROGRAM])
    server = AiohttpServer(BrowserServer(command, Door(token)).build())
    await server.start_server()
    try:
        yield server
    finally:
        await server.close()


@asynccontextmanager
async def visiting(server: AiohttpServer) -> AsyncIterator[Visitor]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield Visitor(server, session)


async def read(socket: aiohttp.ClientWebSocketResponse) -> str:
    return (await socket.receive_bytes(timeout=20)).decode()


# --- who may come in --------------------------------------------------------------------------------


async def test_serve_gives_nothing_without_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def note_comparison(given: bytes, expected: bytes) -> bool:
        compared.append((given, expected))
        return given == expected

    monkeypatch.setattr(hmac, "compare_digest", note_comparison)
    async with serving(TOKEN) as server, visiting(server) as visitor:
        for path in PATHS:
            status, text = await visitor.get(path)
            assert (status, "needs the token" in text) == (401, True), path
            assert TOKEN not in text
        assert (b"wrong", TOKEN.encode()) in compared, "in a time that tells nothing"
        status, _ = await visitor.get("/", Cookie=f"{ACCESS_COOKIE}={TOKEN}")
        assert status == 401, "the cookie is not the token"


async def test_serve_takes_the_token_once_and_then_a_cookie() -> None:
    async with serving(TOKEN) as server, visiting(server) as visitor:
        first = await visitor.response(f"/?token={TOKEN}")
        assert (first.status, first.headers["Location"]) == (303, "/")
        cookie = first.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert TOKEN not in cookie
        for path in ("/", "/page.js", "/static/js/textual.js"):
            assert (await visitor.get(path))[0] == 200
        assert (await visitor.get("/static/"))[0] == 403, "no list of files"
        async with await visitor.connect() as socket:
            assert await read(socket) == "80x24"
    async with serving(TOKEN) as server, visiting(server) as visitor:
        status, _ = await visitor.get("/", Cookie=cookie.partition(";")[0])
        assert status == 401, "a cookie ends with the server"


async def test_serve_without_a_token_is_only_for_names_of_this_machine() -> None:
    async with serving() as server, visiting(server) as visitor:
        for host, status in (
            ("evil.example", 403),
            ("127.0.0.1.evil.example", 403),
            ("[::1]:8377", 200),
            ("", 403),
            ("localhost", 200),
            (f"127.0.0.1:{server.port}", 200),
        ):
            assert (await visitor.get("/", Host=host))[0] == status, host


async def test_serve_page_asks_nobody_else_for_anything() -> None:
    async with serving() as server, visiting(server) as visitor:
        page = await visitor.response("/")
        text = await page.text()
        assert re.findall(r"\w+://[^\"]*", text) == [f"ws://127.0.0.1:{server.port}/ws"]
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert "<script>" not in text


async def test_serve_lets_only_its_own_page_connect() -> None:
    async with serving() as server, visiting(server) as visitor:
        await visitor.get("/")
        for origin in ("http://evil.example", "null", "", f"http://127.0.0.1:{server.port}.evil.example"):
            with pytest.raises(WSServerHandshakeError, match="403"):
                await visitor.connect(origin=origin)
    async with serving() as server, visiting(server) as visitor:
        with pytest.raises(WSServerHandshakeError, match="503"):
            await visitor.connect()  # without having loaded the page


@pytest.mark.parametrize(
    ("origin", "is_own"),
    [
        ("http://127.0.0.1:8377", True),
        ("https://127.0.0.1:8377", True),  # a proxy with HTTPS before it
        ("http://127.0.0.1:8378", False),
        ("http://localhost:8377", False),
        ("", False),
    ],
)
def test_serve_origin_is_compared_with_the_name_that_was_asked_for(origin: str, is_own: bool) -> None:
    assert comes_from_own_page(origin, "127.0.0.1:8377") is is_own


def test_serve_command_says_in_words_why_it_cannot_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It would take the log of this process over.
    monkeypatch.setattr(program_log, "start_log", lambda home, name: home / name)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        result = CliRunner().invoke(app, ["serve", "--home", str(tmp_path), "--port", port])
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == (
        f"127.0.0.1:{port} cannot be used: something else listens there. Nothing is served. "
        "Choose another: --port N, or --port 0 for any that is free."
    )


def test_serve_token_is_needed_for_every_address_but_this_machines_own() -> None:
    assert [choose_token(a, {}) for a in ("127.0.0.1", "::1", "localhost", "127.0.0.9")] == [""] * 4
    tokens = {choose_token(address, {}) for address in ("0.0.0.0", "::", "192.168.1.7")}
    assert len(tokens) == 3
    assert all(len(token) >= 32 for token in tokens)
    assert choose_token("127.0.0.1", {TOKEN_VARIABLE: TOKEN}) == TOKEN
    with pytest.raises(InputError, match="could be guessed"):
        choose_token("0.0.0.0", {TOKEN_VARIABLE: "12345"})
    with pytest.raises(InputError, match="no address of this machine"):
        choose_token("example.org", {})


# --- the window -------------------------------------------------------------------------------------


async def test_serve_passes_keys_on_and_leaves_out_what_is_no_message() -> None:
    async with serving() as server, visiting(server) as visitor:
        await visitor.get("/")
        async with await visitor.connect("?width=999999999&height=5") as socket:
            assert await read(socket) == "80x5"
            for junk in (
                "{",
                "[]",
                '["stdin", 3]',
                '["resize", {"width": "1"}]',
                '"x"',
                "[" * 90_000,
                '["nothing"]',
            ):
                await socket.send_str(junk)
            await socket.send_bytes(b"\x00")
            await socket.send_json(["stdin", "I wait. \ud800"])
            assert await read(socket) == "got I wait. ?"
            await socket.send_json(["resize", {"width": 10**9, "height": -4}])
            assert await read(socket) == 'got {"type": "resize", "width": 1000, "height": 1}'
            await socket.send_json(["ping", "now"])
            assert await socket.receive_json() == ["pong", "now"]


async def test_serve_shows_a_second_visitor_words_until_the_first_has_left() -> None:
    async with serving() as server, visiting(server) as first, visiting(server) as second:
        await first.get("/")
        assert (await second.get("/"))[0] == 200, "nobody plays yet"
        async with await first.connect() as socket:
            assert await read(socket) == "80x24"
            status, text = await second.get("/")
            assert (status, "MONITOR is open in another browser" in text) == (503, True)
            with pytest.raises(WSServerHandshakeError, match="503"):
                await second.connect()
            assert (await first.get("/"))[0] == 200, "loading it again is no second visitor"
        async with asyncio.timeout(20):
            while (await second.get("/"))[0] != 200:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.02)
        async with await second.connect() as socket:
            assert await read(socket) == "80x24"


async def test_serve_waits_for_the_window_that_is_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as server, visiting(server) as visitor:
        await visitor.get("/")
        socket = await visitor.connect()
        assert await read(socket) == "80x24"
        again = asyncio.create_task(visitor.connect("?width=100"))
        await asyncio.sleep(0)
        await socket.close()
        async with await again as new_socket:
            assert await read(new_socket) == "100x24"
            monkeypatch.setattr(browser_server, "RELOAD_SECONDS", 0.01)
            with pytest.raises(WSServerHandshakeError, match="503"):
                await visitor.connect()  # a second tab


# --- the real program -------------------------------------------------------------------------------


@asynccontextmanager
async def real_server(home: Path, *arguments: str, **environ: str) -> AsyncIterator[tuple[Any, str]]:
    """Run `monitor serve`; yields its process and the address that it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "monitor_tui", "serve", "--home", str(home), "--port", "0", *arguments),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | environ,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            line = (await process.stdout.readline()).decode()
        assert line.startswith("MONITOR is at http://"), line
        yield process, line.split()[-1]
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        try:
            async with asyncio.timeout(30):
                await process.wait()
        except TimeoutError:  # it fails the test that asked for it, and no other one
            process.kill()
            await process.wait()
            raise


async def wait_until_free(home: Path) -> None:
    """Wait until no program has the library open."""
    async with asyncio.timeout(60):
        while True:
            try:
                await (await open_stores(home)).close()
                return
            except LibraryInUse:
                await asyncio.sleep(0.1)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)
async def test_serve_story_is_played_in_a_browser_and_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with real_server(home) as (_, address):
        async with browsing(tmp_path / "profile") as page:
            await page.open(address)
            await page.wait_for("document.body?.classList.contains('-first-byte')")
            await wait_for_library(home)
            await page.press("1")
            await play_until_turn(page, home, "I look around.")
            await page.save_picture(tmp_path / "serve.png")
        await wait_until_free(home)
    assert (tmp_path / "serve.png").stat().st_size > 10_000
    if folder := os.environ.get("MONITOR_KEEP_PICTURES"):
        (Path(folder) / "serve.png").write_bytes((tmp_path / "serve.png").read_bytes())


async def wait_for_library(home: Path) -> None:
    async with asyncio.timeout(60):
        while not (home / "index.db").exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.1)
    await asyncio.sleep(1)  # the menu is drawn


async def play_until_turn(page: Page, home: Path, line: str) -> None:
    """Start the sample's story with Enter, type a line, and wait until the library has it."""
    async with asyncio.timeout(90):
        while not await read_scenes(home):
            await page.press("Enter")
            await asyncio.sleep(1)
        while line not in [turn.text for turns in await read_scenes(home) for turn in turns]:
            await asyncio.sleep(2)  # until the scene stands
            for key in (*line, "Enter"):
                await page.press(key)
            await asyncio.sleep(2)


async def read_scenes(home: Path) -> list[list[Turn]]:
    """Return the last turns of every scene, read beside the program."""
    stores = await open_stores_beside(home)
    try:
        log = stores.log(Role.CONTEXT_ASSEMBLY)
        stories = (await log.readable_stories()).records
        return [
            await log.line_tail(scene.id, 50) for story in stories for scene in await log.scenes(story.id)
        ]
    finally:
        await stores.close()


@pytest.mark.slow
async def test_serve_program_ends_when_its_server_is_killed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with real_server(home, "--address", "0.0.0.0", **{TOKEN_VARIABLE: TOKEN}) as (process, address):
        port = re.search(r":(\d+)/", address)
        assert port is not None
        own = f"http://127.0.0.1:{port[1]}"
        assert address.endswith(f"/?token={TOKEN}")
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
            async with session.get(own) as answer:
                assert answer.status == 401
            async with session.get(f"{own}/?token={TOKEN}") as answer:
                assert answer.status == 200
                names = {cookie.key for cookie in session.cookie_jar}
                assert names == {ACCESS_COOKIE, VISIT_COOKIE}
            async with session.ws_connect(f"{own}/ws", origin=own) as socket:
                await wait_for_library(home)
                with pytest.raises(LibraryInUse):
                    await open_stores(home)
                process.kill()
                await process.wait()
                async with asyncio.timeout(20):
                    await socket.receive_bytes()
        await wait_until_free(home)
