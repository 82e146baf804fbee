"""Writes the man page of `monitor` from the help texts of its commands: `make man`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperGroup

from monitor_tui.cli.app import app

MAN_PAGE = Path(__file__).parents[1] / "packaging" / "monitor.1"

_FILES = (
    ("library.db", "Worlds, stories and all that was played."),
    ("settings.toml", "Settings; the comma key opens them on a screen."),
    ("systems/, tables/, prompts/", "Rule packs, random tables and prompts of your own."),
    ("backups/", "A backup a day."),
)


def build_man_page() -> str:
    """Return the man page in roff."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group, info_name="monitor")
    return "\n".join([*_head(), *_commands(group, context), *_tail()]) + "\n"


def _head() -> Iterator[str]:
    yield '.TH MONITOR 1 "" "MONITOR" "User Commands"'
    yield ".SH NAME"
    yield "monitor \\- keeps the world true while you play a role\\-playing campaign alone"
    yield ".SH SYNOPSIS"
    yield ".B monitor\n[\\fB\\-\\-home\\fR \\fIDIR\\fR] [\\fICOMMAND\\fR] [\\fIARGUMENTS\\fR]"
    yield ".SH DESCRIPTION"
    yield "Without a command, MONITOR opens full screen. 1 and Enter begin a story in the sample world; F1 is help."
    yield ".PP\n\\fBmonitor COMMAND \\-\\-help\\fR says more of each command."
    yield ".SH COMMANDS"


def _commands(group: TyperGroup, context: typer.Context) -> Iterator[str]:
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        own_context = typer.Context(command, info_name=name, parent=context)
        pieces = " ".join(command.collect_usage_pieces(own_context))
        yield f".TP\n.B {_escape(name)}\n{_escape(pieces)}\n.br\n{_escape(_first_paragraph(command.help or ''))}"


def _tail() -> Iterator[str]:
    yield ".SH FILES\nIn the home folder: \\fB\\-\\-home\\fR, or MONITOR_HOME, or the platform's data folder."
    for name, text in _FILES:
        yield f".TP\n.I {_escape(name)}\n{_escape(text)}"
    yield ".SH EXIT STATUS\n0 done, 1 an error in words, 2 wrong usage."


def _first_paragraph(text: str) -> str:
    return " ".join(re.split(r"\n\s*\n", text.strip())[0].split())


def _escape(text: str) -> str:
    """Escape text for roff: backslashes, hyphens, and a dot that would begin a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    MAN_PAGE.write_text(build_man_page(), encoding="utf-8")
