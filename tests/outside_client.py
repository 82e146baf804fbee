"""A played campaign with secrets, and a chat client of the MCP server, for tests."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client

from agents.story_outline import NewUniverse
from monitor_tui.compose import Program
from monitor_tui.mcp_server.campaign import CampaignAccess
from monitor_tui.mcp_server.server import CampaignServer
from tests.played_scene import PlayedScene
from tests.program import begin, opened

UNIVERSE = "Saltmarsh"
GM_SECRET = "The harbour seal is forged"
HERO_SECRET = "Wenna Pike is a smuggler"
PLAYED = (
    "/npc Wenna Pike: keeps the Net Loft",
    "/npc Dob Harrow: the pier-keeper",
    "/thing Iron Key: cold to the touch",
    "/fact Wenna Pike owns Iron Key",
    "/fact promise: Mara owes Wenna Pike a lantern",
    f"/secret {GM_SECRET}",
    f"/secret Mara: {HERO_SECRET}",
    "/decide We leave at dawn",
    "/accept all",
    "/commit",
    "I look at the rope.",
    "> The rope on the buoy was cut. The harbour seal is forged. Nobody saw it.",
    "/secret Dob Harrow: Dob Harrow cut the rope",
    "/fact The tower leans",
)


async def play_campaign(home: Path) -> None:
    """Play a scene in a new library, with a second universe beside it."""
    async with opened(home) as program:
        await program.services.stories.create_universe(NewUniverse("Elsewhere"))
        scene = PlayedScene(program, await begin(program, name=UNIVERSE))
        await scene.say(*PLAYED)
        await program.services.jobs.wait_until_idle()


def copy_home(played_home: Path, home: Path) -> Path:
    shutil.copytree(played_home, home)
    return home


@asynccontextmanager
async def chatting(
    home: Path, *, universe: str = UNIVERSE, with_secrets: bool = False
) -> AsyncIterator[ChatClient]:
    """Connect the SDK's client with a server in this process."""
    server = CampaignServer(CampaignAccess(home, universe, with_secrets)).build()
    async with Client(server) as client:
        yield ChatClient(client)


class ChatClient:
    """Calls tools and reads text."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> str:
        """Return what a tool says. Raises AssertionError if it refuses."""
        text, is_error = await self.try_call(tool, arguments)
        assert not is_error, text
        return text

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Return the words with which a tool refuses."""
        text, is_error = await self.try_call(tool, arguments)
        assert is_error, text
        return text

    async def try_call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        result = await self.client.call_tool(tool, dict(arguments))
        (content,) = result.content
        assert content.type == "text"
        return content.text, result.is_error

    async def read_everything(self) -> str:
        """Return all that a client can read: each tool, resource and prompt."""
        texts = [
            await self.call(tool, **arguments)
            for tool, arguments in {
                "list_universes": {},
                "ask": {"question": "Who cut the rope?"},
                "search": {"query": "rope seal"},
                "entity_card": {"name": "Wenna Pike"},
                "timeline": {},
                "open_threads": {},
                "decisions": {},
                "who_knows": {"name": "Dob Harrow"},
                "story_so_far": {},
                "transcript": {},
                "list_proposals": {},
                "check_statement": {"statement": "The harbour seal is not forged"},
            }.items()
        ]
        texts += [
            await self.call("ask", question=question)
            for question in ("Is the harbour seal forged?", "Who knows a secret?", "What does Mara know?")
        ]
        texts.append(await self.call("entity_card", name="Dob Harrow"))
        for resource in (await self.client.list_resources()).resources:
            texts.append(await self.read(resource.uri))
        for prompt in (await self.client.list_prompts()).prompts:
            texts.append(await self.prompt(prompt.name, **_prompt_arguments(prompt.name)))
        return "\n".join(texts)

    async def read(self, address: str) -> str:
        (contents,) = (await self.client.read_resource(address)).contents
        text = getattr(contents, "text", "")
        assert isinstance(text, str)
        return text

    async def prompt(self, name: str, **arguments: str) -> str:
        (message,) = (await self.client.get_prompt(name, arguments)).messages
        assert message.content.type == "text"
        return message.content.text


def _prompt_arguments(name: str) -> dict[str, str]:
    return {"statement": "The harbour seal is whole"} if name == "what_contradicts_this" else {}


@asynccontextmanager
async def running(home: Path) -> AsyncIterator[Program]:
    """Open the library as the program does."""
    async with opened(home, seed=7) as program:
        yield program
