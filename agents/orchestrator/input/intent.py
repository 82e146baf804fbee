"""Decides whether plain words are the story, or a command said in words. Pure.

A line of the story that is taken for a command costs the player's trust. So only whole lines in a few plain
forms are commands; a line that resembles a command and fits none is unclear, and the Monitor persona may be
asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from agents.orchestrator.input.bare_dice import find_bare_roll

_ENTITY_KIND_BY_WORD = {
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
_COMMAND_BY_NOUN = {
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

_POLITE_PREFIX = r"(?:please\s+|can you\s+|could you\s+)?"
_LINE_RULES: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(_POLITE_PREFIX + pattern + r"[.!?]*", re.IGNORECASE), command, argument)
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
        # `Help!` is cried in the story.
        (r"(?:help|commands)(?!!)", "help", ""),
        (r"what can (?:i|we) (?:do|type)(?: here| now)?", "help", ""),
        (r"how do (?:i|we) play(?: this)?", "help", ""),
        (r"what do (?:we|i) know (?:about|of) (?P<a>.+?)", "show", "{a}"),
        (r"commit (?:it|that|everything|what is accepted)(?: now)?", "commit", ""),
        (r"show (?:me )?the (?:bill|costs?)", "bill", ""),
    )
)
_LIST_PATTERN = re.compile(
    _POLITE_PREFIX
    + r"(?:list|show|show me) (?:all )?(?:the |my |known )*(?P<kind>\w+)(?: (?:we know|there are))?[.!?]*",
    re.I,
)
_CREATE_PATTERN = re.compile(
    _POLITE_PREFIX
    + r"(?:create|add|make|seed)(?: me)? (?:a |an |another )?(?:new )?(?P<kind>\w+)"
    + r"(?:[:,]| (?:named|called)) (?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ROLL_PATTERN = re.compile(_POLITE_PREFIX + r"(?:i )?(?:roll|throw) (?P<dice>.{1,200}?)[.!?]*", re.IGNORECASE)
_COMMAND_LIKE = re.compile(
    _POLITE_PREFIX
    + r"(?:list|show|create|add|make|seed|set|rename|end|start|delete|remove|commit|export|save|undo)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class InputIntent:
    """`command` and `argument` are what would be typed as a slash command."""

    kind: Literal["narration", "operation", "unclear"]
    command: str = ""
    argument: str = ""

    @property
    def command_line(self) -> str:
        return f"/{self.command} {self.argument}".strip()


NARRATION = InputIntent("narration")


def read_intent(text: str) -> InputIntent:
    """Return what a plain line means. Speech and anything in the first person belong to the story."""
    words = " ".join(text.split())
    if (roll_match := _ROLL_PATTERN.fullmatch(words)) and (roll_kind := find_bare_roll(roll_match["dice"])):
        return InputIntent("operation", roll_kind, roll_match["dice"])
    if not _COMMAND_LIKE.match(words) and not words.casefold().startswith(
        ("what do", "give me", "call the", "please")
    ):
        story_rule = next((w for w in _LINE_RULES if w[0].fullmatch(words)), None)
        return _command_intent(story_rule, words) if story_rule else NARRATION
    if command_rule := next((w for w in _LINE_RULES if w[0].fullmatch(words)), None):
        return _command_intent(command_rule, words)
    if (list_match := _LIST_PATTERN.fullmatch(words)) and list_match[
        "kind"
    ].casefold() in _ENTITY_KIND_BY_WORD:
        return InputIntent("operation", "list", _ENTITY_KIND_BY_WORD[list_match["kind"].casefold()])
    if (create_match := _CREATE_PATTERN.fullmatch(words)) and create_match[
        "kind"
    ].casefold() in _COMMAND_BY_NOUN:
        return InputIntent(
            "operation", _COMMAND_BY_NOUN[create_match["kind"].casefold()], create_match["what"].strip()
        )
    return InputIntent("unclear")


def _command_intent(rule: tuple[re.Pattern[str], str, str], words: str) -> InputIntent:
    pattern, command, argument = rule
    match = pattern.fullmatch(words)
    assert match is not None
    groups = {key: (value or "").strip() for key, value in match.groupdict().items()}
    return InputIntent("operation", command, argument.format(**groups))
