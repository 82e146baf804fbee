"""One turn as lines: speaker's gutter, words, sealed results, marks. Pure: a view and a width in, lines out.

you  I force the iron door.
⚄    ┃ 2d6+1 [5,4]+1 = 10 vs 9 · ✓ success
gm   The hinges give with a shriek ...                                take 2/3  ★2
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.strip import Strip

from agents.views.play_views import TurnView
from stores.records.play import Degree, Resolution, Speaker
from widgets.ink import Ink, Inks, Line, Piece, strip
from widgets.safe_text import one_line, pad, wrap

GUTTER = 5
"""Cells for the speaker: `you`, `gm` or a short name, and a space."""
MARGIN = 1
"""The cell on the left that holds the cursor's bar."""
MEASURE = 96
"""The longest line of prose that still reads well."""

CURSOR = "▌"
DICE = "⚄"
RULE = "┃ "
NOTE = "(note) "
MADE = "★"

_NAMES = {
    Speaker.PLAYER: "you",
    Speaker.GM: "gm",
    Speaker.NPC: "npc",
    Speaker.ORACLE: DICE,
    Speaker.SYSTEM: "·",
}
_INKS = {
    Speaker.PLAYER: (Ink.YOU, Ink.PROSE),
    Speaker.GM: (Ink.GM, Ink.PROSE),
    Speaker.NPC: (Ink.NPC, Ink.PROSE),
    Speaker.ORACLE: (Ink.MUTED, Ink.MUTED),
    Speaker.SYSTEM: (Ink.MUTED, Ink.QUOTE),
}
# The hard space keeps sign and word on one line.
_DEGREES = {
    Degree.SUCCESS: ("✓\xa0success", Ink.GOOD),
    Degree.PARTIAL: ("~\xa0partial", Ink.WARN),
    Degree.FAIL: ("✗\xa0fail", Ink.BAD),
    Degree.NONE: ("", Ink.MUTED),
}


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """How turns are drawn: `hide_mechanics` leaves the story alone on the page."""

    hide_mechanics: bool = False


def turn_lines(view: TurnView, width: int, options: TurnOptions = TurnOptions()) -> list[Line]:
    """Return the turn's lines for `width` cells; none at all if the options hide it.

    A turn that opens an exchange begins with an empty line, so exchanges stand apart.
    """
    if is_hidden(view, options):
        return []
    turn = view.turn
    space = text_width(width)
    name, body = _gutter(view), list(_body(view, space, options))
    notes = [] if options.hide_mechanics else list(_noted(view, space))
    speaker_ink = _INKS[turn.speaker][0]
    if cell_len(name) >= GUTTER:
        lines: list[Line] = [[(" " * MARGIN, Ink.PROSE), (name, speaker_ink)]]
        lines += [_indented(line) for line in body]
    else:
        lines = [[(" " * MARGIN, Ink.PROSE), (pad(name, GUTTER), speaker_ink), *body[0]]]
        lines += [_indented(line) for line in body[1:]]
    if not options.hide_mechanics and (marks := _marks(view)):
        _set_marks(lines, marks, MARGIN + GUTTER + space)
    lines += [_indented(line) for line in notes]
    if turn.depth and turn.exchange_id == turn.id:
        lines.insert(0, [])
    return lines


def turn_strips(
    view: TurnView,
    width: int,
    inks: Inks,
    options: TurnOptions = TurnOptions(),
    *,
    at_cursor: bool = False,
    ground: Inks | None = None,
) -> list[Strip]:
    """Draw the turn. `ground` holds the inks outside the cursor, for the empty line above."""
    strips = []
    for line in turn_lines(view, width, options):
        if at_cursor and line:
            strips.append(strip([(CURSOR, Ink.YOU), *line[1:]], inks, width))
        else:
            strips.append(strip(line, ground or inks, width))
    return strips


def is_hidden(view: TurnView, options: TurnOptions) -> bool:
    """Whether the options leave this turn out."""
    return options.hide_mechanics and view.turn.speaker in (Speaker.ORACLE, Speaker.SYSTEM)


