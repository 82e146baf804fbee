"""What a typed line is answered with, and the help of commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from agents.views.scene_views import Offer, SceneView
from stores.records.ids import Id


class CommandTopic(StrEnum):
    """What slash commands are for, in the order in which help lists them."""

    PLAY = "Play"
    DICE = "Dice and the oracle"
    WORLD = "Say what is so"
    DECIDE = "Decide what becomes canon"
    PEOPLE = "Who is here, sheets and rests"
    STORY = "Threads, clocks and promises"
    SCENES = "Scenes, takes and time"
    ASK = "Look up and keep"
    MODEL = "The model"


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """A slash command, for help, palette and completion."""

    name: str
    usage: str
    summary: str
    needs_argument: bool = False
    topic: CommandTopic = CommandTopic.PLAY


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of one typed line."""

    kind: Literal["exchange", "operation", "nothing"]
    lines: tuple[str, ...] = ()
    """Lines for the user that are no part of the story."""

    goto: Literal[
        "",
        "gate",
        "scene",
        "story",
        "map",
        "help",
        "menu",
        "universe",
        "ledger",
        "conflict",
        "policy",
        "xray",
        "bill",
        "model",
        "prompts",
        "query",
    ] = ""
    """The screen to show next."""

    subject: Id | None = None
    """What that screen is about, such as the turn for `xray`."""

    prompt_text: str = ""
    """Text to put into the prompt: the typed line with what it still lacks, or the words of an old turn."""

    plain_line: str = ""
    """The words of a line that waits for a roll, dice or a likelihood: Esc, or another line, plays them without."""

    preparing_command: str = ""
    """The command that `lines` propose to give before the offered roll (`/state`)."""

    confirm_line: str = ""
    """The line that does it all the same, after `lines` have said what that would take. Nothing was done yet."""

    confirm_word: str = "Undo"
    """The verb for the key that sends `confirm_line`."""

    suggested_line: str = ""
    """A line, or the beginning of one, that Tab puts into the empty prompt."""

    offers: tuple[Offer, ...] = ()
    """Commands that `lines` offer: they wait until they are answered."""

    number_command: str = ""
    """The command that listed what is numbered: numbers typed alone next are what it takes (`/paid`)."""

    query_text: str = ""
    """What is asked on the `query` screen."""

    severity: Literal["information", "warning", "error"] = "information"
    scene: SceneView | None = field(default=None, compare=False)
    """What the play screen shows next, if it was asked for: it need not be read again."""
