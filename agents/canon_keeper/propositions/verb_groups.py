"""Reads the verb of a clause with the auxiliaries and adverbs before it."""

from __future__ import annotations

from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.verb_finder import BE, CAN, DO, HAVE, MODALS, is_adverb
from agents.canon_keeper.sentences.word_lists import WordLists


def read_verb_group(tokens: list[Token], index: int, lists: WordLists) -> tuple[list[Token], str, str, int]:
    """Return auxiliaries and adverbs, the main verb, its form, and where the rest begins."""
    helpers: list[Token] = []
    position = index
    while position < len(tokens):
        token = tokens[position]
        word = token.word
        is_auxiliary = word in BE | DO | CAN | MODALS | HAVE or word in ("not", "never", "got")
        if not (is_auxiliary or is_adverb(token) or word in ("no", "neither")):
            break
        if word == "no" and (position + 1 >= len(tokens) or tokens[position + 1].word != "longer"):
            break
        if word == "got" and position + 1 < len(tokens) and tokens[position + 1].word == "drunk":
            break
        if word in DO | HAVE | {"got"} and not _helps(tokens, position, lists):
            break
        helpers.append(token)
        position += 2 if word == "no" else 1
        if word == "no":
            helpers.append(tokens[position - 1])
    has_be = any(h.word in BE for h in helpers)
    if position >= len(tokens):
        return helpers, ("be" if has_be else ""), "be", position
    word = tokens[position].word
    readings = {r.tag: r.lemma for r in lists.readings_as_verb(word)}
    if word == "lain":
        readings = {"part": "lie"}
    if word in HAVE:
        return helpers, "have", "past" if word == "had" else "s", position + 1
    if word in DO | {"done", "doing"}:
        return helpers, "do", "part" if word == "done" else "past" if word == "did" else "s", position + 1
    wanted: tuple[str, ...] = ("s", "past", "base", "part")
    if has_be:
        wanted = ("ing", "part")
    elif any(h.word in HAVE for h in helpers):
        wanted = ("part", "past")
    elif any(h.word in DO | CAN | MODALS for h in helpers):
        wanted = ("base",)
    if not tokens[position].entity:
        for tag in wanted:
            if tag in readings:
                return helpers, readings[tag], tag, position + 1
    if has_be:
        return helpers, "be", "be", position
    if helpers and any(h.word in DO | CAN | MODALS | HAVE for h in helpers):
        return helpers, word, wanted[0], position + 1
    if word.endswith(("s", "ed")) and not tokens[position].entity:
        return (
            helpers,
            _base_of(word),
            "past" if word.endswith("ed") else "s",
            position + 1,
        )
    return helpers, "", "", position


def _base_of(word: str) -> str:
    """Return the base form of a verb that no list has: `shred` of `shredded`, `sabotage` of `sabotaged`."""
    if not word.endswith("ed"):
        return word.removesuffix("s")
    stem = word.removesuffix("ed")
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsfz":
        return stem[:-1]
    return f"{stem}e" if stem.endswith(("g", "c", "v", "at", "iz", "u")) and not stem.endswith("ng") else stem


def _helps(tokens: list[Token], position: int, lists: WordLists) -> bool:
    """Say whether `has`, `does` and `got` only help another verb."""
    word = tokens[position].word
    for token in tokens[position + 1 :]:
        if token.word in ("not", "never") or is_adverb(token):
            continue
        tags = {r.tag for r in lists.readings_as_verb(token.word)}
        if word in DO:
            return "base" in tags or token.word in ("have", "be")
        return "part" in tags or token.word in ("been", "had", "done", "lain")
    return False
