"""What the scripted provider says. Beside it, so that no test imports LiteLLM."""

from __future__ import annotations

GOOD = ("The ", "door ", "opens.")
HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x00\u202e\ud800" + "A" * 40_000
RECORD = '{"summary": "The door opens.", "changes": []}'
MALFORMED = '{"beats": ["the door opens", '
