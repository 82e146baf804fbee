"""`monitor query`: the record asked without a screen; an answer by standing, with its evidence."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from monitor_tui.cli_asking import Where, looked_in, patiently
from monitor_tui.cli_common import (
    AsJson,
    Home,
    group,
    home_of,
    open_services,
    print_json,
    run,
)

if TYPE_CHECKING:
    from agents.views.query_views import Answer

commands = group()


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
    """Ask the record: what is canon, proposed, told or believed, with its evidence; or that it is unknown.

    What is not indexed yet of the universe is indexed first, unless --now.
    """
    answer = run(_query(home_of(context, home), question, Where(universe, story, now), not no_model))
    if as_json:
        print_json(_told(answer))
    else:
        from agents.orchestrator.commands.query_commands import answer_lines

        print("\n".join(answer_lines(answer)))


async def _query(home: Path, question: str, where: Where, in_words: bool) -> Answer:
    from monitor_tui.behind import Work

    program = await open_services(home, Work.ASK)
    try:
        recall = program.services.query
        universe_id, story_id = await looked_in(program.services, where)
        answer = await patiently(
            lambda: recall.ask(question, universe_id=universe_id, story_id=story_id, in_words=False)
        )
        if not in_words:
            return answer
        # Only once everything is awake: a model is paid for each time it is asked.
        return await recall.ask(question, universe_id=universe_id, story_id=story_id)
    finally:
        await program.close()


def _told(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON: what is empty is left out of each finding."""
    told = asdict(answer)
    for kind in ("findings", "nearest"):
        told[kind] = [
            {key: value for key, value in one.items() if value not in ("", None, (), 0.0)}
            for one in told[kind]
        ]
    return told
