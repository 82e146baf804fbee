"""What became of each played line: proposed, heard by somebody, or a plain statement that nothing was read of.

It is derived from the turn's words and the scene as it was read last, and stored nowhere.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.amounts import COUNT
from agents.declarations.coordinated_clauses import split_clauses
from agents.declarations.lasting_facts import find_statements, read_lasting_facts
from agents.declarations.named_entities import read_named_entities
from agents.declarations.unknown_things import hands_over_amount
from agents.memory_manager.attendance import SENSELESS_TAGS
from agents.orchestrator.exchange import tells_as_narrator
from agents.orchestrator.plain_hearsay import find_believers, find_tellings, read_people_told_of
from agents.proposals.evidence import is_declared_after
from agents.prose.cast_words import SITE_NOUN
from agents.prose.death_phrases import find_figurative_death
from agents.prose.hearsay import find_rumours
from agents.prose.names import any_name_pattern, names_of
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences
from agents.views.turn_views import NO_OUTCOME, LineOutcome
from stores.ports import CanonReader
from stores.records.canon import EvidenceKind
from stores.records.ids import Id
from stores.records.play import Speaker, Turn
from stores.records.story_journal import Awareness
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity

MAX_CHARS: Final = 600
"""Words of one line that are looked at; longer ones tell the story."""

MAX_REMEMBERED: Final = 2_000
"""Turns of which it is remembered whether anything was read of them, and whom they name."""

_PARTICIPLE: Final = (
    r"(?:\w+(?:ed|en)|been|begun|brought|come|cut|done|drawn|felt|found|given|gone|had|heard|held|kept|known|left|lost|made"
    r"|met|paid|put|read|run|said|sat|seen|sent|set|slept|sold|spent|stood|struck|thought|told|won|worn)"
)
_LASTS: Final = (
    r"(?:(?:is|are|was|were)(?!\s+(?:here|there|gone|back|in|out|up|down|away|silent|quiet|still|about)\b)(?!\s+\w+ing\b)"
    rf"|(?:has|had)(?!\s+{_PARTICIPLE}\b)|owns?|knows?|keeps?|lives?|belongs?|owes?|hates?|loves?|wants?"
    r"|fears?|needs?|means?|works?|serves?|rules?|hails?|believes?|distrusts?|trusts?|cannot|can)\b"
)
"""What is so from then on, and not only done once. Who is here, is gone or sits there is told by other means."""
_DOES: Final = re.compile(
    r"(?:(?:Now|Then|And|But),? )?(?:[A-Z][\w'’-]*\s+){1,4}?(?P<predicate>[a-z].*)", re.DOTALL
)
"""A sentence of somebody with a name, `I` and `You` among them, and what they do."""
_OPENING: Final = r"(?:In truth,?\s+)?(?:[Tt]he\s+)?"
_STATES: Final = re.compile(rf"{_OPENING}(?:[\w'’-]+\s+){{1,4}}?(?:\w+ly\s+|still\s+|now\s+)?{_LASTS}")
"""A sentence that says of its subject what lasts."""

_OWES_AMOUNT: Final = re.compile(
    rf"(?:He|She|They) (?:now |still )?owes? (?:[\w'’-]+ ){{1,4}}?{COUNT} [a-z]+", re.IGNORECASE
)
"""A debt of somebody whom only a pronoun names: `He owes Captain Vess three coins.`"""
_SAYS_OF_THING: Final = re.compile(
    rf"The (?:[a-z]+ )?(?P<thing>{SITE_NOUN}|well|spring|water|wine|food|letter|crown|seal|key|treasure|ring|sword|map)"
    r" (?:is|was) (?:now |long |still )?(?:poisoned|cursed|haunted|forged|false|sacred|holy|enchanted|abandoned|ruined"
    r"|flooded|hidden|buried|stolen|forbidden|tainted|fouled)[.!]?$"
)
"""A sentence of something that has no name, and that is so for long: `The well is poisoned.`"""
_ENDS_TIE: Final = re.compile(r"\b(?:is|are) no longer (?:my|your|our)\b")
"""What ends between somebody and the hero, in the hero's words."""


