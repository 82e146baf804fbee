"""One exchange as data, with all that a crash must leave for the next step to go on."""

from __future__ import annotations

import random
import re
from datetime import datetime
from typing import Final, Literal

from pydantic import model_validator

from agents.narrator.decision_marks import strip_typed_markers
from agents.prose.speech import find_speech_spans
from agents.resolver.resolution_requests import Alteration
from stores.records.base import Record, old_names_reader
from stores.records.ids import Id, IdGenerator, derive_id
from stores.records.play import Scene, Speaker, Turn
from stores.records.workflow import ProposedChange

EXCHANGE_STEPS = ("record", "assemble", "narrate", "resolve", "finish")
"""The steps that need no model, in order, by the names that checkpoints store.

Each is idempotent: identifiers and seeds are fixed when the exchange begins.
"""


_HEARER: Final = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_HERO_OR_HEARER: Final = re.compile(
    r"\b(?:I|me|my|mine|myself|we|us|our|ours|you|your|yours)\b", re.IGNORECASE
)


class RollPlan(Record):
    """A roll to be made.

    `turn_id` is the oracle turn that will show it, the `take`-th of its kind there. `faces` are the player's
    own dice. With `alteration` it is the result of the turn `altered_turn_id`, changed.
    """

    _read_old_names = model_validator(mode="before")(
        old_names_reader(alter="alteration", of="altered_turn_id")
    )

    turn_id: Id
    kind: str
    spec: str
    seed: int
    faces: tuple[int, ...] | None = None
    take: int = 1
    alteration: Alteration | None = None
    altered_turn_id: Id | None = None


class NarrationPlan(Record):
    """What the model is to narrate in this exchange.

    The GM's `answer` to it, another `retake` of a GM turn, the same turn with the `rest` of what was cut off, or
    what happens next (`on`) without an act of the player's. `turn_id` is the turn that it will be, the `take`-th of
    its kind there; `note` says what the GM wants otherwise.
    """

    kind: Literal["answer", "retake", "rest", "on"]
    turn_id: Id
    take: int = 1
    note: str = ""
    cut_turn_id: Id | None = None
    """The turn that the `rest` goes on with."""
    model: str = ""
    """The model that is to narrate; empty: the Narrator's."""

    @property
    def is_take(self) -> bool:
        """Whether it is another take of a turn that there is."""
        return self.kind in ("retake", "rest")


