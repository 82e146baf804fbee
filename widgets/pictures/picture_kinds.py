"""Decides how a terminal shows pictures, from its environment alone: the terminal itself is not asked. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple, Protocol, runtime_checkable


class PictureKind(StrEnum):
    """How pictures are shown."""

    KITTY = "kitty"
    """Pixels, by the graphics protocol of Kitty (https://sw.kovidgoyal.net/kitty/graphics-protocol/)."""
    SIXEL = "sixel"
    """Pixels, by Sixel (VT340)."""
    BLOCKS = "blocks"
    """Two pixels a cell, in half blocks: everywhere."""
    OFF = "off"

    @property
    def has_pixels(self) -> bool:
        return self in (PictureKind.KITTY, PictureKind.SIXEL)


_SIXEL_PROGRAMS: Final = frozenset({"WezTerm", "iTerm.app"})
"""Values of TERM_PROGRAM of terminals that show Sixel without being set up for it."""

_BETWEEN: Final = ("TMUX", "STY", "SSH_CONNECTION", "SSH_TTY")
"""Variables of what stands between: the terminal behind tmux, GNU Screen or SSH is not known."""


class CellSize(NamedTuple):
    """Pixels of a cell of the terminal."""

    width: int
    height: int


@runtime_checkable
class PictureTerminal(Protocol):
    """An app that knows how its terminal shows pictures."""

    @property
    def picture_kind(self) -> PictureKind: ...


def choose_picture_kind(setting: str, environment: Mapping[str, str], *, has_terminal: bool) -> PictureKind:
    """Return how pictures are shown: as set, or as far as is known of the terminal.

    Without a terminal of its own (in a browser, in tests) the program cannot show pixels.
    """
    if setting == PictureKind.OFF:
        return PictureKind.OFF
    if not has_terminal:
        return PictureKind.BLOCKS
    if setting in set(PictureKind):
        return PictureKind(setting)
    terminal = environment.get("TERM", "")
    # Colours carry the number of a picture to Kitty.
    if environment.get("NO_COLOR") or any(environment.get(name) for name in _BETWEEN):
        return PictureKind.BLOCKS
    if terminal.startswith(("screen", "tmux")):
        return PictureKind.BLOCKS
    if environment.get("KITTY_WINDOW_ID") or terminal == "xterm-kitty":
        return PictureKind.KITTY
    is_sixel_terminal = (
        environment.get("TERM_PROGRAM") in _SIXEL_PROGRAMS
        or any(environment.get(name) for name in ("WEZTERM_PANE", "WEZTERM_EXECUTABLE", "KONSOLE_VERSION"))
        or terminal.startswith("foot")
    )
    return PictureKind.SIXEL if is_sixel_terminal else PictureKind.BLOCKS


def pixels_of_cell(kind: PictureKind, cell: CellSize) -> CellSize:
    """Return how many pixels of a picture a cell shows."""
    return cell if kind.has_pixels else CellSize(1, 2)
