"""Writes the session of a chat client that docs/mcp.md shows: `python -m tests.mcp_session`."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from mcp import Client, StdioServerParameters, stdio_client

from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program
from stores.records.canon import Authority
from tests.outside_client import ChatClient
from tests.played_scene import PlayedScene
from tests.program import opened

DOCUMENT: Final = Path(__file__).parent.parent / "docs" / "mcp.md"
BLOCK: Final = re.compile(r"(<!-- session -->\n```text\n).*?(```\n<!-- /session -->)", re.DOTALL)

PLAYED: Final = (
    "I ask Wenna who cut the rope.",
    "> Wenna turns the frayed end over. The cut was made with one stroke of a filleting knife.",
    "/fact promise: Mara Venn owes Wenna Pike an answer before high water",
    "/secret Wenna Pike: Aldous Stint had the bell moved",
    "/decide Nobody tells the Tollers before dawn",
    "/accept all",
    "/commit",
)
CALLS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("list_universes", {}),
    ("story_so_far", {}),
    ("ask", {"question": "Who owns the Slack Tide?"}),
    ("ask", {"question": "Who had the bell moved?"}),
    ("open_threads", {}),
    ("check_statement", {"statement": "Wenna Pike does not own the Slack Tide"}),
    ("propose_fact", {"statement": "Wenna Pike died", "reason": "She did not come back with the tide."}),
    ("propose_entity", {"kind": "object", "name": "Filleting knife", "description": "With a bone handle."}),
    ("propose_fact", {"statement": "Wenna Pike died", "authority": "gm"}),
    ("list_proposals", {}),
)


async def play_sample(program: Program) -> None:
    stories = program.services.stories
    await stories.add_sample()
    await PlayedScene(program, await stories.start_story(await stories.sample_outline())).say(*PLAYED)
    await program.services.jobs.wait_until_idle()


async def hold_session() -> str:
    """Play in the sample world, talk to `monitor mcp` beside the program, and return what was said."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        async with opened(home) as program:
            await play_sample(program)
            arguments = ["-m", "monitor_tui", "mcp", "--home", str(home), "--words-only"]
            parameters = StdioServerParameters(command=sys.executable, args=arguments)
            parts: list[str] = []
            async with Client(stdio_client(parameters)) as client:
                chat = ChatClient(client)
                for tool, arguments_of_tool in CALLS:
                    text, is_error = await chat.try_call(tool, arguments_of_tool)
                    shown = json.dumps(arguments_of_tool, ensure_ascii=False)
                    parts.append(f"> {tool} {shown}\n{'refused: ' if is_error else ''}{text}\n")
            lines = await program.services.outside.take_in()
            rows = await read_gate(program)
        gate = [f"{row.title}  ({row.mark}; {row.quote})" for row in rows]
        return "\n".join((*parts, "In MONITOR:", *lines, *gate, ""))


async def read_gate(program: Program) -> list[ProposalView]:
    (universe,) = await program.services.stories.universes()
    rows = (await program.services.gate.gate(None, universe.id)).proposals
    return [row for row in rows if row.proposal.authority is Authority.OUTSIDE]


def put_session(document: str, session: str) -> str:
    """Return the document with the session in its place."""
    assert BLOCK.search(document), "the place for the session is gone"
    return BLOCK.sub(lambda match: f"{match[1]}{session}{match[2]}", document)


if __name__ == "__main__":
    DOCUMENT.write_text(
        put_session(DOCUMENT.read_text(encoding="utf-8"), asyncio.run(hold_session())), encoding="utf-8"
    )
