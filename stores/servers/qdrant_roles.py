"""The credentials of each role for Qdrant: keys, and tokens for single collections.

Qdrant has no users. It has an API key for everything, a read-only key, and tokens (JWT, signed with the API key, if
the server has `service.jwt_rbac` on) for reading or writing named collections. So a role that writes gets a token
for the collections of its row, and everyone reads with the read-only key. See qdrant.tech, "Security", "Granular
access control".
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterable
from typing import Any

from stores.authority import WRITE_MATRIX, Role, Store

TOKEN_SECONDS = 3_600
"""Seconds that a token is valid. A new one is made for every request; this allows for clock skew."""


def writable_collections(role: Role) -> frozenset[str]:
    """Return the collections that a role may write to. Qdrant cannot allow putting without deleting."""
    return frozenset(grant.collection for grant in WRITE_MATRIX[role] if grant.store is Store.VECTORS)


def reader_token(api_key: str, now: float) -> str:
    """Return a token that reads everything and writes nothing."""
    return _sign_token(api_key, now, "r")


def writer_token(api_key: str, now: float, names: Iterable[str]) -> str:
    """Return a token that reads and writes the collections of these names on the server, and no other."""
    return _sign_token(api_key, now, [{"collection": name, "access": "rw"} for name in sorted(names)])


def _sign_token(api_key: str, now: float, access: Any) -> str:
    header = _encode_json({"alg": "HS256", "typ": "JWT"})
    claims = _encode_json({"exp": int(now) + TOKEN_SECONDS, "access": access})
    signature = hmac.new(api_key.encode(), f"{header}.{claims}".encode(), hashlib.sha256).digest()
    return f"{header}.{claims}.{_encode_base64(signature)}"


def _encode_json(part: Any) -> str:
    return _encode_base64(json.dumps(part, separators=(",", ":")).encode())


def _encode_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
