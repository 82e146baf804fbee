"""One turn as lines: speaker's gutter, words, sealed results, marks. Pure: a view and a width in, lines out.

you  I force the iron door.
⚄    ┃ 2d6+1 [5,4]+1 = 10 vs 9 · ✓ success
gm   The hinges give with a shriek ...                                take 2/3  ★2
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.strip import Strip

from agents.proposals.effects import describe_effects
from agents.resolver.oracle import Grade
from agents.resolver.reaction import Attitude
from agents.views.turn_views import LineOutcome, TurnView
from stores.records.play import Degree, Resolution, Speaker
from widgets.emphasis import wrap_emphasised
from widgets.ink import Ink, Inks, Line, Piece, draw_line
from widgets.safe_text import one_line, pad, wrap

GUTTER_CELLS = 5
"""Cells for the speaker: `you`, `gm` or a short name, and a space."""
MARGIN_CELLS = 1
"""The cell on the left that holds the cursor's bar."""
MAX_PROSE_CELLS = 96
"""The longest line of prose that still reads well."""

CURSOR_BAR = "▌"
DICE_SIGN = "⚄"
RESULT_RULE = "┃ "
NOTE_PREFIX = "(note) "
CANON_SIGN = "★"

_SPEAKER_NAMES = {
    Speaker.PLAYER: "you",
    Speaker.GM: "gm",
    Speaker.NPC: "npc",
    Speaker.ORACLE: DICE_SIGN,
    Speaker.SYSTEM: "·",
}
_SPEAKER_INKS = {
    Speaker.PLAYER: (Ink.YOU, Ink.PROSE),
    Speaker.GM: (Ink.GM, Ink.PROSE),
    Speaker.NPC: (Ink.NPC, Ink.PROSE),
    Speaker.ORACLE: (Ink.MUTED, Ink.MUTED),
    Speaker.SYSTEM: (Ink.MUTED, Ink.QUOTE),
}
# The hard space keeps sign and word on one line.
_DEGREE_SIGNS = {
    Degree.SUCCESS: ("✓\xa0success", Ink.GOOD),
    Degree.PARTIAL: ("~\xa0partial", Ink.WARN),
    Degree.FAIL: ("✗\xa0fail", Ink.BAD),
    Degree.NONE: ("", Ink.MUTED),
}


_ATTITUDE_INKS = {
    Attitude.HOSTILE: Ink.BAD,
    Attitude.UNFRIENDLY: Ink.BAD,
    Attitude.WARY: Ink.WARN,
    Attitude.FRIENDLY: Ink.GOOD,
    Attitude.HELPFUL: Ink.GOOD,
}


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """How turns are drawn; `hide_mechanics` leaves only the story."""

    hide_mechanics: bool = False


def turn_lines(view: TurnView, width: int, options: TurnOptions = TurnOptions()) -> list[Line]:
    """Return the turn's lines for `width` cells; none if the options hide it.

    A turn that opens an exchange begins with an empty line, so that exchanges are set apart.
    """
    if is_hidden(view, options):
        return []
    turn = view.turn
    space = text_width(width)
    name, body = _speaker_name(view), list(_body_lines(view, space, options))
    notes = [] if options.hide_mechanics else list(_note_lines(view, space))
    speaker_ink = _SPEAKER_INKS[turn.speaker][0]
    if cell_len(name) >= GUTTER_CELLS:
        lines: list[Line] = [[(" " * MARGIN_CELLS, Ink.PROSE), (name, speaker_ink)]]
        lines += [_indent_line(line) for line in body]
    else:
        lines = [[(" " * MARGIN_CELLS, Ink.PROSE), (pad(name, GUTTER_CELLS), speaker_ink), *body[0]]]
        lines += [_indent_line(line) for line in body[1:]]
    if not options.hide_mechanics:
        width = MARGIN_CELLS + GUTTER_CELLS + space
        marks = _turn_marks(view)
        outcome_mark = _fit_outcome(view.outcome, width - _cells(lines[-1]) - _cells(marks) - 1)
        if marks or outcome_mark:
            _append_marks(lines, [*outcome_mark, *marks], width)
    lines += [_indent_line(line) for line in notes]
    if turn.depth and turn.exchange_id == turn.id:
        lines.insert(0, [])
    return lines


