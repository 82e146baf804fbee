"""Character cards and lorebooks for tests, as other programs write them."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

ILA: Mapping[str, Any] = {
    "name": "Ila Rook",
    "description": "{{char}} keeps the salt house. She owes {{user}} a favour.",
    "personality": "dry, patient",
    "scenario": "{{user}} comes in from the rain.",
    "first_mes": "*{{char}} looks up.* You are late.",
    "mes_example": "<START>\n{{char}}: Mind the step.",
    "creator_notes": "<b>For slow evenings.</b>",
    "system_prompt": "Write as {{char}}.",
    "tags": ["harbour"],
    "alternate_greetings": [],
    "character_book": {
        "name": "The Salt Coast",
        "entries": [
            {
                "keys": ["salt house", "salthouse"],
                "content": "The salt house stands on piles over the mud.",
                "enabled": True,
                "insertion_order": 10,
            },
            {"keys": ["the Drowned"], "content": "Asleep.", "enabled": False, "insertion_order": 10},
        ],
    },
}

WORLD_INFO: Mapping[str, Any] = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["Orsk", "orsk"],
            "keysecondary": ["king"],
            "comment": "Orsk",
            "content": "Orsk is a city of bells.",
            "constant": False,
            "selective": True,
            "selectiveLogic": 0,
            "order": 20,
            "disable": False,
            "probability": 100,
        },
        "1": {
            "uid": 1,
            "key": [],
            "comment": "The tide",
            "content": "The tide rules here.",
            "constant": True,
        },
        "2": {"uid": 2, "key": ["fog"], "comment": "Fog", "content": " ", "constant": False},
    }
}


def card_v2(**changes: Any) -> bytes:
    return json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": {**ILA, **changes}}).encode()


def card_v3(**changes: Any) -> bytes:
    return json.dumps({"spec": "chara_card_v3", "spec_version": "3.0", "data": {**ILA, **changes}}).encode()


def world_info() -> bytes:
    return json.dumps(WORLD_INFO).encode()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))


def text_chunk(keyword: str, card: bytes) -> bytes:
    return chunk(b"tEXt", keyword.encode() + b"\0" + base64.b64encode(card))


def png(*chunks: bytes) -> bytes:
    """Return a picture of one pixel with these chunks."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"".join((b"\x89PNG\r\n\x1a\n", header, *chunks, pixels, chunk(b"IEND", b"")))


def charx(card: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("card.json", card)
        packed.writestr("assets/icon/images/main.png", png())
    return file.getvalue()
