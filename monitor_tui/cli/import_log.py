"""`monitor import-log`: a log becomes a story, and a character card or lorebook proposals."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from monitor_tui.cli.common import (
    INTERRUPTED_EXIT_CODE,
    AsJson,
    Home,
    command_group,
    count_text,
    open_services,
    print_json,
    print_progress,
    print_warning,
    resolve_home,
)
from monitor_tui.cli.record_queries import index_universe

if TYPE_CHECKING:
    from agents.importers.cards.card_receipt import CardReceipt
    from agents.importers.import_views import ImportProgress, ImportRequest, ImportResult
    from agents.importers.log_entries import ImportProblem

commands = command_group()

MAX_LISTED_PROBLEMS: Final = 20
"""Problems that are listed; all are counted."""

_BAR_CELLS: Final = 30


class LogFormatOption(StrEnum):
    """What a log is written in."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"
    LONELOG = "lonelog"
    MARKDOWN = "markdown"


@commands.command("import-log")
def import_log(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            help="A log (JSON lines, `Name: words`, Lonelog, a Markdown journal), or a character card or lorebook of "
            "SillyTavern (PNG, JSON, CHARX); - is stdin."
        ),
    ],
    universe: Annotated[str, typer.Option("--universe", help="The universe; created if there is none.")] = "",
    story: Annotated[str, typer.Option("--story", help="The story's title.")] = "",
    pc: Annotated[str, typer.Option("--pc", help="The player character; created if there is none.")] = "",
    form: Annotated[
        LogFormatOption, typer.Option("--format", help="What it is written in.")
    ] = LogFormatOption.AUTO,
    index: Annotated[
        bool,
        typer.Option("--index/--no-index", help="Index it at once, or when MONITOR is next open or asked."),
    ] = True,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Import a log of existing play, or a character card or lorebook. None of it becomes canon.

    Ctrl+C stops it between two scenes; the same command again continues from there.
    """
    reporter = _ProgressReporter(quiet=as_json)
    try:
        asyncio.run(
            _import_log_file(
                resolve_home(context, home),
                _read_order(file, universe, story, pc, form),
                reporter,
                index,
                as_json,
            )
        )
    except KeyboardInterrupt:
        reporter.end_bar()
        print_warning(f"Cancelled. {reporter.summary()}")
        raise SystemExit(INTERRUPTED_EXIT_CODE) from None
    finally:
        reporter.end_bar()


async def _read_order(file: Path, universe: str, story: str, pc: str, form: LogFormatOption) -> ImportRequest:
    from agents.importers.import_views import ImportRequest
    from agents.importers.log_entries import LogFormat
    from monitor_tui.input_files import STDIN_PATH, read_log_file

    return ImportRequest(
        name=file.name if str(file) != STDIN_PATH else "Imported log",
        data=await read_log_file(str(file)),
        universe=universe,
        story=story,
        hero=pc,
        form=None if form is LogFormatOption.AUTO else LogFormat(form.value),
    )


async def _import_log_file(
    home: Path,
    order_reader: Awaitable[ImportRequest],
    reporter: _ProgressReporter,
    index: bool,
    as_json: bool,
) -> None:
    from agents.importers.cards.card_receipt import CardReceipt
    from monitor_tui.background_mode import BackgroundMode

    order = await order_reader
    program = await open_services(home, BackgroundMode.QUERY if index else BackgroundMode.OFF)
    try:
        # What a crash left half done is finished before anything is laid beside it.
        await program.services.stories.recover()
        result = await program.services.imports.import_file(order, reporter.report_progress)
        reporter.mark_finished()
        if as_json:
            print_json(_receipt_json(result) if isinstance(result, CardReceipt) else _result_json(result))
        else:
            lines = _card_lines(result) if isinstance(result, CardReceipt) else _result_lines(result)
            print("\n".join(lines), flush=True)
        if index:
            await index_universe(program.services, result.universe_id)
    finally:
        await program.close()


class _ProgressReporter:
    """Says on stderr how far it is: a bar that moves on a terminal, else a line at every tenth."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._is_terminal = sys.stderr.isatty() and not quiet
        self._is_bar_drawn = False
        self._tenth = 0
        self._last_progress: ImportProgress | None = None
        self._is_finished = False

    def report_progress(self, progress_state: ImportProgress) -> None:
        self._last_progress = progress_state
        if self._is_terminal:
            filled_cells = _BAR_CELLS * progress_state.turns // max(progress_state.total_turns, 1)
            bar = "█" * filled_cells + "░" * (_BAR_CELLS - filled_cells)
            sys.stderr.write(
                f"\r\x1b[K{bar} {progress_state.turns:,} of {progress_state.total_turns:,} turns"
            )
            sys.stderr.flush()
            self._is_bar_drawn = True
        elif (tenth := 10 * progress_state.turns // max(progress_state.total_turns, 1)) > self._tenth:
            self._tenth = tenth
            print_progress(
                f"{progress_state.turns:,} of {progress_state.total_turns:,} turns, "
                f"{progress_state.scenes:,} of {progress_state.total_scenes:,} scenes"
            )

    def summary(self) -> str:
        if self._is_finished:
            return "It is imported; MONITOR indexes it when it is next open or searched."
        if self._last_progress is None:
            return "Nothing was imported."
        imported_text = (
            f"At least {self._last_progress.turns:,} of {self._last_progress.total_turns:,} turns "
            "are in, as a story that can be "
            "played."
        )
        return f"{imported_text} The same command again goes on from there."

    def mark_finished(self) -> None:
        """All of it is in; what comes now is its index."""
        self.end_bar()
        self._is_finished = True

    def end_bar(self) -> None:
        if self._is_bar_drawn:
            sys.stderr.write("\n")
            self._is_bar_drawn = False


def _result_lines(result: ImportResult) -> list[str]:
    from agents.importers.import_runner import describe_proposals

    target = f"“{result.story}” in {result.universe}"
    contents_text = f"{count_text(result.turns, 'turn')} in {count_text(result.scenes, 'scene')}"
    notes = f", and {count_text(result.notes, 'note')} out of character" if result.notes else ""
    if result.was_already_complete:
        lines = [f"{target} has this log already: {contents_text}{notes}. Nothing was changed."]
    elif result.resumed_at:
        lines = [f"Resumed at turn {result.resumed_at:,}.", f"Imported {target}: {contents_text}{notes}."]
    else:
        lines = [f"Imported {target}: {contents_text}{notes}."]
    if not result.was_already_complete:
        lines.append("None of it is canon. Play on with it under Continue.")
        if proposed_text := describe_proposals(result):
            lines.append(proposed_text)
    return [*lines, *_problem_lines(result.problems)]


def _card_lines(receipt: CardReceipt) -> list[str]:
    from agents.importers.cards.card_receipt import receipt_lines

    return [*receipt_lines(receipt), *_problem_lines(receipt.problems)]


def _problem_lines(problems: Sequence[ImportProblem]) -> list[str]:
    if not problems:
        return []
    lost_count = sum(problem.is_lost for problem in problems)
    lines = [
        "",
        f"{count_text(len(problems), 'note')}"
        + (f", {lost_count:,} about what was left out:" if lost_count else ":"),
    ]
    lines += [f"  {problem}" for problem in problems[:MAX_LISTED_PROBLEMS]]
    if len(problems) > MAX_LISTED_PROBLEMS:
        lines.append(f"  ... and {len(problems) - MAX_LISTED_PROBLEMS:,} more (all with --json)")
    return lines


def _receipt_json(receipt: CardReceipt) -> dict[str, Any]:
    return {
        "universe": {"id": receipt.universe_id, "name": receipt.universe},
        "format": receipt.form.value,
        "character": receipt.character,
        "proposals": {
            "characters": receipt.entities,
            "facts": receipt.facts,
            "lore_entries": receipt.lore_entries,
        },
        "proposed_before": receipt.proposed_before,
        "kept_texts": receipt.kept_texts,
        "problems": [{"words": p.message, "left_out": p.is_lost} for p in receipt.problems],
    }


def _result_json(result: ImportResult) -> dict[str, Any]:
    return {
        "universe": {"id": result.universe_id, "name": result.universe},
        "story": {"id": result.story_id, "title": result.story},
        "scenes": result.scenes,
        "turns": result.turns,
        "notes": result.notes,
        "proposals": result.proposal_count,
        "undecided_names": list(result.undecided_names),
        "resumed_at": result.resumed_at,
        "nothing_to_do": result.was_already_complete,
        "last_scene": result.last_scene,
        "problems": [{"line": p.line, "words": p.message, "left_out": p.is_lost} for p in result.problems],
    }
