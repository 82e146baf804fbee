"""`monitor mcp`: a chat client reads a campaign and proposes, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from monitor_tui.cli.common import Home, command_group, exit_with_error, resolve_home, run_command

commands = command_group()


@commands.command()
def mcp(
    context: typer.Context,
    universe: Annotated[str, typer.Option("--universe", help="Show only this universe.")] = "",
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Also show the secrets that no hero may know.")
    ] = False,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Search by words alone: no embedding model is started.")
    ] = False,
    home: Home = None,
) -> None:
    """Let a chat client read campaigns, and propose; it speaks MCP on stdin and stdout.

    Works while MONITOR is open. What the client proposes waits at the gate: nothing becomes true by it.
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        exit_with_error("This needs the MCP library. Install it: pip install 'monitor-tui[mcp]'.")
    run_command(_serve(resolve_home(context, home), universe, with_secrets, words_only))


async def _serve(home: Path, universe: str, with_secrets: bool, words_only: bool) -> None:
    from agents.indexer.minilm_embedder import MiniLmEmbedder
    from agents.llm.llm_settings import NO_EMBEDDING
    from monitor_tui.mcp_server.campaign import CampaignAccess
    from monitor_tui.mcp_server.server import serve_stdio
    from monitor_tui.settings import read_settings_with_warnings

    is_off = read_settings_with_warnings(home).values.embedding.model == NO_EMBEDDING
    embedder = None if words_only or is_off else MiniLmEmbedder()
    try:
        await serve_stdio(CampaignAccess(home, universe, with_secrets), embedder)
    finally:
        if embedder is not None:
            await embedder.close()
