"""What plain words mean: the story, or one of our commands said in words. Pure; slow to take them for one.

A line of the story that is taken for a command costs the player's trust, so only whole lines in a few plain
forms are; what looks like one and fits none is unclear, and the Monitor persona may be asked. Source:
LANGGRAPH_AGENTS, "Router decision flow" (overrides, heuristics, then the model).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_KINDS = {
    "npc": "character",
    "npcs": "character",
    "people": "character",
    "characters": "character",
    "places": "place",
    "locations": "place",
    "factions": "faction",
    "creatures": "creature",
    "monsters": "creature",
    "things": "object",
    "items": "object",
    "objects": "object",
    "entities": "",
    "everything": "",
}
_MAKES = {
    "npc": "npc",
    "character": "npc",
    "person": "npc",
    "creature": "creature",
    "monster": "creature",
    "place": "place",
    "location": "place",
    "item": "thing",
    "thing": "thing",
    "object": "thing",
    "faction": "faction",
    "thread": "thread",
    "clock": "clock",
}

_PLEASE = r"(?:please\s+|can you\s+|could you\s+)?"
_WHOLE: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(_PLEASE + pattern + r"[.!?]*", re.IGNORECASE), command, argument)
    for pattern, command, argument in (
        (r"end (?:the |this )?scene(?: here| now)?", "end", ""),
        (r"(?:end|close|finish) (?:the |this )?scene[:,] (?P<a>.+)", "end", "{a}"),
        (r"(?:rename|call) (?:the |this )scene (?:to |as )?(?P<a>.+)", "scene", "{a}"),
        (r"undo(?: that| the last exchange| it)?", "undo", ""),
        (r"redo(?: that| it)?", "redo", ""),
        (r"(?:give me |show |show me )?(?:a |the )?(?:recap|summary so far)", "recap", ""),
        (
            r"(?:list|show|show me) (?:all )?(?:the |my )?(?:open )?(?:proposals|proposed changes)",
            "proposals",
            "",
        ),
        (r"(?:list|show|show me) (?:all )?(?:the |my )?(?:open )?threads", "thread", ""),
        (
            r"(?:list|show|show me) (?:all )?(?:the |my )?(?:open )?(?:promises|debts|commitments)",
            "promises",
            "",
        ),
        (r"(?:list|show|show me) (?:all )?(?:the |my )?notes", "notes", ""),
        (r"(?:list|show|show me) (?:all )?(?:the )?commands", "help", ""),
        (r"what do (?:we|i) know (?:about|of) (?P<a>.+?)", "show", "{a}"),
        (r"commit (?:it|that|everything|what is accepted)(?: now)?", "commit", ""),
        (r"show (?:me )?the (?:bill|costs?)", "bill", ""),
    )
)
_LISTS = re.compile(
    _PLEASE
    + r"(?:list|show|show me) (?:all )?(?:the |my |known )*(?P<kind>\w+)(?: (?:we know|there are))?[.!?]*",
    re.I,
)
_MAKE = re.compile(
    _PLEASE
    + r"(?:create|add|make|seed)(?: me)? (?:a |an |another )?(?:new )?(?P<kind>\w+)"
    + r"(?:[:,]| (?:named|called)) (?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)
_LOOKS_LIKE_ONE = re.compile(
    _PLEASE
    + r"(?:list|show|create|add|make|seed|set|rename|end|start|delete|remove|commit|export|save|undo)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Intent:
    """`command` and `argument` are what an operation would be typed as, behind the slash."""

    kind: Literal["narration", "operation", "unclear"]
    command: str = ""
    argument: str = ""

    @property
    def line(self) -> str:
        return f"/{self.command} {self.argument}".strip()


NARRATION = Intent("narration")


def intent_of(text: str) -> Intent:
    """Say what a plain line means. Speech and anything in the first person is the story's."""
    words = " ".join(text.split())
    if not _LOOKS_LIKE_ONE.match(words) and not words.casefold().startswith(
        ("what do", "give me", "call the", "please")
    ):
        whole = next((w for w in _WHOLE if w[0].fullmatch(words)), None)
        return _operation(whole, words) if whole else NARRATION
    if found := next((w for w in _WHOLE if w[0].fullmatch(words)), None):
        return _operation(found, words)
    if (listed := _LISTS.fullmatch(words)) and listed["kind"].casefold() in _KINDS:
        return Intent("operation", "list", _KINDS[listed["kind"].casefold()])
    if (made := _MAKE.fullmatch(words)) and made["kind"].casefold() in _MAKES:
        return Intent("operation", _MAKES[made["kind"].casefold()], made["what"].strip())
    return Intent("unclear")


def _operation(rule: tuple[re.Pattern[str], str, str], words: str) -> Intent:
    pattern, command, argument = rule
    found = pattern.fullmatch(words)
    assert found is not None
    said = {key: (value or "").strip() for key, value in found.groupdict().items()}
    return Intent("operation", command, argument.format(**said))
