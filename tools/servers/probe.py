"""Health checks without any driver: the smallest true exchange in each server's own protocol."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import struct

HOST = "127.0.0.1"
_TIMEOUT_SECONDS = 3.0


def http_status(port: int, path: str, *, headers: dict[str, str] | None = None) -> int:
    """The status of one GET; 0 when nobody answers."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", path, headers=headers or {})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def basic_auth_header(user: str, password: str) -> dict[str, str]:
    """The header of HTTP basic authentication."""
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def bolt_answers(port: int) -> bool:
    """Bolt's handshake: a magic word, four versions offered, one chosen in return."""
    offer = b"\x60\x60\xb0\x17" + struct.pack(">IIII", 0x00040405, 0x00000404, 0x00000304, 0)
    version = _exchange(port, offer, 4)
    return len(version) == 4 and version != bytes(4)


def mongo_answers(port: int) -> bool:
    """MongoDB's `hello`, as the smallest OP_MSG there is."""
    document = b"\x10hello\x00\x01\x00\x00\x00" + b"\x02$db\x00\x06\x00\x00\x00admin\x00"
    document = struct.pack("<i", len(document) + 5) + document + b"\x00"
    body = struct.pack("<I", 0) + b"\x00" + document
    header = struct.pack("<iiii", 16 + len(body), 1, 0, 2013)
    return len(_exchange(port, header + body, 16)) == 16


def _exchange(port: int, message: bytes, byte_count: int) -> bytes:
    try:
        with socket.create_connection((HOST, port), timeout=_TIMEOUT_SECONDS) as connection:
            connection.sendall(message)
            answer = b""
            while len(answer) < byte_count:
                chunk = connection.recv(byte_count - len(answer))
                if not chunk:
                    break
                answer += chunk
            return answer
    except OSError:
        return b""


def compact_json(value: object) -> str:
    """JSON as a configuration line."""
    return json.dumps(value, separators=(",", ":"))