class LineOutcomes:
    """Reads what became of lines of the scene that was read last."""

    def __init__(
        self, canon: CanonReader, read_catalogue: ReadCatalogue, is_model_on: Callable[[], bool]
    ) -> None:
        self._canon = canon
        self._read_catalogue = read_catalogue
        self._is_model_on = is_model_on
        self._context: SceneContext | None = None
        self._unread_by_turn: dict[Id, bool] = {}
        """What was found of a turn's words: the same rows are read again with every line."""

        self._people_by_turn: dict[Id, list[Entity]] = {}
        """People outside the scene whom a turn's words name."""

    def note_scene(self, context: SceneContext) -> None:
        """Use the scene as it is now from now on."""
        self._context = context

    async def read(self, turns: Sequence[Turn]) -> dict[Id, LineOutcome]:
        """Return what became of these turns; of another scene nothing is said."""
        context = self._context
        if context is None or not turns or turns[0].scene_id != context.scene.id:
            return {}
        turns_by_id = {turn.id: turn for turn in turns}
        proposed_counts = Counter(
            turn_id for p in context.undecided for turn_id in _find_proposing_turns(p, turns_by_id)
        )
        # What moves somebody, lets time pass or decides something is told by a line of its own.
        answered_ids = {entry.turn_id for entry in context.story_entries}
        answered_ids |= {turn.parent_id for turn in turns if turn.speaker is Speaker.ORACLE}
        outcomes = {}
        for turn in turns:
            if turn.speaker not in (Speaker.PLAYER, Speaker.GM):
                continue
            await asyncio.sleep(0)  # a key that is pressed meanwhile is answered first
            outcome = await self._read_outcome(turn, context, proposed_counts[turn.id])
            # A model's narration is read by the Archivist, which says what it proposes.
            if outcome == NO_OUTCOME and turn.id not in answered_ids and not self._is_model_on():
                if turn.id not in self._unread_by_turn:
                    if len(self._unread_by_turn) >= MAX_REMEMBERED:
                        self._unread_by_turn.clear()
                    self._unread_by_turn[turn.id] = await self._is_unread(turn, context)
                outcome = LineOutcome(is_unread=self._unread_by_turn[turn.id])
            outcomes[turn.id] = outcome
        return outcomes

    async def _read_outcome(self, turn: Turn, context: SceneContext, proposed_count: int) -> LineOutcome:
        if len(turn.text) > MAX_CHARS:
            return LineOutcome(proposed_count)
        if hearers := _find_hearers(turn, context, await self._read_people(turn, context)):
            return replace(hearers, proposed_count=proposed_count)
        return LineOutcome(proposed_count, believed_by=find_believers(turn, context))

    async def _read_people(self, turn: Turn, context: SceneContext) -> Sequence[Entity]:
        """Return whom the words of a turn may name: those of the scene, and others that canon had when it was read."""
        if turn.id not in self._people_by_turn:
            if len(self._people_by_turn) >= MAX_REMEMBERED:
                self._people_by_turn.clear()
            people = await read_people_told_of(turn, context, self._canon)
            self._people_by_turn[turn.id] = [e for e in people if e.id not in context.entities]
        return [*context.entities.values(), *self._people_by_turn[turn.id]]

    async def _is_unread(self, turn: Turn, context: SceneContext) -> bool:
        """Say whether a line states something of somebody or something known, and no fact can be read of it.

        What it has change hands and is no thing with a name is such, too: `I give Dagny two silver pennies`.
        """
        is_gm, text = turn.speaker is Speaker.GM, turn.text
        if len(text) > MAX_CHARS:
            return False
        if any(map(_hands_over_amount, _list_sentences(turn))):
            return True
        people = (name for e in context.entities.values() if e.kind in ACTORS for name in names_of(e))
        if is_gm and find_figurative_death(text, people):
            return True
        says_unread = (_SAYS_OF_THING, _OWES_AMOUNT)
        if is_gm and any(p.match(sentence) for sentence in _list_sentences(turn) for p in says_unread):
            return True
        if _ENDS_TIE.search(text) and any(
            _begins_with_any(s, list(context.entities.values())) for s in _list_sentences(turn)
        ):
            return True
        if not tells_as_narrator(text, is_gm=is_gm, has_hearers=bool(turn.hearers)):
            return False
        stating_sentences = [s for s in _list_sentences(turn) if _STATES.match(s)]
        if not stating_sentences or find_rumours(text):
            return False
        known = await read_named_entities(self._canon, context, text)
        if not any(_begins_with_any(sentence, known) for sentence in stating_sentences):
            return False
        # A fact that is read and was not proposed is known already, or decided on.
        hero = context.player_character()
        statements = find_statements(text, known, hero.name if hero else "")
        catalogue = await self._read_catalogue(context.universe.id)
        return not read_lasting_facts(statements, known, catalogue, turn.tick)


