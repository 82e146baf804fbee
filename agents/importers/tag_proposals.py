"""Makes proposals of what the tags and links of a log say of the world: who there is, in what state, what is open.

The last state that the log gives counts, and rests on the turns that say so. Nothing of it is canon before it is
decided on. The same log gives the same proposals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, assert_never

from agents.importers.log_entries import LogTag, TagKind
from agents.proposals.evidence import turn_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.proposals.statements import MAX_NAME_LENGTH, as_sentence
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    CreateEntity,
    FactKind,
    Involvement,
    Payload,
    StateChange,
    StateOp,
)
from stores.records.ids import Id, derive_id
from stores.records.play import Story, Turn
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind, Number

MAX_TAGGED: Final = 500
"""Things of one log that are proposed; the first ones, in the order in which the log names them."""

MAX_CLOCK_SIZE: Final = 100
MAX_STATE_LENGTH: Final = 40
"""Characters of a state; a longer one is a description."""

_NUMBER: Final = re.compile(
    r"(?P<key>[^\W\d][^\W\d]{0,20}(?: [^\W\d]{1,20})?)\s*[:=]?\s*(?P<sign>[+-])?(?P<value>\d{1,6})(?:\s*/\s*\d{1,6})?"
)
_STATE: Final = re.compile(r"[^\W\d](?:[\w '’-]*\w)?")
_DEAD: Final = frozenset({"dead", "died", "deceased", "killed", "slain"})
_ALIVE: Final = frozenset({"alive", "living", "resurrected"})
_CLOSED: Final = frozenset(
    {"closed", "resolved", "done", "complete", "completed", "abandoned", "failed", "fulfilled"}
)


class TagMention(NamedTuple):
    """A tag, and the turn that has it."""

    tag: LogTag
    turn: Turn


PhraseAlive = Callable[[str, bool], str]
"""Returns the sentence that somebody of this name is alive, or is dead."""


def build_tag_proposals(
    subjects: Sequence[TaggedSubject],
    story: Story,
    site: ProposalSite,
    known_entities: Mapping[str, Entity],
    phrase_alive: PhraseAlive,
) -> list[ProposedChange]:
    """Return the proposals, in the order in which the log names what they are about.

    `known_entities` are those of canon by the names in the tags: only their states are proposed.
    """
    proposals: list[ProposedChange] = []
    for subject in subjects:
        entity = known_entities.get(subject.name)
        for part, change in enumerate(_changes(subject, story.id, entity, phrase_alive)):
            proposal_id = derive_id(
                "imported proposal", story.id, subject.kind, subject.name.casefold(), part
            )
            turns = {turn.id: turn for turn in (subject.first_turn, subject.last_turn)}
            evidence = [turn_evidence(turn) for turn in turns.values()]
            proposals.append(
                build_proposal(proposal_id, change, evidence, Authority.SOURCE, site, story.created_at)
            )
    return proposals


@dataclass(slots=True)
class TaggedSubject:
    """One thing that tags name, in its last state."""

    kind: TagKind
    name: str
    first_turn: Turn
    last_turn: Turn
    states: list[str] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)
    numbers: dict[str, Number] = field(default_factory=dict)
    is_alive: bool | None = None
    """None if the log says neither that they live nor that they died."""

    is_closed: bool = False
    steps: tuple[int, int] | None = None
    entity_kind: EntityKind | None = None
    """Of a link: what it is; None while nothing says it."""

    @property
    def is_entity(self) -> bool:
        return self.kind in (TagKind.CHARACTER, TagKind.HERO, TagKind.PLACE, TagKind.LINK)

    def apply(self, mention: TagMention) -> None:
        self.last_turn = mention.turn
        self.entity_kind = self.entity_kind or mention.tag.entity_kind
        self.steps = _merged_steps(self.steps, mention.tag.steps)
        plain_states: list[str] = []
        for detail in mention.tag.details:
            sign, words = (detail[0], detail[1:].strip()) if detail[0] in "+-" else ("", detail)
            folded = words.casefold()
            if match := _NUMBER.fullmatch(words):
                self._apply_number(match)
            elif self.kind is TagKind.THREAD:
                self.is_closed = folded in _CLOSED
            elif folded in _DEAD or folded in _ALIVE:
                self.is_alive = (folded in _ALIVE) is (sign != "-")
            elif len(words) > MAX_STATE_LENGTH or not _STATE.fullmatch(words):
                self.descriptions += [words] if words and words not in self.descriptions else []
            elif sign == "-":
                self.states = [state for state in self.states if state.casefold() != folded]
            elif sign == "+":
                self.states.append(words)
            else:
                plain_states.append(words)
        # Without a sign, a tag gives the whole state.
        self.states = list(dict.fromkeys(plain_states or self.states))

    def _apply_number(self, match: re.Match[str]) -> None:
        key, value = match["key"].casefold(), int(match["value"])
        if not match["sign"]:
            self.numbers[key] = value
        elif key in self.numbers:
            self.numbers[key] += value if match["sign"] == "+" else -value


def fold_tags(mentions: Iterable[TagMention]) -> list[TaggedSubject]:
    """Return the things that tags name, each once, in the state in which the last of its tags leaves it."""
    subjects: dict[tuple[str, str], TaggedSubject] = {}
    for mention in mentions:
        tag = mention.tag
        key = (_group(tag.kind), tag.name.casefold())
        if key not in subjects:
            if len(tag.name) > MAX_NAME_LENGTH and tag.kind is not TagKind.THREAD:
                continue
            subjects[key] = TaggedSubject(tag.kind, tag.name, mention.turn, mention.turn)
        subjects[key].apply(mention)
    tagged_names = {name for kind, name in subjects if kind is not TagKind.LINK}
    distinct = (
        one for (kind, name), one in subjects.items() if kind is not TagKind.LINK or name not in tagged_names
    )
    return list(islice(distinct, MAX_TAGGED))


def _group(kind: TagKind) -> TagKind:
    """Return the kind under which things are told apart by name: a timer is a clock, whichever tag names it."""
    return {TagKind.HERO: TagKind.CHARACTER, TagKind.TIMER: TagKind.CLOCK}.get(kind, kind)


def _changes(
    subject: TaggedSubject, story_id: Id, entity: Entity | None, phrase_alive: PhraseAlive
) -> Iterator[Payload]:
    match subject.kind:
        case TagKind.CHARACTER | TagKind.HERO | TagKind.PLACE | TagKind.LINK:
            yield from _entity_changes(subject, story_id, entity, phrase_alive)
        case TagKind.THREAD:
            if not subject.is_closed:
                yield AssertFact(
                    fact_kind=FactKind.COMMITMENT,
                    predicate="question",
                    statement=as_sentence(subject.name),
                    valid_from=subject.first_turn.tick,
                )
        case TagKind.CLOCK | TagKind.TIMER:
            yield from _clock_changes(subject)
        case _:
            assert_never(subject.kind)


def _entity_changes(
    subject: TaggedSubject, story_id: Id, entity: Entity | None, phrase_alive: PhraseAlive
) -> Iterator[Payload]:
    if entity is None:
        entity_id = derive_id("imported entity", story_id, _group(subject.kind), subject.name.casefold())
        yield CreateEntity(
            entity_id=entity_id,
            entity_kind=_entity_kind(subject),
            name=subject.name,
            description="; ".join(subject.descriptions),
            tags=tuple(subject.states),
            numbers=subject.numbers,
        )
    else:
        entity_id = entity.id
        had = {tag.casefold() for tag in entity.tags}
        for state in subject.states:
            if state.casefold() not in had:
                yield StateChange(entity_id=entity_id, key=state, op=StateOp.TAG)
        for key, value in subject.numbers.items():
            if entity.numbers.get(key) != value:
                yield StateChange(entity_id=entity_id, key=key, op=StateOp.SET, value=value)
    if subject.is_alive is False:
        yield AssertFact(
            fact_kind=FactKind.STATE,
            predicate="alive",
            statement=phrase_alive(entity.name if entity else subject.name, False),
            involves=(Involvement(role="subject", entity_id=entity_id),),
            value=False,
            valid_from=subject.last_turn.tick,
        )


def _entity_kind(subject: TaggedSubject) -> EntityKind:
    """Return what somebody or something is; a concept, where a link is all that is known of it."""
    if subject.kind is TagKind.LINK:
        return subject.entity_kind or EntityKind.CONCEPT
    return EntityKind.PLACE if subject.kind is TagKind.PLACE else EntityKind.CHARACTER


def _clock_changes(subject: TaggedSubject) -> Iterator[Payload]:
    """Yield the clock as far as it is filled; a full one has ended, and one without a size is not known."""
    if subject.steps is None:
        return
    filled, size = subject.steps
    if subject.kind is TagKind.TIMER:  # A timer counts what is left; a clock, what is filled.
        filled = max(size - filled, 0)
    if 1 <= size <= MAX_CLOCK_SIZE and filled < size:
        yield AdvanceClock(clock=subject.name, by=0, size=size, to=filled, closed=False)


def _merged_steps(before: tuple[int, int] | None, now: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the last steps; a timer without a size has the most that was ever left on it."""
    if now is None or before is None:
        return now and (now[0], now[1] or now[0]) if before is None else before
    return (now[0], now[1] or max(before[1], now[0]))
