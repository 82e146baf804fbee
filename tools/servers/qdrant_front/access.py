"""Who may do what: Qdrant's API key, its read-only key, and its signed tokens (JWT, HS256)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import Any


class InvalidKey(Exception):
    """No key, a wrong one, or a token that is forged or over."""


class Forbidden(Exception):
    """A key that does not reach this far."""


@dataclass(frozen=True)
class Access:
    """What one key may do: `m`anage all, `r`ead all, or read (`r`) and write (`rw`) single collections."""

    everywhere: str | None
    collections: dict[str, str]

    def check(self, collection: str | None, *, writes: bool, manages: bool) -> None:
        if self.everywhere == "m":
            return
        if manages:
            raise Forbidden("Global manage access is required")
        if self.everywhere == "r" and not writes:
            return
        granted = self.collections.get(collection or "")
        if granted is None:
            raise Forbidden(
                f"Access to collection {collection} is required" if collection else "Global access"
            )
        if writes and granted != "rw":
            raise Forbidden(f"Write access to collection {collection} is required")


class Keys:
    """Judges the key that came with a request."""

    def __init__(self, key: str, read_only_key: str) -> None:
        self._key = key
        self._read_only_key = read_only_key

    def authenticate(self, key: str | None) -> Access:
        if key is None:
            raise InvalidKey("Must provide an API key or an Authorization bearer token")
        if hmac.compare_digest(key, self._key):
            return Access("m", {})
        if hmac.compare_digest(key, self._read_only_key):
            return Access("r", {})
        return self._read_token(key)

    def _read_token(self, token: str) -> Access:
        try:
            head, claims, signature = token.split(".")
            expected_signature = hmac.new(
                self._key.encode(), f"{head}.{claims}".encode(), hashlib.sha256
            ).digest()
            is_valid = (
                hmac.compare_digest(expected_signature, _decode_base64(signature))
                and json.loads(_decode_base64(head))["alg"] == "HS256"
            )
            claims_json: dict[str, Any] = json.loads(_decode_base64(claims))
        except (ValueError, KeyError, TypeError, binascii.Error) as error:
            raise InvalidKey("Invalid API key or JWT") from error
        if not is_valid or claims_json.get("exp", time.time() + 1) < time.time():
            raise InvalidKey("Invalid API key or JWT")
        access = claims_json.get("access", "m")
        if isinstance(access, str):
            return Access(access, {})
        return Access(None, {each["collection"]: each["access"] for each in access})


def _decode_base64(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
