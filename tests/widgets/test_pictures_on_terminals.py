"""How a terminal shows pictures, decided without asking it, and what reaches it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Final

import pytest
from rich.segment import Segment
from textual.color import Color

from tests.picture_files import png_of
from widgets.pictures.picture_kinds import CellSize, PictureKind, choose_picture_kind
from widgets.pictures.terminal_drawing import draw_picture
from widgets.plain_line_filter import PlainLineFilter

CELL: Final = CellSize(10, 20)
KITTY: Final = {"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        (KITTY, PictureKind.KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, PictureKind.SIXEL),
        ({"TERM": "xterm-256color", "WEZTERM_PANE": "0"}, PictureKind.SIXEL),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, PictureKind.SIXEL),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "240802"}, PictureKind.SIXEL),
        ({"TERM": "foot"}, PictureKind.SIXEL),
        ({"TERM": "xterm-256color"}, PictureKind.BLOCKS),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, PictureKind.BLOCKS),
        ({}, PictureKind.BLOCKS),
        ({**KITTY, "TMUX": "/tmp/tmux-0/default,1,0"}, PictureKind.BLOCKS),
        ({**KITTY, "TERM": "tmux-256color"}, PictureKind.BLOCKS),
        ({**KITTY, "STY": "1.pts-0"}, PictureKind.BLOCKS),
        ({**KITTY, "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, PictureKind.BLOCKS),
        ({**KITTY, "NO_COLOR": "1"}, PictureKind.BLOCKS),
    ],
)
def test_way_of_showing_pictures_goes_by_the_environment(
    environment: dict[str, str], kind: PictureKind
) -> None:
    assert choose_picture_kind("auto", environment, has_terminal=True) is kind
    assert choose_picture_kind("no such way", environment, has_terminal=True) is kind
    assert choose_picture_kind("auto", environment, has_terminal=False) is PictureKind.BLOCKS


@pytest.mark.parametrize("kind", list(PictureKind))
def test_way_of_showing_pictures_can_be_set(kind: PictureKind) -> None:
    over_ssh = {"TERM": "xterm", "SSH_TTY": "/dev/pts/1", "TMUX": "x"}
    assert choose_picture_kind(kind.value, over_ssh, has_terminal=True) is kind
    is_off = kind is PictureKind.OFF
    in_browser = choose_picture_kind(kind.value, over_ssh, has_terminal=False)
    assert in_browser is (PictureKind.OFF if is_off else PictureKind.BLOCKS)


def text_of(lines: tuple[tuple[Segment, ...], ...]) -> str:
    return "".join(segment.text for line in lines for segment in line)


def test_picture_in_blocks_has_two_pixels_a_cell() -> None:
    drawing = draw_picture(png_of(6, 4), PictureKind.BLOCKS, CELL)
    assert (drawing.columns, len(drawing.lines), drawing.sent_before, drawing.sent_after) == (6, 2, "", "")
    first, last = drawing.lines[0][0].style, drawing.lines[-1][-1].style
    assert first is not None
    assert last is not None
    assert (first.color, last.bgcolor) != (None, None)
    assert first.color != last.bgcolor


def test_picture_for_kitty_is_sent_before_its_cells_and_forgotten_after() -> None:
    drawing = draw_picture(png_of(60, 40), PictureKind.KITTY, CELL)
    assert (drawing.columns, len(drawing.lines)) == (6, 2)
    assert f"a=p,i={drawing.kitty_number},c=6,r=2,U=1,q=2" in drawing.sent_before
    assert set(re.findall(r"q=\d", drawing.sent_before)) == {"q=2"}, "Kitty is to answer nothing"
    assert drawing.sent_after == f"\x1b_Ga=d,d=I,i={drawing.kitty_number},q=2\x1b\\"
    assert text_of(drawing.lines).count("\U0010eeee") == 12
    other = draw_picture(png_of(60, 40), PictureKind.KITTY, CELL)
    assert other.kitty_number != drawing.kitty_number


def test_picture_in_sixels_lies_over_spaces_line_by_line() -> None:
    drawing = draw_picture(png_of(60, 40), PictureKind.SIXEL, CELL)
    assert (drawing.columns, len(drawing.lines), drawing.sent_before) == (6, 2, "")
    for spaces, sixels in drawing.lines:
        assert spaces.text == " " * 6
        assert sixels.cell_length == 0
        assert re.fullmatch(r"\x1b7\x1b\[6D\x1bP[^\x1b]*\"1;1;60;20[^\x1b]*\x1b\\\x1b8", sixels.text)


def test_picture_in_sixels_chooses_each_colour_that_it_defines() -> None:
    """A definition alone chooses no colour in xterm: the first band of each line was drawn in another one."""
    for _, sixels in draw_picture(png_of(60, 40), PictureKind.SIXEL, CELL).lines:
        definitions = re.findall(r"#(\d+);2;\d+;\d+;\d+(#?\d*)", sixels.text)
        assert definitions
        assert all(chosen == f"#{number}" for number, chosen in definitions)


@pytest.mark.parametrize("kind", [PictureKind.KITTY, PictureKind.SIXEL])
def test_escapes_of_pictures_reach_the_terminal_and_no_others(kind: PictureKind) -> None:
    (line, *_) = draw_picture(png_of(60, 40), kind, CELL).lines
    typed = Segment("\x1bPq\x1b\\\x1b[2Jwords")
    shown = PlainLineFilter().apply([typed, *line], Color(0, 0, 0))
    assert shown[0].text == "words"
    assert shown[1:] == list(line)


@pytest.mark.slow
def test_screens_load_nothing_before_the_first_picture() -> None:
    code = (
        "import sys, monitor_tui.app, screens.navigation; screens.navigation.import_screens();"
        "assert 'widgets.pictures.terminal_drawing' in sys.modules;"
        "print([m for m in sys.modules if m.split('.')[0] in ('PIL', 'textual_image')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


ON_A_TERMINAL: Final = """
import os, sys, tty
tty.setraw(0)
assert sys.__stdout__.isatty() and sys.__stdin__.isatty()
from tests.picture_files import png_of
from widgets.pictures.cell_size import read_cell_size
from widgets.pictures.picture_kinds import PictureKind
from widgets.pictures.terminal_drawing import draw_picture
before = sys.__stdout__
os.write(1, b"begin|")
for kind in PictureKind:
    draw_picture(png_of(), kind, read_cell_size())
assert sys.__stdout__ is before
os.write(1, b"|end")
os.write(1, b"|" + os.read(0, 5))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_library_of_pictures_asks_a_terminal_nothing_and_takes_no_key() -> None:
    import pty

    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, "-c", ON_A_TERMINAL])
    written = b""
    while b"begin|" not in written:
        written += os.read(terminal, 1_000)
    os.write(terminal, b"hello")  # typed while the library is imported
    while b"hello" not in written:
        written += os.read(terminal, 1_000)
    os.waitpid(process, 0)
    os.close(terminal)
    assert written == b"begin||end|hello"
