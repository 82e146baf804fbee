"""Slash commands for looking things up: `/list`, `/show`, `/help`."""

from __future__ import annotations

import re

from agents.exports.story_form import StoryForm
from agents.name_matching import match_names, without_article
from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.prose.hero_name import HERO_PRONOUNS
from agents.typed_numbers import living_numbers
from agents.views.replies import CommandTopic, Reply
from stores.errors import InputError
from stores.records.world import Entity, EntityKind

MAX_LISTED_ENTITIES = 40
MAX_SHOWN_FACTS = 20
_FOR_PLAYERS = "players"
_WITH_ROLLS = "rolls"
_LIKE_FILE = re.compile(r"[/\\~]|\w\.[a-z]{2,4}$")
"""In a word behind /export, that it is meant as a file: `~/story.md`."""

group = CommandGroup(CommandTopic.ASK)


@group.command("list", "/list place", "List entities, of one kind or all", access=Access.READ)
async def list_entities(tools: CommandTools, call: CommandCall) -> Reply:
    kinds = {k.value: k for k in EntityKind}
    kind = call.argument.casefold().removesuffix("s")
    if kind and kind not in kinds:
        raise InputError(f"There is no kind {call.argument[:40]!r}.", todo=f"Kinds: {', '.join(kinds)}.")
    entities = await tools.canon.entities(call.context.universe.id)
    lines = [f"{e.name} ({e.kind})" for e in entities if not kind or e.kind == kind]
    more_count = len(lines) - MAX_LISTED_ENTITIES
    more_lines = [f"... and {more_count} more: 3 on the menu shows all."] if more_count > 0 else []
    shown_lines = (*lines[:MAX_LISTED_ENTITIES], *more_lines)
    return Reply("operation", shown_lines or ("Canon has none of that kind.",))


@group.command(
    "show",
    "/show NAME",
    "What canon says about someone or something",
    access=Access.READ,
    needs_argument=True,
)
async def show_entity(tools: CommandTools, call: CommandCall) -> Reply:
    entity = await find_named_entity(tools, call, call.argument)
    card = await tools.read_entity_card(entity.id)
    head = f"{card.entity.name} ({card.entity.kind}). {card.entity.description}".strip()
    shown_numbers = living_numbers(card.entity.numbers, card.entity.tags)
    numbers = ", ".join(f"{key} {value}" for key, value in shown_numbers.items())
    facts = [
        f"· {f.fact.statement}{f' ({f.secret_note})' if f.secret_note else ''}"
        for f in card.facts[:MAX_SHOWN_FACTS]
    ]
    return Reply("operation", (head, *([numbers] if numbers else []), *facts))


async def find_named_entity(tools: CommandTools, call: CommandCall, name: str) -> Entity:
    """Return the entity of canon that is meant by a typed name, or the hero by `me`. Raises InputError."""
    hero = call.context.player_character()
    typed_name = hero.name if hero and name.casefold() in HERO_PRONOUNS else name
    searched_entities = await tools.canon.entities(
        call.context.universe.id, search=without_article(typed_name)
    )
    entities_by_id = {entity.id: entity for entity in searched_entities}
    spellings = [(s, e.id) for e in searched_entities for s in (e.name, *e.aliases)]
    matching_ids = match_names(typed_name, spellings)
    if not matching_ids:
        raise InputError(f"Nothing in canon is called {name[:60]!r}.", todo="/list shows what there is.")
    if len(matching_ids) > 1:
        names = ", ".join(entities_by_id[i].name for i in matching_ids[:MAX_SHOWN_FACTS])
        raise InputError(f"That could be any of: {names}.", todo="Type more of the name.")
    return entities_by_id[matching_ids[0]]


@group.command(
    "export",
    "/export  (or journal, epub, html)",
    "Write the story to a file to read; players: without secrets; rolls: EPUB or HTML with mechanics",
    access=Access.READ,
)
async def export_story(tools: CommandTools, call: CommandCall) -> Reply:
    words = call.argument.casefold().split()
    forms = [StoryForm(word) for word in words if word in set(StoryForm)]
    unknown_words = [word for word in words if word not in (*StoryForm, _FOR_PLAYERS, _WITH_ROLLS)]
    if any(_LIKE_FILE.search(word) for word in unknown_words):
        raise InputError(
            f"/export takes no file: {call.argument[:60]!r} would not be read.",
            kept="Nothing was written.",
            todo="/export names the file itself, in the folder exports beside your library, and says which it is; "
            f'monitor story "{call.context.story.title}" --to FILE writes one elsewhere.',
        )
    if unknown_words or len(forms) > 1:
        raise InputError(
            f"A story is not written as {call.argument[:40]!r}.",
            kept="Nothing was written.",
            todo="/export writes it to read, /export journal or lonelog as a solo log, /export epub as a "
            "book, /export html to print; behind it players (no secrets) or rolls (with mechanics).",
        )
    path = await tools.export_story(
        call.context.story.id,
        forms[0] if forms else StoryForm.MARKDOWN,
        with_mechanics=_WITH_ROLLS in words,
        for_players=_FOR_PLAYERS in words,
    )
    return Reply("operation", (f"Written: {path}",))


@group.command("help", "/help", "Keys, commands and a tour", topic=CommandTopic.PLAY, access=Access.READ)
async def show_help(tools: CommandTools, call: CommandCall) -> Reply:
    name = call.argument.removeprefix("/").casefold()
    lines = tuple(f"{c.usage}  ·  {c.summary}" for c in call.command_help if not name or c.name == name)
    if not lines:
        raise InputError(f"There is no command /{name[:40]}.", todo="/help lists them all.")
    return Reply("operation", lines, goto="" if name else "help")