def turn_strips(
    view: TurnView,
    width: int,
    inks: Inks,
    options: TurnOptions = TurnOptions(),
    *,
    is_at_cursor: bool = False,
    inks_outside_cursor: Inks | None = None,
) -> list[Strip]:
    """Draw the turn. `ground` holds the inks outside the cursor, for the empty line above."""
    strips = []
    for line in turn_lines(view, width, options):
        if is_at_cursor and line:
            strips.append(draw_line(with_cursor_bar(line), inks, width))
        else:
            strips.append(draw_line(line, inks_outside_cursor or inks, width))
    return strips


def with_cursor_bar(line: Line) -> Line:
    """Return the line with the bar in its first cell; all else stays where it is."""
    (margin, ink), *rest = line
    return [(CURSOR_BAR, Ink.YOU), (margin[MARGIN_CELLS:], ink), *rest]


def is_hidden(view: TurnView, options: TurnOptions) -> bool:
    """Return whether the options hide this turn."""
    return options.hide_mechanics and view.turn.speaker in (Speaker.ORACLE, Speaker.SYSTEM)


def muted_lines(view: TurnView, width: int) -> list[Line]:
    """Return the turn's lines as context of something else: all in one muted ink."""
    return [[(text, Ink.MUTED) for text, _ in line] for line in turn_lines(view, width)]


def estimate_height(view: TurnView, width: int, options: TurnOptions = TurnOptions()) -> int:
    """Return the turn's height, estimated from its length without wrapping it."""
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
    return max(8, min(MAX_PROSE_CELLS, width - MARGIN_CELLS - GUTTER_CELLS - 1))


def _speaker_name(view: TurnView) -> str:
    turn = view.turn
    if turn.speaker is Speaker.NPC and turn.name:
        return one_line(turn.name)
    return _SPEAKER_NAMES[turn.speaker]


def _indent_line(line: Line) -> Line:
    return [(" " * (MARGIN_CELLS + GUTTER_CELLS), Ink.PROSE), *line]


def _body_lines(view: TurnView, space: int, options: TurnOptions) -> Iterator[Line]:
    turn = view.turn
    if turn.speaker is Speaker.ORACLE:
        yield from resolution_lines(view.resolution, turn.text, space, view.rejected_effects)
        return
    ink = _SPEAKER_INKS[turn.speaker][1]
    if turn.speaker is Speaker.SYSTEM:
        yield from ([(text, ink)] for text in wrap(turn.text.strip(), space))
    else:
        yield from wrap_emphasised(turn.text.strip(), space, ink)
    if view.resolution is not None and not options.hide_mechanics:
        yield from resolution_lines(view.resolution, "", space, view.rejected_effects)


def _note_lines(view: TurnView, space: int) -> Iterator[Line]:
    """Return the out-of-character notes of the turn."""
    for note in view.notes:
        for n, text in enumerate(wrap(note.strip(), space - len(NOTE_PREFIX))):
            yield [(NOTE_PREFIX if n == 0 else " " * len(NOTE_PREFIX), Ink.MUTED), (text, Ink.MUTED)]


def resolution_lines(
    resolution: Resolution | None, text: str, space: int, rejected_effects: Collection[int] = ()
) -> Iterator[Line]:
    """Return a sealed result behind a rule, its outcome in sign, word and ink; what was rejected of it is struck."""
    verdict, ink = _DEGREE_SIGNS[resolution.degree] if resolution else ("", Ink.MUTED)
    head = _result_text(resolution, text)
    if resolution and verdict:
        word = f"· {resolution.degree.value}"
        head = head.replace(word, f"· {verdict}", 1) if word in head else f"{head} · {verdict}"
    elif resolution and (answer := _find_answer(resolution, head)):
        verdict, ink = _answer_sign(answer)
        head = f" {head} ".replace(f" · {answer} ", f" · {verdict} ", 1).strip()
    for part in wrap(head, space - len(RESULT_RULE)):
        before, verdict_part, after = part.partition(verdict) if verdict else (part, "", "")
        yield [(RESULT_RULE, ink), (before, Ink.MUTED), (verdict_part, ink), (after, Ink.MUTED)]
    effects = describe_effects(resolution.effects, rejected_effects) if resolution else []
    for n, effect in enumerate(effects):
        effect_ink = Ink.STRUCK if n in rejected_effects else Ink.MUTED
        for part in wrap(f"→ {one_line(effect)}", space - len(RESULT_RULE)):
            yield [(RESULT_RULE, ink), (part, effect_ink)]


