"""`monitor play` and `monitor story`: play a script, and export a story, without a screen."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agents.exports.story_form import StoryForm
from monitor_tui.cli.common import (
    AsJson,
    Home,
    command_group,
    exit_with_error,
    find_one,
    open_services,
    print_json,
    resolve_home,
    run_command,
    write_new_file,
)
from stores.errors import InputError

if TYPE_CHECKING:
    from monitor_tui.compose import Program
    from monitor_tui.play_script import ScriptResult

commands = command_group()


SEEDED_CLOCK_START = datetime(2026, 1, 1, tzinfo=UTC)
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
    from monitor_tui.input_files import read_text_file

    script_result = run_command(
        _play_script_file(
            resolve_home(context, home), read_text_file(script, "script"), seed, as_json, keep_going
        )
    )
    if script_result.error:
        exit_with_error(script_result.error)


@commands.command("story")
def story(
    context: typer.Context,
    title: Annotated[str, typer.Argument(help="The story's title.")],
    form: Annotated[
        StoryForm,
        typer.Option(
            "--as", help="Markdown with canon as footnotes, a plain journal, a book, or a page to print."
        ),
    ] = StoryForm.MARKDOWN,
    to: Annotated[
        Path | None, typer.Option("--to", help="The file to write, in place of the screen; it must be new.")
    ] = None,
    mechanics: Annotated[
        bool,
        typer.Option("--mechanics", help="A book or page with rolls and facts, and not with prose alone."),
    ] = False,
    players: Annotated[bool, typer.Option("--players", help="Without secrets and notes.")] = False,
    home: Home = None,
) -> None:
    """Export a story as text, as a book (EPUB), or as a page to print (HTML)."""
    if form is StoryForm.EPUB and to is None:
        raise InputError("A book is no text for a screen.", todo="Say where: --to story.epub.")
    data = run_command(_export_story(resolve_home(context, home), title, form, mechanics, players))
    if to is None:
        print(data.decode(), end="")
        return
    write_new_file(to, data)
    print(f"Exported to {to}")


async def _play_script_file(
    home: Path, text: str, seed: int | None, as_json: bool, keep_going: bool
) -> ScriptResult:
    from monitor_tui.play_report import build_report
    from monitor_tui.play_script import play_script as play_script
    from monitor_tui.play_script import read_script

    script = read_script(text)
    program = await _open_seeded(home, seed) if seed is not None else await open_services(home)
    try:
        await program.services.stories.recover()
        script_result = await play_script(program.services, script, keep_going=keep_going)
        if as_json:
            print_json(await build_report(program.stores, script_result))
        else:
            for reply in script_result.replies:
                reply_lines = [f"gm: {narrated_text}" for narrated_text in reply.get("tells", ())]
                reply_lines += [
                    *reply.get("says", ()),
                    *([f"[{reply['prompt']}]"] if "prompt" in reply else []),
                ]
                reply_lines += [f"! {reply['error']}"] if "error" in reply else []
                print("\n".join((f"> {reply['typed']}", *(f"  {line}" for line in reply_lines))))
        await program.services.stories.suspend()
    finally:
        await program.close()
    return script_result


async def _open_seeded(home: Path, seed: int) -> Program:
    """Open with clock, identifiers and dice from the seed.

    A second run in the same library goes on from what is there: its identifiers are salted with how much
    has been played.
    """
    from monitor_tui.compose import open_program
    from stores.authority import Role
    from stores.records.ids import SeededIdGenerator, SteppingClock

    clock = SteppingClock(SEEDED_CLOCK_START)
    first_program = await open_program(home, clock=clock)
    transition_count = len(await first_program.stores.log(Role.CONTEXT_ASSEMBLY).transitions(limit=1_000_000))
    await first_program.close()
    return await open_program(
        home, clock=clock, ids=SeededIdGenerator(seed, clock, salt=str(transition_count))
    )


async def _export_story(
    home: Path, title: str, form: StoryForm, with_mechanics: bool, for_players: bool
) -> bytes:
    program = await open_services(home, for_reading=True)
    try:
        stories = [card.story for card in await program.services.stories.stories()]
        matching_story = find_one("story", title, [(story.id, story.title, story) for story in stories])
        return await program.services.stories.write_story(
            matching_story.id, form, with_mechanics=with_mechanics, for_players=for_players
        )
    finally:
        await program.close()
