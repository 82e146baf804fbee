"""`monitor query`: a question to the record without a screen; the answer by standing, with its evidence."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from monitor_tui.cli.common import (
    AsJson,
    Home,
    command_group,
    open_services,
    print_json,
    resolve_home,
    run_command,
)
from monitor_tui.cli.record_queries import QueryScope, prepare_scope, query_until_awake

if TYPE_CHECKING:
    from agents.views.query_views import Answer

commands = command_group()


@commands.command()
def query(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    universe: Annotated[
        str, typer.Option("--universe", help="Of which one; needed if there are several.")
    ] = "",
    story: Annotated[str, typer.Option("--story", help="Look in the turns of this story alone.")] = "",
    no_model: Annotated[bool, typer.Option("--no-model", help="Only the evidence, in no words.")] = False,
    now: Annotated[
        bool, typer.Option("--now", help="Go by what is indexed already, however much is not.")
    ] = False,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Ask what is canon, proposed, on record or believed, with the evidence; or that it is unknown.

    What is not indexed yet of the universe is indexed first, unless --now.
    """
    answer = run_command(
        _run_query(resolve_home(context, home), question, QueryScope(universe, story, now), not no_model)
    )
    if as_json:
        print_json(_answer_json(answer))
    else:
        from agents.orchestrator.commands.query_commands import answer_lines

        print("\n".join(answer_lines(answer)))


async def _run_query(home: Path, question: str, scope: QueryScope, in_words: bool) -> Answer:
    from monitor_tui.background_mode import BackgroundMode

    program = await open_services(home, BackgroundMode.QUERY)
    try:
        recall = program.services.query
        universe_id, story_id = await prepare_scope(program.services, scope)
        answer = await query_until_awake(
            lambda: recall.answer_question(
                question, universe_id=universe_id, story_id=story_id, in_words=False
            )
        )
        if not in_words:
            return answer
        # Only once everything is awake: a model is paid for each time it is asked.
        return await recall.answer_question(question, universe_id=universe_id, story_id=story_id)
    finally:
        await program.close()


def _answer_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON: what is empty is left out of each finding."""
    answer_fields = asdict(answer)
    for kind in ("findings", "nearest"):
        answer_fields[kind] = [
            {key: value for key, value in finding.items() if value not in ("", None, (), 0.0)}
            for finding in answer_fields[kind]
        ]
    return answer_fields
