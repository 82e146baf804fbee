"""The resources of the MCP server: addresses that a chat client attaches to a conversation."""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from monitor_tui.compose import Program
from monitor_tui.mcp_server import readings, story_readings
from monitor_tui.mcp_server.campaign import CampaignAccess, list_universes
from monitor_tui.mcp_server.parameters import (
    EntityParameters,
    Parameters,
    StoryParameters,
    TranscriptParameters,
    read_parameters,
)
from monitor_tui.mcp_server.tools import ReadTool
from stores.errors import InputError

SCHEME: Final = "monitor"
MAX_ADDRESS_LENGTH: Final = 2_000
MAX_LISTED: Final = 200


class ResourceEntry(NamedTuple):
    """A resource in the list, or (with places to fill in) a template."""

    address: str
    name: str
    description: str


TEMPLATES: Final = (
    ResourceEntry(
        "monitor://universe/{universe}", "Universe", "What a universe is, and who and what is in it."
    ),
    ResourceEntry(
        "monitor://universe/{universe}/entity/{name}", "Entity card", "What canon says of one entity."
    ),
    ResourceEntry(
        "monitor://universe/{universe}/story/{story}",
        "Story so far",
        "What each scene came to, and where the story stands.",
    ),
    ResourceEntry(
        "monitor://universe/{universe}/story/{story}/scene/{scene}",
        "Transcript of a scene",
        "The last turns of a scene as they were played.",
    ),
)

_UNIVERSE = ReadTool[Parameters](
    "universe", "", "", Parameters, lambda campaign, p: readings.read_universe(campaign)
)
_CARD = ReadTool[EntityParameters](
    "entity", "", "", EntityParameters, lambda campaign, p: readings.read_card(campaign, p.name)
)
_STORY = ReadTool[StoryParameters](
    "story", "", "", StoryParameters, lambda campaign, p: story_readings.read_story_so_far(campaign, p.story)
)
_SCENE = ReadTool[TranscriptParameters](
    "scene",
    "",
    "",
    TranscriptParameters,
    lambda campaign, p: story_readings.read_transcript(campaign, p.scene, p.story, story_readings.MAX_TURNS),
)


async def list_resources(program: Program, access: CampaignAccess) -> list[ResourceEntry]:
    """Return each universe and story that may be read."""
    universes = await list_universes(program, access)
    names_by_id = {universe.id: universe.name for universe in universes}
    entries = [
        ResourceEntry(_address("universe", universe.name), universe.name, "What this universe is.")
        for universe in universes
    ]
    entries += [
        ResourceEntry(
            _address("universe", names_by_id[card.universe.id], "story", card.story.title),
            card.story.title,
            f"The story so far, in {card.universe.name}.",
        )
        for card in await program.services.stories.stories()
        if card.universe.id in names_by_id
    ]
    return entries[:MAX_LISTED]


def read_address(address: str) -> tuple[ReadTool[Any], Parameters]:
    """Return the reading that an address means, and with what. Raises InputError for any other address."""
    if len(address) > MAX_ADDRESS_LENGTH:
        raise _address_error()
    try:
        parts = urlsplit(address)
    except ValueError:
        raise _address_error() from None
    if parts.scheme != SCHEME or parts.netloc != "universe" or parts.query or parts.fragment:
        raise _address_error()
    reading: ReadTool[Any]
    match [unquote(part) for part in parts.path.split("/")[1:]]:
        case [universe]:
            reading, arguments = _UNIVERSE, {"universe": universe}
        case [universe, "entity", name]:
            reading, arguments = _CARD, {"universe": universe, "name": name}
        case [universe, "story", story]:
            reading, arguments = _STORY, {"universe": universe, "story": story}
        case [universe, "story", story, "scene", scene]:
            arguments = {"universe": universe, "story": story, "scene": scene}
            reading = _SCENE
        case _:
            raise _address_error()
    return reading, read_parameters(reading.parameters, arguments)


def _address(*parts: str) -> str:
    kind, *names = parts
    return f"{SCHEME}://{kind}/{'/'.join(quote(name, safe='') for name in names)}"


def _address_error() -> InputError:
    shapes = ", ".join(template.address for template in TEMPLATES)
    return InputError("There is nothing at that address.", todo=f"Addresses look like: {shapes}.")