class Exchange(Record):
    """One exchange: what was typed, and the identifiers and seeds of all that follows from it."""

    _read_old_names = model_validator(mode="before")(
        old_names_reader(beat_id="run_id", told="gm_authored", passes="time_passes", telling="narration")
    )

    run_id: Id
    """Names the exchange in checkpoints and transitions: the first turn that it appends."""
    exchange_id: Id
    """The exchange that its turns belong to: GM words and rolls may join one that is open."""
    scene_id: Id
    parent_id: Id | None
    depth: int
    tick: int
    words_id: Id | None = None
    words: str = ""
    gm_authored: bool = False
    """Whether the words are the GM's."""
    npc_name: str = ""
    """Who says the words, if the GM speaks for somebody; empty: they are the hero's or the GM's own."""
    words_take: int = 1
    """Which of the GM's answers to the same words they are: others may have been left on another branch."""
    time_passes: bool = False
    """Whether the words say that time passes."""
    seed: int = 0
    roll: RollPlan | None = None
    proposals: tuple[ProposedChange, ...] = ()
    """What the words themselves propose, without a roll."""
    narration: NarrationPlan | None = None
    """What a model narrates afterwards, if anything."""
    hearers: tuple[Id, ...] = ()
    """Those who alone hear the words; empty if everyone present does."""

    @property
    def words_speaker(self) -> Speaker:
        """Whose turn the words are."""
        if self.time_passes:
            return Speaker.SYSTEM
        if self.npc_name:
            return Speaker.NPC
        return Speaker.GM if self.gm_authored else Speaker.PLAYER

    @property
    def is_oracle_question(self) -> bool:
        """Whether the words are asked of the oracle, and so no part of what happens."""
        return self.roll is not None and self.roll.kind == "oracle"

    def build_words_turn(self, created_at: datetime) -> Turn | None:
        """Return the turn of the typed words, without markers of decisions; None if there were none."""
        if self.words_id is None:
            return None
        return Turn(
            id=self.words_id,
            scene_id=self.scene_id,
            parent_id=self.parent_id,
            exchange_id=self.exchange_id,
            speaker=self.words_speaker,
            name=self.npc_name,
            text=strip_typed_markers(self.words),
            take=self.words_take,
            depth=self.depth,
            tick=self.tick,
            seed=self.seed,
            hearers=self.hearers,
            created_at=created_at,
        )

    def build_oracle_turn(self, text: str, created_at: datetime) -> Turn:
        """Return the turn that shows the sealed result."""
        assert self.roll is not None
        return Turn(
            id=self.roll.turn_id,
            scene_id=self.scene_id,
            parent_id=self.words_id or self.parent_id,
            exchange_id=self.exchange_id,
            speaker=Speaker.ORACLE,
            text=text,
            take=self.roll.take,
            depth=self.depth + (1 if self.words_id else 0),
            tick=self.tick + (1 if self.words_id else 0),
            seed=self.roll.seed,
            created_at=created_at,
        )

    def plan_followup_roll(self, kind: str, spec: str) -> RollPlan:
        """Return the roll that the result calls for, fixed by the roll it follows."""
        assert self.roll is not None
        turn_id = followup_turn_id(self.roll.turn_id)
        seed = random.Random(f"{self.roll.seed}/brought").getrandbits(63)
        return RollPlan(turn_id=turn_id, kind=kind, spec=spec, seed=seed)

    def build_followup_turn(
        self, plan: RollPlan, previous_turn: Turn, text: str, created_at: datetime
    ) -> Turn:
        """Return the turn that shows the follow-up roll, placed after the turn of the first roll."""
        position = {"id": plan.turn_id, "parent_id": previous_turn.id, "depth": previous_turn.depth + 1}
        followup_fields = {
            "take": 1,
            "tick": previous_turn.tick + 1,
            "seed": plan.seed,
            "created_at": created_at,
        }
        return previous_turn.model_copy(update={**position, **followup_fields, "text": text})


def followup_turn_id(turn_id: Id) -> Id:
    """Return the identifier of the turn that shows the follow-up roll of this turn's result."""
    return derive_id("turn", "brought", turn_id)


def narrated_turn_id(words_id: Id) -> Id:
    """Return the identifier of the turn in which a model narrates what follows the words of this turn."""
    return derive_id("turn", "told", words_id)


def rewritten_turn_id(narrated_id: Id) -> Id:
    """Return the identifier of the take in which a model rewrites what it narrated in this turn."""
    return derive_id("turn", "rewrite", narrated_id)


def begin_exchange(
    ids: IdGenerator,
    scene: Scene,
    head: Turn | None,
    *,
    words: str = "",
    gm_authored: bool = False,
    npc_name: str = "",
    roll: tuple[str, str] | None = None,
    faces: tuple[int, ...] | None = None,
    take: int = 1,
    is_answered: bool = False,
    until_tick: int | None = None,
    needs_narration: bool = False,
    hearer_ids: tuple[Id, ...] = (),
    now: int | None = None,
) -> Exchange:
    """Fix everything about an exchange that could differ between two tries.

    The player's words open an exchange; the GM's first words answer the open one (unless it is `answered`
    already); a roll on its own belongs to the words before it. A turn takes a minute of world time from `now` (None:
    from the turn before it); with `until` (a tick), time passes to then and the words say so.
    """
    first_id = ids.new()
    now = (head.tick if head else scene.tick) if now is None else now
    joins_open_exchange = (
        until_tick is None
        and head is not None
        and ((gm_authored and not is_answered) if words else head.speaker is not Speaker.ORACLE)
    )
    return Exchange(
        run_id=first_id,
        exchange_id=head.exchange_id if head is not None and joins_open_exchange else first_id,
        scene_id=scene.id,
        parent_id=head.id if head else None,
        depth=head.depth + 1 if head else 0,
        tick=now + 1 if until_tick is None else until_tick,
        words_id=first_id if words else None,
        words=words,
        gm_authored=gm_authored,
        npc_name=npc_name,
        time_passes=until_tick is not None,
        hearers=hearer_ids,
        seed=ids.seed(),
        roll=RollPlan(
            turn_id=ids.new() if words else first_id,
            kind=roll[0],
            spec=roll[1],
            seed=ids.seed(),
            faces=faces,
            take=take,
        )
        if roll
        else None,
        narration=NarrationPlan(kind="answer", turn_id=narrated_turn_id(first_id))
        if needs_narration
        else None,
    )


