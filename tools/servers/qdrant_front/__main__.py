"""The HTTP server: `python -m tools.servers.qdrant_front FOLDER PORT`, its keys in the environment."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from tools.servers.qdrant_front import operations
from tools.servers.qdrant_front.access import Access, Forbidden, InvalidKey, Keys
from tools.servers.qdrant_front.collections_folder import CollectionsFolder, NameTaken, NoSuchCollection
from tools.servers.qdrant_front.translate import Json, NotSupported, WrongInput

# The version whose REST API is spoken; clients compare it with their own.
_ABOUT: Final = {
    "title": "Qdrant's engine behind MONITOR's test front, not Qdrant's server",
    "version": "1.20.0",
}
_BODY_LIMIT: Final = 64 * 1024 * 1024


class RequestRouter:
    """Answers one request after another; knows nothing of HTTP but method and path."""

    def __init__(self, collections: CollectionsFolder, keys: Keys) -> None:
        self._collections = collections
        self._keys = keys

    def answer(self, method: str, path: str, key: str | None, body: Json) -> Any:
        access = self._keys.authenticate(key)
        parts = [unquote(part) for part in path.strip("/").split("/")]
        if parts == [""]:
            return _ABOUT
        if parts in (["collections", "aliases"], ["aliases"]) or (
            parts[0] == "collections" and len(parts) < 3
        ):
            return self._answer_global(method, parts, access, body)
        if parts[0] == "collections":
            return self._answer_collection(method, parts[1], "/".join(parts[2:]), access, body)
        raise NotSupported(f"{method} {path}")

    def _answer_global(self, method: str, parts: list[str], access: Access, body: Json) -> Any:
        """Collections as such, and aliases."""
        match method, parts:
            case "POST", ["collections", "aliases"]:
                access.check(None, writes=True, manages=True)
                self._collections.change_aliases(body["actions"])
                return True
            case "GET", ["aliases"]:
                access.check(None, writes=False, manages=False)
                return _aliases_json(self._collections.aliases)
            case "GET", ["collections"]:
                access.check(None, writes=False, manages=False)
                return {"collections": [{"name": name} for name in sorted(self._collections.collections)]}
            case "GET", ["collections", name]:
                access.check(name, writes=False, manages=False)
                return self._collections.get(name).info()
            case "PUT", ["collections", name]:
                access.check(name, writes=True, manages=True)
                self._collections.create(name, body)
                return True
            case "DELETE", ["collections", name]:
                access.check(name, writes=True, manages=True)
                return self._collections.delete(name)
        raise NotSupported(f"{method} /{'/'.join(parts)}")

    def _answer_collection(self, method: str, name: str, rest: str, access: Access, body: Json) -> Any:
        """One collection's points and indexes."""
        if (method, rest) == ("GET", "exists"):
            access.check(name, writes=False, manages=False)
            return {"exists": name in self._collections.collections or name in self._collections.aliases}
        if (method, rest) == ("GET", "aliases"):
            access.check(name, writes=False, manages=False)
            return _aliases_json({alias: of for alias, of in self._collections.aliases.items() if of == name})
        if rest == "index" or rest.startswith("index/"):
            access.check(name, writes=True, manages=False)
            collection = self._collections.get(name)
            if method == "PUT":
                return operations.create_index(collection, body)
            return operations.delete_index(collection, rest.removeprefix("index/"))
        read, write = operations.READS.get((method, rest)), operations.WRITES.get((method, rest))
        operation = read or write
        if operation is None:
            raise NotSupported(f"{method} {rest}")
        access.check(name, writes=write is not None, manages=False)
        return operation(self._collections.get(name), body)


def _aliases_json(of: dict[str, str]) -> Json:
    return {"aliases": [{"alias_name": alias, "collection_name": name} for alias, name in sorted(of.items())]}


class Handler(BaseHTTPRequestHandler):
    """HTTP around the front."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else an answer on a connection that is kept waits 40 ms for its body
    front: RequestRouter

    def _handle(self) -> None:
        started_at = time.monotonic()
        path = urlsplit(self.path).path
        length = int(self.headers.get("Content-Length") or 0)
        if length > _BODY_LIMIT:
            self.close_connection = True
            self._send(413, _error("the request is too large"))
            return
        raw = self.rfile.read(length)
        if path in ("/healthz", "/livez", "/readyz"):
            self._send(200, {"status": "ok"})
            return
        status, body = self._answer_or_error(path, raw)
        self._send(status, {**body, "time": time.monotonic() - started_at})

    def _answer_or_error(self, path: str, raw: bytes) -> tuple[int, Json]:
        key = (
            self.headers.get("api-key")
            or (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            or None
        )
        try:
            result = self.front.answer(self.command, path, key, json.loads(raw or b"{}"))
        except InvalidKey as unknown:
            return 401, _error(str(unknown))
        except Forbidden as forbidden:
            return 403, _error(f"Forbidden: {forbidden}")
        except NoSuchCollection as missing:
            return 404, _error(f"Not found: Collection `{missing}` doesn't exist!")
        except NameTaken as taken:
            return 409, _error(f"Wrong input: Collection `{taken}` already exists!")
        except NotSupported as absent:
            return 501, _error(f"MONITOR's stand-in for Qdrant does not have {absent}")
        except (WrongInput, KeyError, TypeError, ValueError) as wrong:
            return 400, _error(f"Wrong input: {wrong}")
        except Exception as failed:  # noqa: BLE001 - the engine tells its refusals by plain exceptions
            traceback.print_exc()
            refused = "error" in str(failed).lower() or "wrong" in str(failed).lower()
            return (400 if refused else 500), _error(f"Wrong input: {failed}")
        return 200, (result if result is _ABOUT else {"result": result, "status": "ok"})

    def _send(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _handle  # noqa: N815 - http.server's names

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: one line a request would fill the disk."""


def _error(message: str) -> Json:
    return {"status": {"error": message}}


class Server(ThreadingHTTPServer):
    """Threads end with the process, and a burst of clients waits in line."""

    daemon_threads = True
    request_queue_size = 128


def main() -> None:
    """Serve until told to stop, then flush every collection."""
    folder, port = Path(sys.argv[1]), int(sys.argv[2])
    collections = CollectionsFolder(folder)
    Handler.front = RequestRouter(
        collections, Keys(os.environ["QDRANT_API_KEY"], os.environ["QDRANT_READ_ONLY_API_KEY"])
    )
    server = Server(("127.0.0.1", port), Handler)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()
    server.server_close()
    collections.close()


if __name__ == "__main__":
    main()
