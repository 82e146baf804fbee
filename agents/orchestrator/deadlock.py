"""Notices when play goes in circles, and when a loop stands still. Pure.

A line makes a transition of its scene's loop. Each holds a key of what was played and how things stood (`pattern`),
and how many lines in a row had the same one: five (`STUCK_LINES`) without a new fact, place, entry or clock step are a
circle, in other wordings, too. Talk is none: its words differ, or what answers them does. What the key cannot hold, how
the answers read and the dice fell, is looked at in the turns themselves, and only once the key has come five times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Final

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.exchange import Exchange
from agents.orchestrator.transition_sources import vocabulary
from agents.search.question_cues import stem_word
from stores.records.canon import AdvanceClock, AssertFact, CreateEntity
from stores.records.ids import Id
from stores.records.play import GM_SPEAKERS, Speaker, Turn
from stores.records.workflow import Transition

STUCK_LINES: Final = 5
"""Lines of the same kind without anything new that count as a deadlock (K)."""

STUCK_LIKENESS: Final = 0.6
"""Share of words that two narrations have in common when they count as alike."""

TURNS_A_LINE: Final = 4
"""Turns that are looked at for each line: its own, a result, its follow-up, and an answer."""

WAYS_OUT: Final = (
    "/event brings a random event",
    "? asks the oracle",
    "/end goes to the gate and on to the next scene",
)

FINALIZING_LIMIT: Final = timedelta(hours=24)
"""How long a scene stands at its gate before its ways on are named."""

GENERATING_LIMIT: Final = timedelta(minutes=5)
"""How long an exchange may stand unfinished before its ways on are named."""

_FILLER_TEXT: Final = """
    i i'm i'll me my myself we us our a an the this that it at to into in on of for by against and then so but now
    again once more another next time still yet just also simply only
    try tries trying tried attempt give gives gave make makes keep keeps continue"""
_FILLER_WORDS: Final = frozenset(_FILLER_TEXT.split())
"""Words by which one says the same deed again."""

_SPEECH_MARKS = re.compile(r"[\"“”„«»]")
_DIGITS = re.compile(r"[+-]?\d+")
_NUMBER_WORDS: Final = {5: "five", 10: "ten", 15: "fifteen", 20: "twenty"}


def describe_circle(pattern: str) -> str:
    """Return the line for the player: the pattern, and the ways out."""
    return f"Going in circles: {pattern}. {'; '.join(WAYS_OUT)}."


# --- lines ----------------------------------------------------------------------------------------------


def mark_pattern(
    transition: Transition, last_transition: Transition | None, exchange: Exchange, context: SceneContext
) -> Transition:
    """Return the transition of a line with its pattern, and how many in a row had it.

    The GM's own words and bare dice neither go on with a row nor end it. Lines that play has left count in none: a row
    begins again after an undo, and in a branch from an earlier turn.
    """
    if last_transition is not None and not _is_on_line(last_transition, context):
        last_transition = None
    repeats = last_transition.repeats if last_transition else 0
    if exchange.gm_authored or not exchange.words:
        pattern = last_transition.pattern if last_transition else ""
        return transition.model_copy(update={"pattern": pattern, "repeats": repeats if pattern else 0})
    pattern = _build_pattern(exchange, context)
    is_same = last_transition is not None and last_transition.pattern == pattern
    return transition.model_copy(update={"pattern": pattern, "repeats": repeats + 1 if is_same else 1})


def _is_on_line(transition: Transition, context: SceneContext) -> bool:
    """Say whether the line that made the transition still stands: its turns were made after it."""
    return context.head is not None and context.head.created_at >= transition.at


def is_due_to_look(transition: Transition | None) -> bool:
    """Say whether the turns are to be looked at: the same came five times in a row, or ten, and so on."""
    return transition is not None and transition.repeats > 0 and transition.repeats % STUCK_LINES == 0


def _build_pattern(exchange: Exchange, context: SceneContext) -> str:
    """Return a key of the words, the roll, and all that would be new: places, proposals, entries of the journal.

    It holds no identifiers and no times: in a restored copy or a branch, whose records have others, a row goes on.
    """
    roll = (exchange.roll.kind, exchange.roll.spec) if exchange.roll else ()
    newest_proposal = context.undecided[-1] if context.undecided else None
    stand = (
        context.place.name if context.place else "",
        len(context.undecided),
        [piece.quote for piece in newest_proposal.evidence] if newest_proposal else [],
        len(context.story_entries),
        context.story.tension,
    )
    return blake2b(repr((_name_deed(exchange.words), roll, stand)).encode(), digest_size=8).hexdigest()


def find_repeated_lines(line_turns: Sequence[Turn]) -> str:
    """Describe what repeats if the last lines are the same, with the same results and like answers; else nothing."""
    player_indexes = [n for n, turn in enumerate(line_turns) if turn.speaker is Speaker.PLAYER]
    if len(player_indexes) < STUCK_LINES:
        return ""
    recent_turns = line_turns[player_indexes[-STUCK_LINES] :]
    lines = [turn for turn in recent_turns if turn.speaker is Speaker.PLAYER]
    if len({_name_deed(turn.text) for turn in lines}) > 1:
        return ""
    results = [turn for turn in recent_turns if turn.speaker is Speaker.ORACLE]
    if len({_DIGITS.sub("#", turn.text) for turn in results}) > 1:
        return ""
    answers = [turn.text for turn in recent_turns if turn.speaker in GM_SPEAKERS]
    if not _are_alike(answers):
        return ""
    words = " ".join(lines[-1].text.split())
    quoted = words if len(words) <= 60 else f"{words[:57]}..."
    ending = " in other words" if len({_plain(turn.text) for turn in lines}) > 1 else ""
    ending += " with the same result" if results else ""
    count = _NUMBER_WORDS.get(STUCK_LINES, str(STUCK_LINES))
    return f"“{quoted}” {count} times{ending}, and no new fact, place or clock step"


# --- narrations -----------------------------------------------------------------------------------------


def find_repeated_narrations(line_turns: Sequence[Turn], package: ContextPackage) -> str:
    """Describe what repeats when the last narrations are alike and nothing new was staged meanwhile.

    New is a fact, an entity, a place or a clock. Returns an empty text while play moves.
    """
    gm_turns = [turn for turn in line_turns if turn.speaker in GM_SPEAKERS][-STUCK_LINES:]
    if len(gm_turns) < STUCK_LINES or _has_news_since(gm_turns[0].id, line_turns, package):
        return ""
    if not _are_alike([turn.text for turn in gm_turns]):
        return ""
    return f"the last {STUCK_LINES} narrations say much the same, with nothing new"


def _has_news_since(turn_id: Id, line_turns: Sequence[Turn], package: ContextPackage) -> bool:
    turn_ids = [turn.id for turn in line_turns]
    later_ids = set(turn_ids[turn_ids.index(turn_id) :]) if turn_id in turn_ids else set(turn_ids)
    return any(
        p.turn_id in later_ids and isinstance(p.change, CreateEntity | AssertFact | AdvanceClock)
        for p in package.scene.staged_proposals
    )


# --- loops that stand still -----------------------------------------------------------------------------


def describe_stalled_loop(
    state: str, entered_at: datetime | None, unfinished_since: Iterable[datetime], now: datetime
) -> str:
    """Return how to go on if a scene has stood at its gate, or an exchange unfinished, past its limit.

    Empty for a loop that moves.
    """
    if state == "failed":
        return (
            "This scene could not be written at its gate. Enter at the gate writes it again with the same decisions; "
            "/reopen goes back to play, to go through them by hand."
        )
    if state == "finalizing" and entered_at is not None and now - entered_at >= FINALIZING_LIMIT:
        return (
            "This scene has stood at its gate since "
            f"{entered_at:%Y-%m-%d}. Enter at the gate ends it, your decisions are kept; /reopen goes back to play."
        )
    oldest = min(unfinished_since, default=None)
    if oldest is not None and now - oldest >= GENERATING_LIMIT:
        return (
            f"An exchange has stood unfinished for {_minutes(now - oldest)}: its words and dice are kept. "
            "/continue or your next line finishes it; > narrates it in your words."
        )
    return ""


def _minutes(span: timedelta) -> str:
    minutes = span // timedelta(minutes=1)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"


def _are_alike(texts: Sequence[str]) -> bool:
    return all(_vocabulary_overlap(texts[-1], text) >= STUCK_LIKENESS for text in texts[:-1])


def _vocabulary_overlap(one: str, other: str) -> float:
    """Return the share of the smaller vocabulary that the two have in common."""
    a, b = vocabulary(one), vocabulary(other)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _name_deed(text: str) -> str:
    """Return a key of what a line does, the same for other wordings; words that are spoken aloud are their own."""
    plain_text = _plain(text)
    if _SPEECH_MARKS.search(text):
        return plain_text
    stems = {stem_word(word) for word in plain_text.split() if word not in _FILLER_WORDS}
    return " ".join(sorted(stems)) or plain_text


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w']+", text.casefold()))
