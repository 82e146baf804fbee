"""Puts what happened into words as it is remembered: without dice, numbers of a sheet, clocks or commands. Pure.

A sentence of prose that holds such bookkeeping is shortened (`The rat bites. (hp 4)`), put otherwise
(`Mara loses 3 hp` becomes `Mara is hurt`) or left out. A fact whose value is a number is not remembered, but
a wound or a healing is (`health_changes.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from agents.prose.hero_name import name_hero
from agents.prose.speech import SINGLE_QUOTED, find_speech_spans
from agents.prose.words import split_sentences
from stores.records.canon import Fact, FactKind

_DICE: Final = (
    r"(?<!\w)(?:\d+\s*[+-]\s*)?\d*d(?:\d+|F\b|%)[\w!<>=]*(?:\s*[+*/-]\s*\w+)*(?:\s*[+\d]*\[[^\]]*\][+-]?\d*)*"
)
_HEALTH_WORDS: Final = r"(?:hp|hit points?|health|points? of damage|damage|points? of harm)"
_COMMAND: Final = re.compile(r"(?:^|(?<=\s))/[a-z]+\b.*$", re.MULTILINE)
_QUESTION_TO_ORACLE: Final = re.compile(r"^\s*\?\s.*$", re.MULTILINE)
_EFFECT: Final = re.compile(r"(?:\b(?:success|partial|fail)\s*:\s*)?\b\w+\.[a-z_]+\s*(?:=|[-+])\s*\w+")
_BRACKETS: Final = re.compile(r"\s*[\[(][^\[\]()]*[\])]")
_LOSS: Final = re.compile(
    rf"(?P<you>\byou\s+)?\b(?:loses?|lost|takes?|took|suffers?|suffered)\s+\d+\s+{_HEALTH_WORDS}\b",
    re.IGNORECASE,
)
_GAIN: Final = re.compile(
    rf"(?P<you>\byou\s+)?\b(?:regains?|regained|heals?|healed|recovers?|recovered|gains?|gained)\s+\d+\s+"
    rf"{_HEALTH_WORDS}\b",
    re.IGNORECASE,
)
_BOOKKEEPING: Final = re.compile(
    rf"{_DICE}(?:\s*=\s*\d+)?(?:\s*vs\.?\s*\d+)?(?:\s*·\s*\w+)*"
    r"|\b\d+\s+vs\.?\s+\d+|\brolls?(?:ed)?\b[^.]*\d|\d\s*/\s*\d|[●○◐◑◔◕]"
    r"|\btension\s*(?:is\s+|:\s*)?\d|\s·\s"
    rf"|[-+]?\d+\s*(?:xp|{_HEALTH_WORDS})\b",
    re.IGNORECASE,
)
_SHEET_WORDS: Final = ("hp", "xp", "hit points", "health", "armour class", "ac")
_NOUN_WORDS: Final = re.compile(r"\w[\w'’-]*")
_WILL: Final = re.compile(r"(?:will|shall)\s+(?P<not>not\s+)?(?P<deed>.+)", re.IGNORECASE)
_THIRD_PERSON: Final = re.compile(r"(?P<verb>[a-z]+?)(?:(?P<y>ies)|(?<=sh|ch|ss)es|(?<=[xzo])es|s)(?=$)")
_ATTEMPT: Final = re.compile(r"I (?P<verb>[a-z]+)(?: (?!(?:and|then|I|me|my|mine|myself)\b)[\w'’-]+)*[.!…]*")
"""What the hero does in words without a comma, a quotation, a second deed or a second `I` or `my`."""
_DONE_TO: Final = frozenset(
    {"attack", "beat", "catch", "charm", "convince", "fight", "heal", "help", "hit", "lean on", "mend", "patch up",
     "persuade", "shoot", "slash", "smite", "stab", "strike", "sway", "tend", "turn", "wound"}
)  # fmt: skip
"""Moves of rule packs that are a verb before whom they are done to."""
DONE_TO_LISTENERS: Final = frozenset({"charm", "convince", "lean on", "persuade", "sway"})
"""Moves of rule packs that are done to somebody by words."""
_TELLS: Final = re.compile(
    r"(?:(?:And|But|So|Then),? )?I (?:[a-z]+ly )?"
    r"(?:tells?|told|says?|said|explain(?:ed)?|mention(?:ed)?|answer(?:ed)?|inform(?:ed)?|remind(?:ed)?|report(?:ed)?"
    r"|admit(?:ted)?|confess(?:ed)?|reveal(?:ed)?)\b(?![^.,;:!?]* (?:lies?|jokes?)\b)"
    r"(?=[^.,;:!?]* (?:that|about|of|what|how|why|where|when|who|I|he|she|it|they|we|my)\b)(?P<words>[^\n]+)"
)
"""A sentence that says what the hero tells somebody."""
_URGES: Final = re.compile(
    r"\b(?:to|will|shall|would|must|should|ought|need|needs|has|have|better|unless|if|or|else|let|lets|can|could|may)\b"
    r"|['’]ll\b|\?|[“”\"]",
    re.IGNORECASE,
)
"""Words of what is told by which the hero wants or threatens something, or asks."""
_FIRST_PERSON: Final = re.compile(r"\b(?:I|[Mm]e|[Mm]y|mine|[Mm]yself)\b")
_WITH_SPACE: Final = re.compile(r"[^.!?…]+[.!?…]*\s*|[.!?…]+\s*")
"""A sentence with what parts it from the next one."""
_SAYS_COMMA: Final = re.compile(r"\b(?:says?|said|asks?|asked|answers?|answered|replies|replied),")
_PROMISE_WORDS: Final = re.compile(r"\b(?:promis|swor|swear|vow|pledg|oath|word)\w*", re.IGNORECASE)


def is_bookkeeping(text: str, number_keys: Collection[str] = ()) -> bool:
    """Say whether a text holds dice, a number of a sheet, a clock's state, a command or a question to an oracle.

    `number_keys` are the numbers that the sheets of those present have.
    """
    return (
        any(pattern.search(text) for pattern in (_COMMAND, _QUESTION_TO_ORACLE, _EFFECT, _BOOKKEEPING))
        or _sheet_number_pattern(number_keys).search(text) is not None
    )


def strip_bookkeeping(text: str, number_keys: Collection[str] = ()) -> str:
    """Return the prose of a text that can be remembered; empty if there is none."""
    if not is_bookkeeping(text, number_keys):
        return text
    for pattern in (_COMMAND, _QUESTION_TO_ORACLE, _EFFECT):
        text = pattern.sub("", text)
    text = _BRACKETS.sub(lambda m: "" if is_bookkeeping(m[0], number_keys) else m[0], text)
    text = _LOSS.sub(lambda m: f"{m['you']}are hurt" if m["you"] else "is hurt", text)
    text = _GAIN.sub(lambda m: f"{m['you']}are healed" if m["you"] else "is healed", text)
    sentences = (_shorten_sentence(s, number_keys) for s in split_sentences(text))
    return " ".join(s for s in sentences if _NOUN_WORDS.search(s))


def name_hero_in_narration(text: str, hero_name: str) -> str:
    """Return what the player narrates with the hero's name for `I`, `me` and `my`, as others remember it.

    Quoted words stay as they were said, and so does a sentence in which somebody may speak without quotation marks.
    """
    if not _FIRST_PERSON.search(text) or SINGLE_QUOTED.search(text):
        return text
    pieces, position = list[str](), 0
    for start, end in (*find_speech_spans(text), (len(text), len(text))):
        for sentence in _WITH_SPACE.findall(text, position, start):
            is_spoken = ":" in sentence or _SAYS_COMMA.search(sentence)
            pieces.append(sentence if is_spoken else name_hero(sentence, hero_name))
        pieces.append(text[start:end])
        position = end
    return "".join(pieces)


def word_attempt(text: str, hero_name: str) -> str:
    """Return what the hero does in one deed as what they tried: `Mara tried to jump the gap`; empty if it is more."""
    attempt = _ATTEMPT.fullmatch(text)
    named = name_hero(text, hero_name) if attempt and hero_name else ""
    if attempt is None or not named.startswith(f"{hero_name} "):
        return ""
    named_verb, _, rest = named.removeprefix(f"{hero_name} ").rstrip(" .!…").partition(" ")
    verb = attempt["verb"]
    if named_verb == verb or verb in ("am", "have", "do") or not _THIRD_PERSON.fullmatch(named_verb):
        return ""  # what is not done now: `I could jump`, `I jumped`
    return f"{hero_name} tried {rest}" if verb == "try" else f"{hero_name} tried to {verb} {rest}".rstrip()


def is_telling(text: str) -> bool:
    """Say whether words attempt nothing, as the hero only tells what is so: `I tell Teodor that I forgive him`."""
    sentences = split_sentences(text)
    matches = [_TELLS.match(sentence) for sentence in sentences]
    return bool(matches) and all(match and not _URGES.search(match["words"]) for match in matches)


def word_named_move(move_name: str, target_name: str, hero_name: str, outcome: str) -> str:
    """Return how a move ended, with whom it was done to: `Mara tried to strike Rat, and it failed`."""
    if move_name in _DONE_TO:
        return f"{hero_name} tried to {move_name} {target_name}, and {outcome}"
    return f"{hero_name}: {move_name} {target_name}. {outcome.capitalize()}"


def word_fact(fact: Fact, name: str, number_keys: Collection[str] = ()) -> str:
    """Return a fact as somebody who learned it remembers it; empty if it is bookkeeping.

    `name` is the name of the fact's subject.
    """
    is_number = isinstance(fact.value, int | float) and not isinstance(fact.value, bool)
    if is_number or is_bookkeeping(fact.statement, number_keys):
        return ""
    if fact.kind is not FactKind.COMMITMENT:
        return fact.statement
    if fact.statement.endswith("?"):
        return ""  # an open question of the story is nothing that happened
    return _word_promise(fact.statement, name) if fact.predicate == "promised" and name else fact.statement


def _word_promise(statement: str, name: str) -> str:
    """Return a promise as a deed: `Bela will mend it.` becomes `Bela promised to mend it.`, as far as it can."""
    if _PROMISE_WORDS.search(statement):
        return statement
    rest = statement.removeprefix(name).lstrip()
    if rest == statement:
        return f"{name} promised: {statement}"
    if will_match := _WILL.fullmatch(rest):
        return f"{name} promised {'not ' if will_match['not'] else ''}to {will_match['deed']}"
    verb, _, others = rest.partition(" ")
    if verb in ("is", "was", "has", "had") or not (verb_match := _THIRD_PERSON.fullmatch(verb)):
        return f"{name} promised: {statement}"
    return f"{name} promised to {verb_match['verb']}{'y' if verb_match['y'] else ''} {others}".rstrip()


def _shorten_sentence(sentence: str, number_keys: Collection[str]) -> str:
    """Return a sentence without the bookkeeping at its end; empty if it holds some elsewhere."""
    sheet_pattern = _sheet_number_pattern(number_keys)
    match = _BOOKKEEPING.search(sentence) or sheet_pattern.search(sentence)
    if match is None:
        return sentence
    before, after = sentence[: match.start()].rstrip(" ,;:("), sentence[match.end() :].strip(" .!?)")
    if after or len(_NOUN_WORDS.findall(before)) < 3 or is_bookkeeping(before, number_keys):
        return ""
    return f"{before}."


def _sheet_number_pattern(number_keys: Collection[str]) -> re.Pattern[str]:
    """Return the pattern of a number of a sheet behind its name: `might 3`, `HP is 7`, `luck: -1`."""
    words = {w for key in number_keys for w in (key.casefold(), key.casefold().replace("_", " "))}
    alternatives = "|".join(re.escape(w) for w in sorted({*words, *_SHEET_WORDS}, key=len, reverse=True) if w)
    return re.compile(
        rf"\b(?:{alternatives})\b(?:\s+(?:is|was|are|were|now|at|to|of|falls|drops|rises))*\s*[:=]?\s*[-+]?\d",
        re.IGNORECASE,
    )
