"""Says what undo and redo did, and asks before they touch canon. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.orchestrator.commit_reports import commit_lines
from agents.orchestrator.commit_undo import CommitReversal
from agents.orchestrator.scene_end_undo import UndoableSceneEnd
from agents.orchestrator.undo_words import list_names, shorten
from agents.orchestrator.undone_canon import UnsupportedCanon
from agents.views.gate_views import CommitReport
from agents.views.replies import Reply
from stores.records.play import HeadMove, MoveKind, Turn

_CONFIRM_UNDO_LINE: Final = "/undo yes"
_CONFIRM_REDO_LINE: Final = "/redo yes"


def tell_reversal(done_word: str, reversal: CommitReversal, report: CommitReport) -> Reply:
    """Return what was taken from canon or is so again, and what could not be written."""
    lines = (
        *(f"{done_word}: {title}" for title in reversal.titles),
        *(line for line in commit_lines(report) if line.startswith("Not written")),
    )
    return Reply("operation", lines)


def describe_jump(jump: HeadMove, turn: Turn | None) -> str:
    """Return in words that play went on from `turn`, or to it as another take."""
    if turn is None:
        return "Going on from: the beginning of the scene"
    if turn.take > 1 or jump.kind is MoveKind.TAKE:
        return f"Take {turn.take}: {shorten(turn.text)}"
    return f"Going on from: {shorten(turn.text)}"


def ask_to_take_from_canon(reversal: CommitReversal) -> Reply:
    """Return what a commit wrote, that undo takes it from canon, and the line that does."""
    count = len(reversal.titles)
    return Reply(
        "nothing",
        (
            "Last, this became canon:",
            *list_names(reversal.titles),
            f"Undo takes {'it' if count == 1 else f'these {count}'} from canon, to wait at the gate again; what was "
            f"typed stays, and redo brings {'it' if count == 1 else 'them'} back.",
            *(("What stays in canon:", *list_names(reversal.kept)) if reversal.kept else ()),
        ),
        confirm_line=_CONFIRM_UNDO_LINE,
    )


def ask_to_bring_back(reversal: CommitReversal) -> Reply:
    """Return what undo took from canon, that redo brings it back, and the line that does."""
    return Reply(
        "nothing",
        ("Redo makes this canon again:", *list_names(reversal.titles)),
        confirm_line=_CONFIRM_REDO_LINE,
        confirm_word="Redo",
    )


def ask_to_take_end_back(end: UndoableSceneEnd) -> Reply:
    """Return which scene ended last, what undo of that takes from canon, and the line that does."""
    reversal, count = end.reversal, len(end.reversal.titles)
    taken_lines = (
        (
            f"{'This is' if count == 1 else f'These {count} are'} no longer canon then, and "
            f"{'waits' if count == 1 else 'wait'} at its gate again:",
            *list_names(reversal.titles),
        )
        if reversal.titles
        else ("Its end made nothing canon.",)
    )
    return Reply(
        "nothing",
        (
            f"Take back the end of {end.scene.label}?",
            "The scene goes on as it was before. Redo ends it again in the same way.",
            *taken_lines,
            *(("What stays in canon:", *list_names(reversal.kept)) if reversal.kept else ()),
        ),
        confirm_line=_CONFIRM_UNDO_LINE,
    )


def ask_to_end_again(end: UndoableSceneEnd) -> Reply:
    """Return that redo ends the scene again, with what becomes canon, and the line that does."""
    titles = end.reversal.titles
    return Reply(
        "nothing",
        (
            f"End {end.scene.label} again, as it ended before?",
            *(
                ("This becomes canon again:", *list_names(titles))
                if titles
                else ("Nothing of it becomes canon.",)
            ),
        ),
        confirm_line=_CONFIRM_REDO_LINE,
        confirm_word="Redo",
    )


def ask_past_commit(
    done_text: str, committed_titles: Sequence[str], unsupported_canon: Sequence[UnsupportedCanon]
) -> Reply:
    """Return what was committed last, what undo takes, and the line that does it all the same."""
    done_line = f"Undo takes back what was typed before: {done_text}"
    committed_lines = (
        ("Last, this became canon:", *list_names(committed_titles), done_line)
        if committed_titles
        else (f"Canon rests on what undo takes back: {done_text}",)
    )
    count = len(unsupported_canon)
    canon_lines = (
        (
            f"Canon rests on it. It proposes a retcon of {'this' if count == 1 else f'these {count}'} for you to "
            "decide at the gate:",
            *list_names([record.label for record in unsupported_canon]),
        )
        if unsupported_canon
        else ("What became canon stays: R in the universe retcons it.",)
    )
    return Reply("nothing", (*committed_lines, *canon_lines), confirm_line=_CONFIRM_UNDO_LINE)