def begin_answer(ids: IdGenerator, scene: Scene, head: Turn, note: str, *, take: int) -> Exchange:
    """Fix everything about narrating the last exchange of the timeline, which nobody has narrated."""
    turn_id = ids.new()
    return Exchange(
        run_id=turn_id,
        exchange_id=head.exchange_id,
        scene_id=scene.id,
        parent_id=head.id,
        depth=head.depth + 1,
        tick=head.tick + 1,
        seed=ids.seed(),
        narration=NarrationPlan(kind="answer", turn_id=turn_id, take=take, note=note),
    )


def begin_continuation(ids: IdGenerator, scene: Scene, head: Turn | None, note: str, now: int) -> Exchange:
    """Fix everything about narrating on from `head` without an act of the player's."""
    turn_id = ids.new()
    return Exchange(
        run_id=turn_id,
        exchange_id=turn_id,
        scene_id=scene.id,
        parent_id=head.id if head else None,
        depth=head.depth + 1 if head else 0,
        tick=now + 1,
        seed=ids.seed(),
        narration=NarrationPlan(kind="on", turn_id=turn_id, note=note),
    )


def begin_retake(
    ids: IdGenerator, old_turn: Turn, take: int, note: str, *, model: str = "", is_rest: bool = False
) -> Exchange:
    """Fix everything about another take of a GM turn; with `is_rest`, one that goes on where the turn was cut off."""
    turn_id = ids.new()
    plan = NarrationPlan(
        kind="rest" if is_rest else "retake",
        turn_id=turn_id,
        take=take,
        note=note,
        cut_turn_id=old_turn.id if is_rest else None,
        model=model,
    )
    return Exchange(
        run_id=turn_id,
        exchange_id=old_turn.exchange_id,
        scene_id=old_turn.scene_id,
        parent_id=old_turn.parent_id,
        depth=old_turn.depth,
        tick=old_turn.tick,
        seed=ids.seed(),
        narration=plan,
    )


def begin_altered_roll(
    ids: IdGenerator,
    roll_turn: Turn,
    alteration: Alteration,
    *,
    typed_text: str,
    faces: tuple[int, ...] | None,
    take: int,
) -> Exchange:
    """Fix everything about altering a roll: another take of `roll_turn` will show it.

    `typed_text` is what was typed.
    """
    turn_id = ids.new()
    kind, _, spec = typed_text.partition(" ")
    return Exchange(
        run_id=turn_id,
        exchange_id=roll_turn.exchange_id,
        scene_id=roll_turn.scene_id,
        parent_id=roll_turn.parent_id,
        depth=roll_turn.depth,
        tick=roll_turn.tick,
        roll=RollPlan(
            turn_id=turn_id,
            kind=kind,
            spec=spec,
            seed=ids.seed(),
            faces=faces,
            take=take,
            alteration=alteration,
            altered_turn_id=roll_turn.id,
        ),
    )


def tells_of_hero(exchange: Exchange, text: str) -> bool:
    """Say whether the words are the hero's own account of themselves (`I owe Hask four coins.`), to nobody."""
    if not text or exchange.gm_authored or exchange.time_passes or exchange.roll is not None:
        return False
    is_spoken = bool(exchange.hearers or find_speech_spans(text) or _HEARER.search(text))
    return not is_spoken and _HERO_OR_HEARER.search(text) is not None


def is_narration(exchange: Exchange, text: str) -> bool:
    """Say whether the words of an exchange tell the story as a narrator does.

    The GM's do, but for what somebody says in them. Those of the hero do if they neither are spoken to somebody nor
    tell of the hero and the GM's `you`: `Dob Harrow is dead.` What a roll decides is not so before.
    """
    if not text or exchange.time_passes or exchange.npc_name or exchange.roll is not None:
        return False
    return tells_as_narrator(text, is_gm=exchange.gm_authored, has_hearers=bool(exchange.hearers))


def tells_as_narrator(text: str, *, is_gm: bool, has_hearers: bool) -> bool:
    """Say whether words that no roll decides tell the story as a narrator does."""
    return is_gm or not (has_hearers or find_speech_spans(text) or _HERO_OR_HEARER.search(text))
