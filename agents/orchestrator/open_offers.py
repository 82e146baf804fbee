"""What lines of a scene offered and nobody answered yet: each stays until it is taken, dropped or no longer true.

Nothing is decided by it: an offer is a command that the player may give. It belongs to the turn that it was made on, so
that undoing that turn takes it away and redoing it brings it back. The offers of a story are kept in a file beside the
library, as what is typed and not sent is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.tokens import build_name_book, read_tokens
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_decisions import read_decisions
from agents.declarations.named_entities import read_named_entities
from agents.events import EventBus, Notice
from agents.orchestrator.name_notices import LEFT
from agents.orchestrator.transition_sources import MOVED_TO
from agents.prose.called_names import find_called
from agents.prose.names import has_title
from agents.solo.depletion import RULES_SUGGEST
from agents.typed_text import fold_name
from agents.views.scene_views import Offer
from stores.errors import StoreError
from stores.offer_file import OfferFile, StoredOffer
from stores.ports import LogReader
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.world import ACTORS, EntityKind

MAX_OFFERS: Final = 6
"""Offers that are shown, the newest."""
MAX_STORED: Final = 4 * MAX_OFFERS
"""Offers that are kept besides those that last: what is true no more may be again once something is undone."""

_TIME: Final = "/time "
_CAST: Final = "/cast + "
_END: Final = "/end"
_PERSON: Final = "/npc "
_THING: Final = "/thing "
_MAKES_KNOWN: Final = (_PERSON, "/place ", _THING)
_SETTLES: Final = ("/paid ", "/broken ")
_LIFT: Final = "/lift "
_HERE: Final = "here "

LASTING: Final = (_TIME, *_SETTLES)
"""What the world would remember: it is named once more as the scene ends."""

ListCommitments = Callable[[SceneContext], Awaitable[list[Fact]]]
"""Gives the promises and debts that are open, in canon and proposed in the scene."""

IsSuggested = Callable[[SceneContext, str], bool]
"""Says whether the rules still suggest a `/state` command."""


class OpenOffers:
    """Keeps the offers of the stories that are played."""

    def __init__(
        self,
        file: OfferFile,
        log: LogReader,
        contexts: SceneContextLoader,
        list_commitments: ListCommitments,
        is_suggested: IsSuggested,
        events: EventBus,
    ) -> None:
        self._file = file
        self._log = log
        self._contexts = contexts
        self._list_commitments = list_commitments
        self._is_suggested = is_suggested
        self._events = events
        self._by_story: dict[Id, list[StoredOffer]] = {}

    async def list_open(self, context: SceneContext) -> tuple[Offer, ...]:
        """Return what is shown of what waits in the scene and is still true, the newest first."""
        return (await self._list_true(context, ""))[:MAX_OFFERS]

    async def _list_true(self, context: SceneContext, beginnings: str | tuple[str, ...]) -> tuple[Offer, ...]:
        """Return what waits in the scene and is still true of the commands that begin so, the newest first."""
        offers = [
            offer
            for offer in await self._read(context)
            if offer.scene_id == context.scene.id and offer.command.startswith(beginnings)
        ]
        turn_ids = {offer.turn_id for offer in offers if offer.turn_id}
        on_line_ids = await self._log.on_line(context.scene.id, turn_ids) if turn_ids else set()
        shown = [offer for offer in reversed(offers) if not offer.turn_id or offer.turn_id in on_line_ids]
        open_offers: dict[str, Offer] = {}
        for offer in shown:
            matter = _matter_of(offer.command)
            waiting = open_offers.get(matter)
            # Of two reasons the newest counts; of two ways to make a person known, the one that brings them in,
            # unless they left since.
            is_wanted = waiting is None or (
                _brings_in(offer.command)
                and not _brings_in(waiting.command)
                and not waiting.question.endswith(LEFT)
            )
            if is_wanted and await self._is_true(offer, context):
                open_offers[matter] = Offer(offer.question, offer.command)
        return tuple(open_offers.values())

    async def describe_lasting(self, context: SceneContext) -> tuple[str, ...]:
        """Return a line on each offer that the end of the scene would leave unanswered and that the world remembers.

        However many offers are newer.
        """
        return tuple(f"Not answered: {offer.text}" for offer in await self._list_true(context, LASTING))

    async def add(self, context: SceneContext, offers: Sequence[Offer], *, typed_line: str = "") -> None:
        """Keep what a line offered, once the offers that the line itself takes are gone; `context` is after it."""
        kept = await self._read(context)
        taken = next((o for o in kept if _is_same_line(o.command, typed_line)), None)
        if not offers and taken is None:
            return
        remaining = [
            _move_on(offer, taken, context)
            for offer in kept
            if offer.scene_id == context.scene.id and not _is_same_line(offer.command, typed_line)
        ]
        head = context.head
        site = (context.scene.id, head.id if head else "", head.depth if head else -1, context.tick)
        # The one that is shown first is kept last.
        new = [StoredOffer(*site, offer.question, offer.command) for offer in reversed(offers)]
        await self._keep(context, _without_old([*remaining, *new]))

    async def drop(self, context: SceneContext, command: str) -> None:
        """Forget what waits with this command, and what it stood for: the player does not want it."""
        offers, matter = await self._read(context), _matter_of(command)
        await self._keep(context, [offer for offer in offers if _matter_of(offer.command) != matter])

    async def _read(self, context: SceneContext) -> list[StoredOffer]:
        story_id = context.story.id
        if story_id not in self._by_story:
            stored_offers = await self._file.read(story_id)
            self._by_story.setdefault(story_id, stored_offers)
        return self._by_story[story_id]

    async def _keep(self, context: SceneContext, offers: list[StoredOffer]) -> None:
        self._by_story[context.story.id] = offers
        try:
            await self._file.save(context.story.id, offers)
        except StoreError as error:  # what was played is played, and they wait in this session all the same
            self._events.publish(Notice(str(error), "warning"))

    async def _is_true(self, offer: StoredOffer, context: SceneContext) -> bool:
        """Say whether an offer still makes sense in the scene as it is."""
        command = offer.command
        if command.startswith(_TIME):
            # A turn takes a minute; more has passed only where somebody let time pass.
            depth = context.head.depth if context.head else -1
            return context.tick - offer.tick <= depth - offer.depth
        if command.startswith(_CAST):
            return await self._is_anybody_missed(offer, context)
        if command.startswith(_MAKES_KNOWN):
            return not await self._is_known(command, context)
        if command == _END and (place_name := _find_place_moved_to(offer.question)):
            places = await self._contexts.find_entities(context, place_name)
            return not places or any(context.place and p.id == context.place.id for p in places)
        if command.startswith(_SETTLES):
            words = command.split(" ", 1)[1]
            return any(f.statement.rstrip(".") == words for f in await self._list_commitments(context))
        if offer.question == RULES_SUGGEST:
            return self._is_suggested(context, command)
        if command.startswith(_LIFT):
            words = command.removeprefix(_LIFT)
            return any(d.text.rstrip(".") == words for d in await read_decisions(self._log, context))
        return True

    async def _is_anybody_missed(self, offer: StoredOffer, context: SceneContext) -> bool:
        """Say whether anybody who was not here is still away: who came since and left again was not missed then."""
        met_ids = {entity.id for entity in context.present_actors()}
        met_ids |= {e.entity_id for e in context.scene_presence_entries() if e.here and e.tick >= offer.tick}
        for name in offer.command.removeprefix(_CAST).split(", "):
            entities = await self._contexts.find_entities(context, name)
            if any(e.id not in met_ids and not context.is_dead(e) for e in entities):
                return True
        return False

    async def _is_known(self, command: str, context: SceneContext) -> bool:
        """Say whether somebody or something has the name that a command makes known.

        Somebody may have it with fewer titles or another one, and among others: Isa is Isa Tarrow, too.
        """
        name = _name_in(command)
        if await self._contexts.find_entities(context, name):
            return True
        if not command.startswith((_PERSON, _THING)):
            return False
        named_entities = await read_named_entities(self._contexts.canon, context, name)
        if command.startswith(_THING):
            # Pask's pistol is the pistol.
            things = build_name_book(e for e in named_entities if e.kind is EntityKind.OBJECT)
            return any(token.entity for token in read_tokens(f"the {name}", things))
        people = [entity for entity in named_entities if entity.kind in ACTORS]
        # Old Mother Grice is Mother Grice.
        shorter_name = name.partition(" ")[2]
        names = [name, shorter_name] if has_title(shorter_name) else [name]
        return any(find_called(one, people) for one in names)


def _matter_of(command: str) -> str:
    """Return what an offer is about: two that make the same name known are one, wherever whoever has it is."""
    if not command.startswith(_MAKES_KNOWN):
        return command
    return f"{command.split(' ', 1)[0]} {fold_name(_name_in(command))}"


def _name_in(command: str) -> str:
    """Return the name that a command makes known, without who it is: `Teodor` of `/npc Teodor: my brother`."""
    return command.split(" ", 1)[1].removeprefix(_HERE).partition(":")[0].strip()


def _brings_in(command: str) -> bool:
    return command.startswith(_MAKES_KNOWN) and command.split(" ", 1)[1].startswith(_HERE)


def _find_place_moved_to(question: str) -> str:
    """Return the place that the story has moved to by the words of an offer; empty if they say nothing of it."""
    reason = question.removesuffix(":")
    return reason[len(MOVED_TO) :] if reason.casefold().startswith(MOVED_TO) else ""


def _without_old(offers: Sequence[StoredOffer]) -> list[StoredOffer]:
    """Return the newest offers, and of the older ones those that last, each command once."""
    newest = offers[-MAX_STORED:]
    lasting = {o.command: o for o in offers[:-MAX_STORED] if o.command.startswith(LASTING)}
    return [*lasting.values(), *newest]


def _is_same_line(command: str, typed_line: str) -> bool:
    return bool(typed_line) and fold_name(command) == fold_name(typed_line)


def _move_on(offer: StoredOffer, taken: StoredOffer | None, context: SceneContext) -> StoredOffer:
    """Return an offer of time as of now, if time passed by one that was made before it: it comes after that."""
    is_later_time = (
        taken is not None
        and taken.command.startswith(_TIME)
        and offer.command.startswith(_TIME)
        and offer.depth >= taken.depth
    )
    if not is_later_time:
        return offer
    return replace(offer, depth=context.head.depth if context.head else -1, tick=context.tick)
