"""`monitor knows`: what somebody of the world remembers, the newest first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitor_tui.cli.common import (
    AsJson,
    Home,
    command_group,
    find_universe,
    open_services,
    print_json,
    resolve_home,
    run_command,
)

if TYPE_CHECKING:
    from agents.views.query_views import QueryFinding

commands = command_group()


@commands.command()
def knows(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Whose memories.")],
    about: Annotated[str, typer.Option("--about", help="Only what is about this.")] = "",
    universe: Annotated[
        str, typer.Option("--universe", help="In which universe; needed if there are several.")
    ] = "",
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Show what somebody saw, was told or concluded, the newest first; it may be mistaken."""
    findings = run_command(_read_knowledge(resolve_home(context, home), name, about, universe))
    if as_json:
        print_json(
            [
                {
                    "text": finding.text,
                    "source": finding.where,
                    "believer": finding.believer,
                    "memory": finding.memory_id,
                    "turn": finding.turn_id,
                    "scene": finding.scene_id,
                }
                for finding in findings
            ]
        )
    else:
        print("\n".join(_knowledge_lines(findings)))


async def _read_knowledge(home: Path, name: str, about: str, universe_name: str) -> tuple[QueryFinding, ...]:
    program = await open_services(home, for_reading=True)
    try:
        universe = await find_universe(program.services, universe_name)
        return await program.services.query.read_knowledge(name, universe_id=universe.id, about=about)
    finally:
        await program.close()


def _knowledge_lines(findings: tuple[QueryFinding, ...]) -> list[str]:
    from agents.sanitize import clean_line

    lines: list[str] = []
    for finding in findings:
        source = f" ({clean_line(finding.where)})" if finding.where else ""
        lines.append(f"{finding.number:>3}. {clean_line(finding.text)}{source}")
    return lines or ["Unknown: no memory says so."]
