"""The command `monitor`: opens the application, or runs its core without a screen.

Imports are inside the commands: nothing heavy is loaded before the first frame.
Exit codes: 0 done, 1 a clear error (on stderr), 2 wrong usage.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from monitor_tui.paths import home_folder
from stores.errors import InputError, MonitorError

if TYPE_CHECKING:
    from monitor_tui.compose import Desktop
    from monitor_tui.script import Played

app = typer.Typer(
    help="MONITOR keeps the world true while you play: a full-screen application for solo GMs.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Home = Annotated[
    Path | None, typer.Option("--home", help="Where campaigns live (or MONITOR_HOME).", file_okay=False)
]


class Form(StrEnum):
    """How a story is written out."""

    MARKDOWN = "markdown"
    JOURNAL = "journal"


SEEDED_START = datetime(2026, 1, 1, tzinfo=UTC)
"""The clock of a seeded run begins here, so that the same seed gives the same bytes."""


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    home: Home = None,
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
) -> None:
    """Open MONITOR."""
    if version:
        from importlib.metadata import version as installed

        print(f"monitor-tui {installed('monitor-tui')}")
        raise typer.Exit
    context.obj = home
    if context.invoked_subcommand is None:
        _open_app(home, "menu")


@app.command()
def demo(context: typer.Context, home: Home = None) -> None:
    """Open the sample universe and play at once."""
    _open_app(home or context.obj, "demo")


@app.command()
def play(
    context: typer.Context,
    script: Annotated[Path, typer.Option("--script", help="Typed lines to play; see docs/play-scripts.md.")],
    seed: Annotated[int | None, typer.Option("--seed", help="Same seed, same campaign.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Go on after a line that fails.")] = False,
    home: Home = None,
) -> None:
    """Play a script through the same core as the screen."""
    where = home_folder(home or context.obj)
    played = _run(_play(where, _read(script), seed, as_json, keep_going))
    if played.error:
        _fail(played.error)


@app.command("export")
def export_command(
    context: typer.Context,
    universe: Annotated[str, typer.Argument(help="The universe's name.")],
    to: Annotated[Path | None, typer.Option("--to", help="The archive to write.")] = None,
    home: Home = None,
) -> None:
    """Write one campaign, whole, to a .monitor.zip archive."""
    path = _run(_export(home_folder(home or context.obj), universe, to))
    print(f"Exported to {path}")


@app.command("story")
def story_command(
    context: typer.Context,
    title: Annotated[str, typer.Argument(help="The story's title.")],
    form: Annotated[
        Form, typer.Option("--as", help="Markdown with canon as footnotes, or a plain journal.")
    ] = Form.MARKDOWN,
    home: Home = None,
) -> None:
    """Write a story out, to read or to print."""
    print(_run(_told(home_folder(home or context.obj), title, form)), end="")


@app.command("import")
def import_command(
    context: typer.Context,
    archive: Annotated[Path, typer.Argument(help="A .monitor.zip archive.")],
    home: Home = None,
) -> None:
    """Bring a campaign in from an archive."""
    name = _run(_import(home_folder(home or context.obj), archive))
    print(f"Imported {name}")


def main() -> None:
    """Run the command line; every error ends in words and an exit code, never in a traceback."""
    try:
        app()
    except MonitorError as error:
        _fail(str(error))
    except BrokenPipeError:
        raise SystemExit(1) from None
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename or ''}")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


# --- the application ---------------------------------------------------------------------------------


def _open_app(home: Path | None, first: Literal["menu", "demo"]) -> None:
    from monitor_tui.app import MonitorApp
    from monitor_tui.logs import start_log

    where = home_folder(home)
    start_log(where)

    async def open_desk() -> Any:
        # In a thread: the records and the stores are imported here, while the first frame stands.
        compose = await asyncio.to_thread(_compose)
        desktop = await compose.open_desktop(where)
        return desktop.desk, desktop.close

    application = MonitorApp(open_desk, first=first)
    application.run()
    if application.return_code:
        raise SystemExit(application.return_code)


def _compose() -> Any:
    from monitor_tui import compose

    return compose


# --- without a screen --------------------------------------------------------------------------------


async def _play(home: Path, text: str, seed: int | None, as_json: bool, keep_going: bool) -> Played:
    from monitor_tui.report import report
    from monitor_tui.script import play as play_script
    from monitor_tui.script import read_script

    script = read_script(text)
    desktop = await _open_seeded(home, seed) if seed is not None else await _open(home)
    try:
        await desktop.desk.recover()
        played = await play_script(desktop.desk, script, keep_going=keep_going)
        if as_json:
            print(json.dumps(await report(desktop.stores, played), ensure_ascii=False, indent=2))
        else:
            for reply in played.replies:
                print("\n".join((f"> {reply['typed']}", *(f"  {line}" for line in reply.get("says", ())))))
        await desktop.desk.suspend()
    finally:
        await desktop.close()
    return played


async def _open(home: Path) -> Desktop:
    from monitor_tui.compose import open_desktop

    return await open_desktop(home)


async def _open_seeded(home: Path, seed: int) -> Desktop:
    """Open with clock, identifiers and dice from the seed. A second run in the same library goes on from
    what is there: its identifiers are salted with how much has been played."""
    from monitor_tui.compose import open_desktop
    from stores.authority import Role
    from stores.records.ids import SeededIds, SteppingClock

    clock = SteppingClock(SEEDED_START)
    first = await open_desktop(home, clock=clock)
    runs = len(await first.stores.log(Role.CONTEXT_ASSEMBLY).transitions(limit=1_000_000))
    await first.close()
    return await open_desktop(home, clock=clock, ids=SeededIds(seed, clock, salt=str(runs)))


async def _export(home: Path, name: str, to: Path | None) -> Path:
    from stores.archive import export_campaign
    from stores.authority import Role

    desktop = await _open(home)
    try:
        universes = await desktop.stores.canon(Role.CONTEXT_ASSEMBLY).universes()
        found = [u for u in universes if name.casefold() in (u.name.casefold(), u.id)]
        if not found:
            there = ", ".join(u.name for u in universes) or "none yet"
            raise InputError(f"There is no universe called {name!r}.", todo=f"There are: {there}.")
        slug = "".join(c if c.isalnum() else "-" for c in found[0].name.casefold()).strip("-")
        path = to or Path(f"{slug}.monitor.zip")
        await export_campaign(desktop.stores, found[0].id, path)
        return path
    finally:
        await desktop.close()


async def _told(home: Path, title: str, form: Form) -> str:
    from agents.orchestrator.story_export import to_journal, to_markdown

    desktop = await _open(home)
    try:
        stories = [card.story for card in await desktop.desk.stories()]
        found = [s for s in stories if title.casefold() in (s.title.casefold(), s.id)]
        if not found:
            there = ", ".join(s.title for s in stories) or "none yet"
            raise InputError(f"There is no story called {title!r}.", todo=f"There are: {there}.")
        record = await desktop.desk.told(found[0].id)
        return to_markdown(record) if form is Form.MARKDOWN else to_journal(record)
    finally:
        await desktop.close()


async def _import(home: Path, archive: Path) -> str:
    from stores.archive import import_campaign

    desktop = await _open(home)
    try:
        return (await import_campaign(desktop.stores, archive)).name
    finally:
        await desktop.close()


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def _read(path: Path) -> str:
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The script {path} cannot be read: {error}.") from error


def _fail(words: str) -> None:
    print(f"monitor: {words}", file=sys.stderr)
    raise SystemExit(1)
