"""What a frame of a terminal program draws, and which frame answers a key."""

from __future__ import annotations

from benchmarks.frames import has_text, read_rows, shows, shows_in_rows
from benchmarks.gate import CursorWatch
from benchmarks.keys import PROMPT_ROWS, draws_transcript

TITLE = "\x1b[1;1H\x1b[1mThe Long Watch  Day 1, indexing 1,240\x1b[0m"
BLINK = "\x1b[37;4H\x1b[7m \x1b[0m"
TRANSCRIPT = "\x1b[2;1H\x1b[1myou\x1b[0m  I go on.\x1b[3;1H  The bell rings."


def test_frame_rows_have_their_text_without_colours() -> None:
    assert read_rows(TRANSCRIPT.encode()) == {2: "you  I go on.", 3: "  The bell rings."}


def test_frame_rows_of_two_moves_in_one_row_are_joined() -> None:
    assert read_rows(b"lost\x1b[4;1HMara\x1b[4;9H Venn\r\n") == {4: "Mara Venn"}


def test_frame_of_the_title_alone_does_not_answer_a_move_in_the_transcript() -> None:
    assert not draws_transcript((TITLE + BLINK).encode())
    assert draws_transcript((TITLE + TRANSCRIPT).encode())


def test_frame_of_the_title_alone_does_not_answer_a_letter_that_the_title_contains() -> None:
    answers = shows_in_rows(PROMPT_ROWS, "x")
    assert not answers((TITLE + BLINK).encode())
    assert answers((TITLE + "\x1b[37;4Hx").encode())


def test_frame_with_words_anywhere_is_shown() -> None:
    assert shows("indexing")(TITLE.encode())
    assert not shows("canon")(TITLE.encode())
    assert shows("")(b"")


def test_frame_of_blanks_has_no_text() -> None:
    assert not has_text(b"\x1b[?2026h\x1b[1;1H\x1b[44m     \x1b[0m\r\n")
    assert has_text(TITLE.encode())


def _gate(marked_row: str) -> bytes:
    return f"\x1b[1;1HCanon gate  12 accept\x1b[3;1H   ‖  15 object  deferred\x1b[4;1H{marked_row}".encode()


def test_gate_cursor_is_on_another_proposal_only_when_a_verdict_moved_it() -> None:
    watch = CursorWatch()
    assert watch(_gate(" ▸ ✓   3 object  Chest 2"))
    assert not watch(_gate(" ▸ ✓   3 object  Chest 2   deferred"))
    assert not watch(TITLE.encode())
    assert watch(_gate(" ▸ ✓  22 object  Chest 3"))
