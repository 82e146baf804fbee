"""`monitor replay`: the log of a story's world, replayed, gives the canon that the library holds."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitor_tui.cli.common import (
    Home,
    command_group,
    count_text,
    exit_with_error,
    find_one,
    open_library,
    resolve_home,
    run_command,
)

if TYPE_CHECKING:
    from agents.orchestrator.replay import CanonRecords, ReplayReport
    from agents.services.llm_setup import ModelProcess
    from stores.open import Stores
    from stores.records.play import Story

MAX_SHOWN_DIFFERENCES = 20

commands = command_group()


@commands.command("replay")
def replay_command(
    context: typer.Context,
    story: Annotated[str, typer.Argument(help="The story's title.")],
    model: Annotated[
        str, typer.Option("--model", help="Have this model narrate the last turn again, in a copy.")
    ] = "",
    home: Home = None,
) -> None:
    """Replay a story's log in a scratch library, and compare what becomes canon there."""
    report = run_command(replay_story(resolve_home(context, home), story, model))
    if report.narrated_text:
        print(f"{model} narrates: {report.narrated_text}")
    for difference in report.differences[:MAX_SHOWN_DIFFERENCES]:
        print(difference)
    if report.differences:
        exit_with_error(f"The replay differs in {count_text(len(report.differences), 'record')}.")
    commits = count_text(report.commit_count, "commit")
    print(f"The same canon: {commits}, {count_text(report.record_count, 'record')} compared.")


async def replay_story(
    home: Path, story_name: str, model: str, model_process: ModelProcess | None = None
) -> ReplayReport:
    """Replay a story's log, and have `model` narrate its last turn again in a copy if one is named.

    `model_process` answers for the model, if not LiteLLM in a child process.
    """
    from agents.orchestrator.replay import ReplayReport, compare_canon, read_canon, replay_commits
    from stores.authority import Role
    from stores.open import open_stores

    async with open_library(home) as stores:
        log, canon = stores.log(Role.CONTEXT_ASSEMBLY), stores.canon(Role.CONTEXT_ASSEMBLY)
        story = find_one(
            "story",
            story_name,
            [(each.id, each.title, each) for each in (await log.readable_stories()).records],
        )
        canon_before = await read_canon(canon, story.universe_id)
        with tempfile.TemporaryDirectory(prefix="monitor-replay-") as folder:
            scratch = await open_stores(Path(folder) / "replayed")
            try:
                commit_count = await replay_commits(
                    log,
                    canon,
                    scratch.canon(Role.CANON_KEEPER),
                    scratch.canon(Role.ORCHESTRATOR),
                    story.universe_id,
                )
                canon_after = await read_canon(scratch.canon(Role.CONTEXT_ASSEMBLY), story.universe_id)
            finally:
                await scratch.close()
            differences, narrated_text = compare_canon(canon_before, canon_after), ""
            if model:
                narrated_text, canon_narrated = await _narrate_in_copy(
                    stores, story, Path(folder) / "narrated", home, model, model_process
                )
                differences += compare_canon(canon_before, canon_narrated)
    record_count = sum(len(records) for records in canon_before.values())
    return ReplayReport(commit_count, record_count, tuple(differences), narrated_text)


async def _narrate_in_copy(
    stores: Stores,
    story: Story,
    copy_home: Path,
    home: Path,
    model: str,
    model_process: ModelProcess | None,
) -> tuple[str, CanonRecords]:
    """Have a model narrate the story's last turn again in a copy of its campaign.

    Return the words, and the canon of the copy after it.
    """
    from agents.orchestrator.replay import read_canon
    from monitor_tui.compose import open_program
    from monitor_tui.settings import read_settings
    from stores.archive import export_campaign, import_campaign
    from stores.authority import Role
    from stores.open import open_stores

    archive = copy_home.with_suffix(".monitor.zip")
    await export_campaign(stores, story.universe_id, archive)
    scratch = await open_stores(copy_home)
    try:
        await import_campaign(scratch, archive)
    finally:
        await scratch.close()
    settings = read_settings(home)
    settings = settings.model_copy(update={"model": settings.model.model_copy(update={"name": model})})
    program = await open_program(copy_home, settings=settings, model=model_process)
    try:
        scene_id = (await program.stores.log(Role.CONTEXT_ASSEMBLY).scenes(story.id))[-1].id
        await program.services.play.narrate_again(scene_id)
        view = await program.services.play.scene(scene_id)
        rows = await program.services.play.transcript(scene_id, max(0, view.turn_count - 1), 1)
        canon_after = await read_canon(program.stores.canon(Role.CONTEXT_ASSEMBLY), story.universe_id)
    finally:
        await program.close()
    return (rows[-1].turn.text if rows else ""), canon_after
