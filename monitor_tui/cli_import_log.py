"""`monitor import-log`: the log of another table becomes a universe, a story, scenes and turns."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from monitor_tui.cli_asking import up_to_date
from monitor_tui.cli_common import (
    INTERRUPTED,
    AsJson,
    Home,
    count,
    group,
    home_of,
    open_services,
    print_json,
    progress,
    warn,
)

if TYPE_CHECKING:
    from agents.importers.import_views import ImportProgress, ImportRequest, ImportResult
    from agents.importers.log_entries import ImportProblem

commands = group()

SHOWN: Final = 20
"""Problems that are listed; all are counted."""

_BAR: Final = 30


class LogForm(StrEnum):
    """What a log is written in."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"
    LONELOG = "lonelog"


@commands.command("import-log")
def import_log(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A log: JSON lines, `Name: words`, or Lonelog; - is stdin.")],
    universe: Annotated[str, typer.Option("--universe", help="The universe; made if there is none.")] = "",
    story: Annotated[str, typer.Option("--story", help="The story's title.")] = "",
    pc: Annotated[str, typer.Option("--pc", help="The player character; made if there is none.")] = "",
    form: Annotated[LogForm, typer.Option("--format", help="What it is written in.")] = LogForm.AUTO,
    index: Annotated[
        bool,
        typer.Option("--index/--no-index", help="Index it at once, or when MONITOR is next open or asked."),
    ] = True,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Bring in the log of existing play. Nothing of it becomes canon.

    Ctrl+C stops it between two scenes; the same command again goes on from there.
    """
    teller = _Teller(quiet=as_json)
    try:
        asyncio.run(
            _import(home_of(context, home), _order(file, universe, story, pc, form), teller, index, as_json)
        )
    except KeyboardInterrupt:
        teller.end()
        warn(f"Cancelled. {teller.so_far()}")
        raise SystemExit(INTERRUPTED) from None
    finally:
        teller.end()


async def _order(file: Path, universe: str, story: str, pc: str, form: LogForm) -> ImportRequest:
    from agents.importers.import_views import ImportRequest
    from agents.importers.log_entries import LogFormat
    from monitor_tui.log_file import STDIN, read_log_file

    return ImportRequest(
        name=file.name if str(file) != STDIN else "Imported log",
        data=await read_log_file(str(file)),
        universe=universe,
        story=story,
        hero=pc,
        form=None if form is LogForm.AUTO else LogFormat(form.value),
    )


async def _import(
    home: Path, ordered: Awaitable[ImportRequest], teller: _Teller, index: bool, as_json: bool
) -> None:
    from monitor_tui.behind import Work

    order = await ordered
    program = await open_services(home, Work.ASK if index else Work.NOTHING)
    try:
        # What a crash left half done is finished before anything is laid beside it.
        await program.services.stories.recover()
        done = await program.services.imports.import_log(order, teller.hear)
        teller.finished()
        if as_json:
            print_json(_as_json(done))
        else:
            print("\n".join(_words(done)), flush=True)
        if index:
            await up_to_date(program.services, done.universe_id)
    finally:
        await program.close()


class _Teller:
    """Says on stderr how far it is: a bar that moves on a terminal, else a line at every tenth."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty() and not quiet
        self._drawn = False
        self._tenth = 0
        self._last: ImportProgress | None = None
        self._finished = False

    def hear(self, came: ImportProgress) -> None:
        self._last = came
        if self._live:
            full = _BAR * came.turns // max(came.total_turns, 1)
            bar = "█" * full + "░" * (_BAR - full)
            sys.stderr.write(f"\r\x1b[K{bar} {came.turns:,} of {came.total_turns:,} turns")
            sys.stderr.flush()
            self._drawn = True
        elif (tenth := 10 * came.turns // max(came.total_turns, 1)) > self._tenth:
            self._tenth = tenth
            progress(
                f"{came.turns:,} of {came.total_turns:,} turns, {came.scenes:,} of {came.total_scenes:,} scenes"
            )

    def so_far(self) -> str:
        if self._finished:
            return "The log is in; its index is made when MONITOR is next open or asked."
        if self._last is None:
            return "Nothing was brought in by this run."
        so_far = (
            f"At least {self._last.turns:,} of {self._last.total_turns:,} turns are in, as a story that can be "
            "played."
        )
        return f"{so_far} The same command again goes on from there."

    def finished(self) -> None:
        """All of it is in; what comes now is its index."""
        self.end()
        self._finished = True

    def end(self) -> None:
        if self._drawn:
            sys.stderr.write("\n")
            self._drawn = False


def _words(done: ImportResult) -> list[str]:
    into = f"“{done.story}” in {done.universe}"
    held = f"{count(done.turns, 'turn')} in {count(done.scenes, 'scene')}"
    notes = f", and {count(done.notes, 'note')} out of character" if done.notes else ""
    if done.was_already_complete:
        lines = [f"{into} has this log already: {held}{notes}. Nothing was changed."]
    elif done.resumed_at:
        lines = [f"Resumed at turn {done.resumed_at:,}.", f"Imported {into}: {held}{notes}."]
    else:
        lines = [f"Imported {into}: {held}{notes}."]
    if not done.was_already_complete:
        lines.append("Nothing of it is canon. It can be played on: Continue a story.")
    return [*lines, *_problem_lines(done.problems)]


def _problem_lines(problems: Sequence[ImportProblem]) -> list[str]:
    if not problems:
        return []
    lost = sum(problem.is_lost for problem in problems)
    lines = [
        "",
        f"{count(len(problems), 'thing')} to know" + (f", {lost:,} about what is left out:" if lost else ":"),
    ]
    lines += [f"  {problem}" for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"  ... and {len(problems) - SHOWN:,} more (all with --json)")
    return lines


def _as_json(done: ImportResult) -> dict[str, Any]:
    return {
        "universe": {"id": done.universe_id, "name": done.universe},
        "story": {"id": done.story_id, "title": done.story},
        "scenes": done.scenes,
        "turns": done.turns,
        "notes": done.notes,
        "resumed_at": done.resumed_at,
        "nothing_to_do": done.was_already_complete,
        "last_scene": done.last_scene,
        "problems": [{"line": p.line, "words": p.message, "left_out": p.is_lost} for p in done.problems],
    }