def estimate(view: TurnView, width: int, options: TurnOptions = TurnOptions()) -> int:
    """Guess the turn's height from its length, without wrapping it."""
    if is_hidden(view, options):
        return 0
    turn, space = view.turn, text_width(width)
    # Words rarely fill a line to its edge.
    lines = sum(1 + int(len(part) * 1.04) // space for part in turn.text.split("\n"))
    if not options.hide_mechanics:
        lines += sum(1 + len(note) // space for note in view.notes)
    return lines + (1 if turn.depth and turn.exchange_id == turn.id else 0)


def text_width(width: int) -> int:
    """Return the cells that a turn's words have in a view of `width` cells."""
    return max(8, min(MEASURE, width - MARGIN - GUTTER - 1))


def _gutter(view: TurnView) -> str:
    turn = view.turn
    if turn.speaker is Speaker.NPC and turn.name:
        return one_line(turn.name)
    return _NAMES[turn.speaker]


def _indented(line: Line) -> Line:
    return [(" " * (MARGIN + GUTTER), Ink.PROSE), *line]


def _body(view: TurnView, space: int, options: TurnOptions) -> Iterator[Line]:
    turn = view.turn
    if turn.speaker is Speaker.ORACLE:
        yield from _sealed(view.resolution, turn.text, space)
        return
    ink = _INKS[turn.speaker][1]
    for text in wrap(turn.text.strip(), space):
        yield [(text, ink)]
    if view.resolution is not None and not options.hide_mechanics:
        yield from _sealed(view.resolution, "", space)


def _noted(view: TurnView, space: int) -> Iterator[Line]:
    """Draw what was noted out of character, under the turn that it was made at."""
    for note in view.notes:
        for n, text in enumerate(wrap(note.strip(), space - len(NOTE))):
            yield [(NOTE if n == 0 else " " * len(NOTE), Ink.MUTED), (text, Ink.MUTED)]


def _sealed(resolution: Resolution | None, text: str, space: int) -> Iterator[Line]:
    """Draw a sealed result behind a rule; what it came to stands out in sign, word and ink."""
    verdict, ink = _DEGREES[resolution.degree] if resolution else ("", Ink.MUTED)
    head = _result_text(resolution, text)
    if resolution and verdict:
        word = f"· {resolution.degree.value}"
        head = head.replace(word, f"· {verdict}", 1) if word in head else f"{head} · {verdict}"
    for part in wrap(head, space - len(RULE)):
        before, found, after = part.partition(verdict) if verdict else (part, "", "")
        yield [(RULE, ink), (before, Ink.MUTED), (found, ink), (after, Ink.MUTED)]
    for effect in resolution.effects if resolution else ():
        for part in wrap(f"→ {one_line(effect)}", space - len(RULE)):
            yield [(RULE, ink), (part, Ink.MUTED)]


def _result_text(resolution: Resolution | None, text: str) -> str:
    if resolution is None:
        return text.strip()
    return resolution.text or text.strip() or f"{resolution.expression} {_total(resolution)}".strip()


def _total(resolution: Resolution) -> str:
    if resolution.total is None:
        return ""
    against = f" vs {resolution.target}" if resolution.target is not None else ""
    return f"= {resolution.total}{against}"


def _marks(view: TurnView) -> Sequence[Piece]:
    marks: list[Piece] = []
    if view.takes > 1:
        marks.append((f"take {view.take}/{view.takes}", Ink.MUTED))
    if view.made:
        marks.append((f"{MADE}{view.made}", Ink.WARN))
    return [piece for mark in marks for piece in ((" ", Ink.MUTED), mark)]


def _set_marks(lines: list[Line], marks: Sequence[Piece], width: int) -> None:
    """Put the marks at the right edge of the last line, or of one more if they do not fit there."""
    used = sum(cell_len(text) for text, _ in lines[-1])
    size = sum(cell_len(text) for text, _ in marks)
    if used + size + 1 > width:
        lines.append([(" " * (MARGIN + GUTTER), Ink.PROSE)])
        used = MARGIN + GUTTER
    lines[-1] = [*lines[-1], (" " * (width - used - size), Ink.PROSE), *marks]