def _find_proposing_turns(proposal: ProposedChange, turns_by_id: Mapping[Id, Turn]) -> set[Id]:
    """Return the lines, of these, that a change was proposed by.

    What rests on words of the story alone was proposed by those lines, though it be proposed only with the command that
    made known of whom they are.
    """
    is_told = all(piece.kind is EvidenceKind.TURN and piece.turn_id for piece in proposal.evidence)
    if is_told and proposal.evidence:
        return {piece.turn_id for piece in proposal.evidence if piece.turn_id} & turns_by_id.keys()
    turn = turns_by_id.get(proposal.turn_id) if proposal.turn_id else None
    if turn is None or all(is_declared_after(piece, turn) for piece in proposal.evidence):
        return set()
    return {turn.id}


def _find_hearers(turn: Turn, context: SceneContext, people: Iterable[Entity]) -> LineOutcome | None:
    """Return who heard what a turn tells as theirs alone; None if nobody did."""
    tellings = find_tellings(turn, context, people)
    if not tellings:
        return None
    entries = context.scene_presence_entries()
    hero_ids = {context.story.pc_id} if context.story.pc_id else set[Id]()
    was_here_ids = {*hero_ids, *context.scene.cast, *(entry.entity_id for entry in entries)}
    # Who falls asleep with these words heard them.
    earlier_entries = {entry.entity_id: entry for entry in entries if entry.tick < turn.tick}
    deaf_ids = {i for i, entry in earlier_entries.items() if entry.awareness is not Awareness.AWARE}
    deaf_ids |= {e.id for e in context.entities.values() if _is_senseless(e, context)}
    hearers: dict[Id, Entity] = {}
    for by, to in tellings:
        if by not in was_here_ids:
            continue
        if not to and was_here_ids - deaf_ids - {by or ""}:
            return LineOutcome(heard_by=())
        hearer_ids = (i for i in to if i != by and i in was_here_ids - deaf_ids)
        hearers.update((i, context.entities[i]) for i in hearer_ids if i in context.entities)
    if not hearers:
        return None
    named_places = {i: _find_named_place(hearer, turn.text) for i, hearer in hearers.items()}
    in_named_order = sorted(hearers, key=lambda hearer_id: named_places[hearer_id])
    return LineOutcome(heard_by=tuple(hearers[i].name for i in in_named_order))


def _find_named_place(entity: Entity, text: str) -> int:
    """Return where a text first has a name of somebody; its end if nowhere."""
    match = re.search(any_name_pattern(names_of(entity)), text)
    return match.start() if match else len(text)


def _is_senseless(entity: Entity, context: SceneContext) -> bool:
    return not SENSELESS_TAGS.isdisjoint(map(str.casefold, context.working_state(entity).tags))


def _list_sentences(turn: Turn) -> Iterable[str]:
    return (s for s in split_sentences(strip_speech(turn.text)) if not s.endswith("?"))


def _hands_over_amount(sentence: str) -> bool:
    """Say whether somebody with a name, or the hero, hands over money or a number of things."""
    clauses = [clause.sentence for clause in split_clauses(sentence)]
    does = filter(None, map(_DOES.match, (sentence, *clauses)))
    return any(hands_over_amount(match["predicate"]) for match in does)


def _begins_with_any(sentence: str, known: Sequence[Entity]) -> bool:
    pattern = any_name_pattern(name for entity in known for name in names_of(entity))
    return re.match(rf"{_OPENING}{pattern}", sentence) is not None
