"""`monitor play` and `monitor story`: a story played, and a story told, without a screen."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitor_tui.cli_common import AsJson, Home, fail, group, home_of, open_services, print_json, run, the_one
from stores.errors import InputError

if TYPE_CHECKING:
    from monitor_tui.compose import Program
    from monitor_tui.script import Played

commands = group()


class Form(StrEnum):
    """How a story is written out."""

    MARKDOWN = "markdown"
    JOURNAL = "journal"


SEEDED_START = datetime(2026, 1, 1, tzinfo=UTC)
"""The clock of a seeded run begins here, so that the same seed gives the same bytes."""


@commands.command()
def play(
    context: typer.Context,
    script: Annotated[Path, typer.Option("--script", help="Typed lines to play; see docs/play-scripts.md.")],
    seed: Annotated[int | None, typer.Option("--seed", help="Same seed, same campaign.")] = None,
    as_json: AsJson = False,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Go on after a line that fails.")] = False,
    home: Home = None,
) -> None:
    """Play a script through the same core as the screen."""
    played = run(_play(home_of(context, home), _read(script), seed, as_json, keep_going))
    if played.error:
        fail(played.error)


@commands.command("story")
def story(
    context: typer.Context,
    title: Annotated[str, typer.Argument(help="The story's title.")],
    form: Annotated[
        Form, typer.Option("--as", help="Markdown with canon as footnotes, or a plain journal.")
    ] = Form.MARKDOWN,
    home: Home = None,
) -> None:
    """Write a story out, to read or to print."""
    print(run(_told(home_of(context, home), title, form)), end="")


async def _play(home: Path, text: str, seed: int | None, as_json: bool, keep_going: bool) -> Played:
    from monitor_tui.report import report
    from monitor_tui.script import play as play_script
    from monitor_tui.script import read_script

    script = read_script(text)
    program = await _open_seeded(home, seed) if seed is not None else await open_services(home)
    try:
        await program.services.stories.recover()
        played = await play_script(program.services, script, keep_going=keep_going)
        if as_json:
            print_json(await report(program.stores, played))
        else:
            for reply in played.replies:
                says = [f"gm: {words}" for words in reply.get("tells", ())]
                says += [*reply.get("says", ()), *([f"[{reply['prompt']}]"] if "prompt" in reply else [])]
                says += [f"! {reply['error']}"] if "error" in reply else []
                print("\n".join((f"> {reply['typed']}", *(f"  {line}" for line in says))))
        await program.services.stories.suspend()
    finally:
        await program.close()
    return played


async def _open_seeded(home: Path, seed: int) -> Program:
    """Open with clock, identifiers and dice from the seed. A second run in the same library goes on from
    what is there: its identifiers are salted with how much has been played."""
    from monitor_tui.compose import open_program
    from stores.authority import Role
    from stores.records.ids import SeededIds, SteppingClock

    clock = SteppingClock(SEEDED_START)
    first = await open_program(home, clock=clock)
    runs = len(await first.stores.log(Role.CONTEXT_ASSEMBLY).transitions(limit=1_000_000))
    await first.close()
    return await open_program(home, clock=clock, ids=SeededIds(seed, clock, salt=str(runs)))


async def _told(home: Path, title: str, form: Form) -> str:
    from agents.services.story_export import to_journal, to_markdown

    program = await open_services(home)
    try:
        stories = [card.story for card in await program.services.stories.stories()]
        found = the_one("story", title, [(story.id, story.title, story) for story in stories])
        record = await program.services.stories.story_record(found.id)
        return to_markdown(record) if form is Form.MARKDOWN else to_journal(record)
    finally:
        await program.close()


def _read(path: Path) -> str:
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The script {path} cannot be read: {error}.") from error
