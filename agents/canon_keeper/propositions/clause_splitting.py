"""Splits a sentence at its verbs into clauses: who, the verb group, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.propositions.verb_groups import read_verb_group
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS, SUBJECT_PRONOUNS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.verb_finder import BE, CAN, DO, HAVE, MODALS, VerbFinder, is_adverb
from agents.canon_keeper.sentences.word_lists import NUMBERS, WordLists, load_word_lists, number_of

_HARD_MARKS: Final = frozenset({";", ":", "—", "–", ".", "!", "(", ")"})
_RELATIVES: Final = frozenset({"who", "which", "that", "whose", "whom"})
_SUBORDINATORS: Final = frozenset(
    ["because", "although", "though", "while", "when", "whenever", "until", "till", "whereas", "where", "how", "why",
     "what", "lest", "than"]
)  # fmt: skip
_LIMITS: Final = frozenset({"while", "when", "whenever", "until", "till", "where", "than", "because", "lest"})
"""Subordinators that say when or why it is so."""
_INDIRECT: Final = frozenset({"where", "who", "what", "how", "why", "when"})
_BEFORE_CLAUSES: Final = frozenset({"before", "after", "since", "so"})
"""Words that begin a clause where a verb follows, and a phrase elsewhere."""
_MORE_OR_LESS: Final = frozenset({"more", "less", "fewer"})
_COUNTS: Final = frozenset(NUMBERS)
_JOINING: Final = frozenset({"and", "but", "or", "yet", "nor", "then"})
_DONE_VERBS: Final = frozenset(
    ["raise", "breed", "educate", "kill", "hang", "execute", "behead", "burn", "shoot", "stab", "imprison", "bury",
     "destroy", "torture", "convict", "sentence", "crown", "murder", "lock", "seal", "smash", "arrest", "capture"]
)  # fmt: skip
"""Verbs that without an object are said of those to whom it is done, behind another of that kind."""
_STARTS_OF_SUBJECTS: Final = ARTICLES | POSSESSIVES | SUBJECT_PRONOUNS | frozenset(
    ["nobody", "no", "everyone", "everybody", "every", "all", "none", "both", "nothing", "people", "only", "one",
     "there", "these", "those"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """The words of one clause. `helpers` are the auxiliaries and adverbs before the main verb."""

    subject: tuple[Token, ...]
    helpers: tuple[Token, ...] = ()
    verb: str = ""
    """The lemma of the main verb."""
    word: str = ""
    """The main verb as it is written; empty where there is none but `is`."""
    tag: str = ""
    """Its form: base, s, past, part or ing; `be` where there is none but `is`."""
    rest: tuple[Token, ...] = ()
    front: tuple[Token, ...] = ()
    """What stands before the subject: `On the night of the fire`."""
    aside: tuple[Token, ...] = ()
    """What is said in passing between subject and verb."""
    is_denied: bool = False
    limit: str = ""
    """The word of a clause that follows and says when: `until`."""

    @property
    def is_passive(self) -> bool:
        return self.tag == "part" and any(t.word in BE or t.word == "got" for t in self.helpers)


class ClauseSplitter:
    """Splits sentences into the words of their clauses."""

    def __init__(self, lists: WordLists) -> None:
        self._lists = lists
        self._verbs = VerbFinder(lists)

    def split(self, tokens: Sequence[Token]) -> Iterator[ClauseWords]:
        subject: tuple[Token, ...] = ()
        previous: ClauseWords | None = None
        for part in _split_at(tokens, _HARD_MARKS):
            if cleft := list(self._cleft(part)):
                yield from cleft
                continue
            for segment in self._segments(part):
                clause = self._read(segment, subject)
                if clause is None:
                    continue
                if previous is not None and clause.subject == previous.subject:
                    clause = self._with_helpers_of(previous, clause)
                if clause.subject:
                    subject = clause.subject
                previous = clause
                yield clause

    def _with_helpers_of(self, previous: ClauseWords, clause: ClauseWords) -> ClauseWords:
        """Return a clause as done to its subject where only the one before has `was`: `was born and raised in Rigg`."""
        is_open = not clause.rest or clause.rest[0].word in PREPOSITIONS
        if not (previous.is_passive and clause.tag == "past" and not clause.helpers and is_open):
            return clause
        return replace(clause, tag="part", helpers=previous.helpers) if clause.verb in _DONE_VERBS else clause

    # --- segments ---------------------------------------------------------------------------------

    def _segments(self, tokens: Sequence[Token]) -> Iterator[list[Token]]:
        """Yield the stretches of words that each have a verb, with what belongs to them."""
        pieces = [list(p) for p in _split_at(tokens, {","})]
        joined: list[list[Token]] = []
        index = 0
        while index < len(pieces):
            piece = pieces[index]
            index += 1
            if not self._has_verb(piece):
                # `No mortal, Elspeth included, ever struck ...`: what stands between is said in passing.
                if index + 1 < len(pieces) and self._starts_with_verb(pieces[index + 1]) and not joined:
                    joined.append(
                        [*piece, Token("(", "("), *pieces[index], Token(")", ")"), *pieces[index + 1]]
                    )
                    index += 2
                    continue
                if joined:
                    joined[-1] = [*joined[-1], Token(",", ","), *piece]
                elif index < len(pieces):
                    pieces[index] = [*piece, Token(",", ","), *pieces[index]]
                continue
            joined.append(piece)
        for piece in joined:
            yield from self._split_joined(piece)

    def _split_joined(self, tokens: list[Token]) -> Iterator[list[Token]]:
        start = 0
        for index in range(1, len(tokens)):
            word = tokens[index].word
            if index <= start or index + 1 >= len(tokens):
                continue
            rest = tokens[index + 1 :]
            if word in _JOINING and self._has_verb(tokens[start:index]) and self._begins_clause(rest):
                yield tokens[start:index]
                start = index + 1
            elif word == "that" and not (self._starts_with_verb(rest) or _starts_subject(rest)):
                continue  # `that oath`
            elif (
                word == "than"
                and rest[0].word in _COUNTS | ARTICLES
                and tokens[index - 1].word in _MORE_OR_LESS
            ):
                continue  # `less than a hundred people`
            elif word in _RELATIVES | _SUBORDINATORS and (
                self._has_verb(rest) or self._starts_with_verb(rest)
            ):
                is_limit = word in _LIMITS
                asked = rest if word in _INDIRECT and self._knows(tokens[start:index]) else []
                yield [*tokens[start:index], *asked, *([Token("|" + word, "|" + word)] if is_limit else [])]
                yield from self._relative(tokens[:index], word, rest)
                return
            elif word in _BEFORE_CLAUSES and self._has_verb(rest) and self._has_verb(tokens[start:index]):
                yield [*tokens[start:index], Token("|" + word, "|" + word)]
                return
            elif (
                word in SUBJECT_PRONOUNS
                and word != "it"
                and self._has_verb(tokens[start:index])
                and tokens[index - 1].word not in _JOINING | {",", ")"}
                and self._has_verb(tokens[index:])
            ):
                yield tokens[start:index]  # `every client he ever had`
                return
        yield tokens[start:]

    def _relative(self, before: list[Token], word: str, rest: list[Token]) -> Iterator[list[Token]]:
        if word in ("who", "which", "that") and before[-1].entity and self._starts_with_verb(rest):
            yield [before[-1], *rest]

    def _knows(self, tokens: list[Token]) -> bool:
        lemmas = {r.lemma for t in tokens for r in self._lists.readings_as_verb(t.word)}
        return not lemmas.isdisjoint(("know", "learn", "discover", "remember")) or "idea" in [
            t.word for t in tokens
        ]

    def _begins_clause(self, tokens: list[Token]) -> bool:
        if self._starts_with_verb(tokens):
            return True
        index = self._find_verb(tokens)
        return index is not None and index <= 6 and _starts_subject(tokens)

    def _has_verb(self, tokens: Sequence[Token]) -> bool:
        return self._find_verb(tokens) is not None or self._starts_with_verb(tokens)

    def _starts_with_verb(self, tokens: Sequence[Token]) -> bool:
        words = [t for t in tokens if t.word not in ("not", "never", "ever")]
        return bool(words) and self._verbs.starts_with_verb(words)

    def _cleft(self, tokens: Sequence[Token]) -> Iterator[ClauseWords]:
        """Read `It was Hettie who found it` and `It was a girl, not Fennic, who killed it`."""
        words = [t.word for t in tokens]
        if words[:1] != ["it"] or words[1:2] not in (["is"], ["was"]):
            return
        index = next((n for n, w in enumerate(words) if w in ("who", "that")), None)
        if index is None:
            return
        rest = list(tokens[index + 1 :])
        for focus in _split_at(tokens[2:index], {",", "but"}):
            is_denied = focus[0].word == "not"
            whom = list(focus[1:] if is_denied else focus)
            clause = self._read([*whom, *rest], ()) if whom else None
            if clause is not None:
                yield replace(clause, is_denied=is_denied)

    def _find_verb(self, tokens: Sequence[Token]) -> int | None:
        """Return where the finite verb stands; a known one before one that only looks like a verb."""
        index = self._verbs.find_verb(tokens)
        if index is None or self._is_known(tokens[index]):
            return index
        rest = self._verbs.find_verb([Token(".", "."), *tokens[index + 1 :]])
        return index + rest if rest is not None and self._is_known(tokens[index + rest]) else index

    def _is_known(self, token: Token) -> bool:
        return token.word in BE | DO | HAVE | CAN | MODALS or bool(self._lists.readings_as_verb(token.word))

    # --- one clause -------------------------------------------------------------------------------

    def _read(self, tokens: list[Token], inherited: tuple[Token, ...]) -> ClauseWords | None:
        while tokens and tokens[0].word in _JOINING | {",", "so", "also"}:
            tokens = tokens[1:]
        limit = tokens[-1].word.removeprefix("|") if tokens and tokens[-1].word.startswith("|") else ""
        tokens = tokens[:-1] if limit else tokens
        aside: list[Token] = []
        if {"(", ")"} <= {t.word for t in tokens}:
            start, end = ([t.word for t in tokens].index(mark) for mark in "()")
            aside = tokens[start + 1 : end]
            tokens = [*tokens[:start], *tokens[end + 1 :]]
        if not tokens:
            return None
        index = self._find_verb(tokens)
        if inherited and (index is None or index > 0) and self._starts_with_verb(tokens):
            subject, front, index = inherited, tuple[Token, ...](), 0
        elif index is None:
            return None
        else:
            start = self._subject_start(tokens, index)
            subject, front = tuple(tokens[start:index]), tuple(tokens[:start])
        while (
            len(subject) > 1 and is_adverb(subject[-1]) and subject[-1].word not in ("alone", "both", "all")
        ):
            subject, index = subject[:-1], index - 1
        helpers, verb, tag, end = read_verb_group(tokens, index, self._lists)
        if not verb:
            return None
        written = tokens[end - 1].word if tag != "be" else ""
        return ClauseWords(
            subject, tuple(helpers), verb, written, tag, tuple(tokens[end:]), front, tuple(aside), limit=limit
        )

    def _subject_start(self, tokens: list[Token], verb_index: int) -> int:
        """Return where the subject begins, if something stands before it that says when or where."""
        words = [t.word for t in tokens]
        time_nouns = load_word_lists().time_nouns
        is_fronted = (
            words[0] in PREPOSITIONS | {"ever", "since", "before", "after", "until"}
            or "ago" in words[:verb_index]
            or any(w in time_nouns for w in words[: max(0, verb_index - 1)])
            or "," in words[:verb_index]
            or (
                words[0] == "all"
                and words[1] in POSSESSIVES
                and words[2] in ("life", "lives", "days", "years")
            )
        )
        if not is_fronted:
            return 0
        bound = PREPOSITIONS | ARTICLES | POSSESSIVES | {"of", "'s", "and", "but", "no", "every", "not"}
        for start in range(verb_index - 1, 0, -1):
            token, previous = tokens[start], words[start - 1]
            if previous == ",":
                return start
            starts = (
                bool(token.entity) or token.word in _STARTS_OF_SUBJECTS or number_of(token.word) is not None
            )
            if starts and previous not in bound:
                return start
        return 0 if words[0] not in PREPOSITIONS else verb_index - 1


def _starts_subject(tokens: Sequence[Token]) -> bool:
    return bool(tokens[0].entity) or tokens[0].word in _STARTS_OF_SUBJECTS


def _split_at(tokens: Sequence[Token], marks: frozenset[str] | set[str]) -> list[Sequence[Token]]:
    parts: list[Sequence[Token]] = []
    start = 0
    for index, token in enumerate(tokens):
        if token.word in marks:
            parts.append(tokens[start:index])
            start = index + 1
    parts.append(tokens[start:])
    return [part for part in parts if part]