def _find_answer(resolution: Resolution, text: str) -> str:
    """Return what the oracle answered, or how somebody reacted; empty for other results."""
    answers: Sequence[str] = ()
    if resolution.kind == "oracle":
        answers = [grade.value for grade in Grade]
    elif resolution.kind == "react":
        answers = [attitude.value for attitude in Attitude]
    return next((part for part in reversed(text.split(" · ")) if part in answers), "")


def _answer_sign(answer: str) -> tuple[str, Ink]:
    """Return an answer as loud as the outcome of a check; it wraps as one word."""
    text = answer.replace(" ", "\xa0")
    if answer in set(Grade):
        return (f"✓\xa0{text}", Ink.GOOD) if Grade(answer).is_yes else (f"✗\xa0{text}", Ink.BAD)
    return text, _ATTITUDE_INKS[Attitude(answer)]


def _result_text(resolution: Resolution | None, text: str) -> str:
    if resolution is None:
        return text.strip()
    return resolution.text or text.strip() or f"{resolution.expression} {_total_text(resolution)}".strip()


def _total_text(resolution: Resolution) -> str:
    if resolution.total is None:
        return ""
    against = f" vs {resolution.target}" if resolution.target is not None else ""
    return f"= {resolution.total}{against}"


def _turn_marks(view: TurnView) -> Sequence[Piece]:
    marks: list[Piece] = []
    if view.take_count > 1:
        marks.append((f"take {view.take}/{view.take_count}", Ink.MUTED))
    if view.is_reworded:
        marks.append(("edited", Ink.MUTED))
    if view.made_count:
        marks.append((f"{CANON_SIGN}{view.made_count}", Ink.WARN))
    return [piece for mark in marks for piece in ((" ", Ink.MUTED), mark)]


def _fit_outcome(outcome: LineOutcome, room: int) -> Sequence[Piece]:
    """Return what became of the words, in as many words as there is room for: it never takes a line of its own."""
    return next(
        (
            [(" ", Ink.MUTED), (words, Ink.MUTED)]
            for words in _outcome_words(outcome)
            if cell_len(words) < room
        ),
        (),
    )


def _outcome_words(outcome: LineOutcome) -> tuple[str, ...]:
    """Return what became of the words, the longest first."""
    by_whom = _by_whom_words(outcome)
    if outcome.proposed_count:
        proposed = f"proposed {outcome.proposed_count}"
        return *(f"{words}, {proposed}" for words in by_whom), proposed, f"+{outcome.proposed_count}"
    return by_whom or (("nothing proposed", "-") if outcome.is_unread else ())


def _by_whom_words(outcome: LineOutcome) -> tuple[str, ...]:
    """Return who heard or believes the words, the longest first."""
    if outcome.heard_by:
        return *_name_as_many("heard by", outcome.heard_by), "heard"
    if outcome.heard_by is not None:
        return ("heard",)
    return (*_name_as_many("believed by", outcome.believed_by), "believed") if outcome.believed_by else ()


def _name_as_many(head: str, names: Sequence[str]) -> Iterable[str]:
    """Return words that name all, then ever fewer and how many more there are: `heard by Vess and 3 more`."""
    yield one_line(f"{head} {', '.join(names)}")
    for count in range(len(names) - 1, 0, -1):
        yield one_line(f"{head} {', '.join(names[:count])} and {len(names) - count} more")
    if len(names) > 1:
        yield f"{head} {len(names)}"


def _cells(line: Line) -> int:
    return sum(cell_len(text) for text, _ in line)


def _append_marks(lines: list[Line], marks: Sequence[Piece], width: int) -> None:
    """Put the marks at the right edge of the last line, or on one more line if they do not fit."""
    used_cells, size = _cells(lines[-1]), _cells(marks)
    if used_cells + size + 1 > width:
        lines.append([(" " * (MARGIN_CELLS + GUTTER_CELLS), Ink.PROSE)])
        used_cells = MARGIN_CELLS + GUTTER_CELLS
    lines[-1] = [*lines[-1], (" " * (width - used_cells - size), Ink.PROSE), *marks]
