"""The answers of the scripted provider, in a module that does not import LiteLLM."""

from __future__ import annotations

GOOD = ("The ", "door ", "opens.")
HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x00\u202e\ud800" + "A" * 40_000
RECORD = '{"summary": "The door opens.", "changes": []}'
MALFORMED = '{"beats": ["the door opens", '
