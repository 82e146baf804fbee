"""Splits a sentence into clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.clause_times import is_all_time, is_duration, opening_time_length
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.noun_phrases import (
    ARTICLES,
    POSSESSIVES,
    PREPOSITIONS,
    REFLEXIVES,
    SUBJECT_PRONOUNS,
    NounPhrase,
    read_noun_phrase,
)
from agents.canon_keeper.sentences.plain_forms import say_in_plain_form
from agents.canon_keeper.sentences.tokens import NameBook, Token
from agents.canon_keeper.sentences.turns_of_phrase import plain_words, say_plainly
from agents.canon_keeper.sentences.verb_finder import VerbFinder
from agents.canon_keeper.sentences.verb_phrases import (
    CLAUSE_WORDS,
    TIME_CLAUSE_WORDS,
    VerbPhraseReader,
    means_two,
)
from agents.canon_keeper.sentences.word_lists import WordLists, load_word_lists

_TIME_ADVERBS: Final = frozenset(
    ["yesterday", "today", "tonight", "once", "formerly", "previously", "originally", "recently", "lately"]
)
_TURNING_WORDS: Final = frozenset(["but", "except", "though", "although", "if", "or", "unless", "save"])
"""Words that begin what takes back a part of what was said."""
_IDLE_OPENINGS: Final = (
    "in truth",
    "in fact",
    "of course",
    "in the end",
    "as everyone knows",
    "by all accounts",
    "for all that",
)
_MUTUAL_VERBS: Final = frozenset({"meet", "marry", "wed", "kiss", "speak", "fight", "quarrel"})
"""Verbs that two who are the subject do to each other."""


class ClauseReader:
    """Reads the clauses of sentences."""

    def __init__(self, lists: WordLists, names: NameBook) -> None:
        self._lists = lists
        self._names = names
        self._verbs = VerbFinder(lists)
        self._phrases = VerbPhraseReader(lists)

    def read(self, tokens: Sequence[Token], pronoun: NounPhrase | None = None) -> list[Clause]:
        """Return the clauses that state something; none of a question, a possibility, or words of others."""
        tokens = plain_words(say_in_plain_form(tokens, self._lists), self._lists)
        words = [t.word for t in tokens]
        if "?" in words or _is_uncertain(words):
            return []
        clauses: list[Clause] = []
        for part in _split_at(tokens, {";", ":", "—", "–", ".", "!", "(", ")"}):
            if any(t.word in '“”"' for t in part):
                continue
            for clause in self._read_sentence(part, pronoun):
                clauses.append(say_plainly(clause, self._lists))
                pronoun = pronoun or clause.subject
        return clauses

    def _read_sentence(self, tokens: Sequence[Token], pronoun: NounPhrase | None) -> Iterator[Clause]:
        segments = [list(s) for s in _split_at(tokens, {","})]
        while (
            segments
            and segments[0]
            and segments[0][0].word in load_word_lists().openers
            and len(segments[0]) == 1
        ):
            segments.pop(0)
        if segments and len(segments[0]) > 1 and segments[0][0].word in ("and", "but", "yet", "so"):
            segments[0] = segments[0][1:]
        when = ""
        while len(segments) > 1 and (opening := self._opening_time(segments[0])) is not None:
            when = when if is_duration(opening) else f"{when} {opening}".strip()
            segments.pop(0)
        if not segments:
            return
        classes: list[NounPhrase] = []
        first = segments[0]
        if len(segments) > 1 and self._verbs.find_verb(first) is None:
            # `Stitch, a man of Rigg, is taller`: what stands between says in passing who the subject is.
            while len(segments) > 1 and not self._verbs.starts_with_verb(segments[1]):
                appositive = segments.pop(1)
                if appositive and appositive[0].word in ("who", "which", "whose", "and", "or"):
                    if appositive[0].word in ("and", "or"):
                        first += appositive
                        break
                    continue
                if phrase := read_noun_phrase(appositive, pronoun):
                    classes.append(phrase)
            if len(segments) > 1:
                first += segments.pop(1)
        loose_ends = [s for s in segments if s is not first and not self._has_verb(s)]
        if any(s[0].word in _TURNING_WORDS for s in loose_ends if s):
            return  # `, but only in his dreams`
        loose_times = [" ".join(t.word for t in s) for s in loose_ends if s and s[0].word in PREPOSITIONS]
        when = " ".join([when, *loose_times]).strip()
        subject_tokens: Sequence[Token] = ()
        previous: Clause | None = None
        for segment in [first, *segments] if first is not segments[0] else segments:
            if previous is not None and segment and segment[0].word == "not" and len(segment) > 1:
                contrast = self._contrast(previous, segment[1:])
                if contrast is not None:
                    yield contrast
                continue
            if previous is not None and len(segment) == 1 and segment[0].entity and segment is not first:
                yield from self._with_named_end(previous, segment[0])
                continue
            if (
                previous is not None
                and self._verbs.find_verb(segment) is None
                and not self._verbs.starts_with_verb(segment)
            ):
                continue
            if previous is not None and segment and segment[0].word in (CLAUSE_WORDS | TIME_CLAUSE_WORDS):
                continue
            for part in self._split_coordinated(segment):
                pieces = list(part)
                while pieces and pieces[0].word in ("and", "but", "then", "yet"):
                    pieces = pieces[1:]
                verb_index = self._verbs.find_verb(pieces)
                if verb_index is None and subject_tokens and self._verbs.starts_with_verb(pieces):
                    pieces = [*subject_tokens, *pieces]
                    verb_index = len(subject_tokens)
                if verb_index is None:
                    continue
                own_pronoun = previous.subject if previous is not None else pronoun
                for clause in self._read_clause(pieces, verb_index, own_pronoun):
                    subject_tokens = pieces[: self._verbs.subject_end(pieces, verb_index)]
                    clause = replace(
                        clause, when=f"{when} {clause.when}".strip(), classes=(*clause.classes, *classes)
                    )
                    previous = clause
                    yield clause

    def _has_verb(self, tokens: Sequence[Token]) -> bool:
        return self._verbs.find_verb(tokens) is not None or self._verbs.starts_with_verb(tokens)

    def _with_named_end(self, clause: Clause, name: Token) -> Iterator[Clause]:
        """Yield the clause with its last phrase replaced by the name that follows: `by her own steward, Lemuel`."""
        words = [t.word for t in clause.tail]
        if not words or clause.tail[-1].entity:
            return
        start = max((n + 1 for n, w in enumerate(words) if w in PREPOSITIONS and w != "of"), default=0)
        if words[start] in ("a", "an", "no") or clause.form == "be":
            return
        yield replace(clause, tail=(*clause.tail[:start], name))

    def _contrast(self, clause: Clause, words: Sequence[Token]) -> Clause | None:
        """Return what `, not killed` denies of the clause before."""
        if clause.negation:
            return None
        readings = self._lists.readings_as_verb(words[0].word)
        if clause.is_passive and any(r.tag == "part" for r in readings):
            lemma = next(r.lemma for r in readings if r.tag == "part")
            return replace(clause, verb=lemma, negation="not", tail=tuple(words[1:]) or clause.tail)
        if clause.is_passive and words[0].word == "by":
            return replace(clause, negation="not", tail=tuple(words))
        if clause.form == "be":
            return replace(clause, negation="not", tail=tuple(words))
        return None

    def _opening_time(self, segment: Sequence[Token]) -> str | None:
        """Return the words of an opening that says when (`Last night,`), empty for another; None if it is none."""
        words = [t.word for t in segment]
        if not words:
            return ""
        if words[0] in TIME_CLAUSE_WORDS:
            return " ".join(words)
        if self._verbs.find_verb(segment) is not None:
            return None
        if words[0] in PREPOSITIONS:
            return "" if " ".join(words) in _IDLE_OPENINGS or is_all_time(words) else " ".join(words)
        if (
            any(w in load_word_lists().time_nouns for w in words)
            or words[0] in _TIME_ADVERBS
            or words[-1] == "ago"
        ):
            return " ".join(words)
        return (
            ""
            if len(words) == 1 and (words[0] in load_word_lists().openers or words[0].endswith("ly"))
            else None
        )

    def _split_coordinated(self, tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
        """Split at `and` and `but` where another verb follows."""
        start = 0
        for index, token in enumerate(tokens):
            if token.word not in ("and", "but", "then") or index <= start or index + 1 >= len(tokens):
                continue
            before, after = tokens[start:index], tokens[index + 1 :]
            if token.word == "but" and any(
                t.word in ("nobody", "one", "nothing", "all") for t in before[-1:]
            ):
                continue
            if self._verbs.find_verb(before) is None and not (start and self._verbs.starts_with_verb(before)):
                continue
            if self._verbs.starts_with_verb(after) or self._starts_with_clause(after):
                yield before
                start = index + 1
        yield tokens[start:]

    def _starts_with_clause(self, tokens: Sequence[Token]) -> bool:
        """Say whether a subject and its verb follow at once."""
        verb_index = self._verbs.find_verb(tokens)
        return (
            verb_index is not None
            and verb_index <= 4
            and (
                bool(tokens[0].entity)
                or tokens[0].word in SUBJECT_PRONOUNS | ARTICLES | POSSESSIVES | {"nobody", "no"}
            )
        )

    def _read_clause(
        self, tokens: Sequence[Token], verb_index: int, pronoun: NounPhrase | None
    ) -> Iterator[Clause]:
        words = [t.word for t in tokens]
        if (
            words[0] == "it"
            and words[1:2]
            and words[1] in ("is", "was")
            and ("who" in words or "that" in words)
        ):
            yield from self._read_cleft(tokens, pronoun)
            return
        if words[0] == "there" and verb_index == 1:
            yield from self._read_existence(tokens, verb_index, pronoun)
            return
        opening = opening_time_length(words[:verb_index])
        if opening:
            for clause in self._read_clause(tokens[opening:], verb_index - opening, pronoun):
                opening_words = " ".join(words[:opening])
                is_repeated = is_duration(opening_words)
                yield (
                    clause if is_repeated else replace(clause, when=f"{opening_words} {clause.when}".strip())
                )
            return
        if (inner := _only_one_who(tokens, verb_index)) is not None:
            inner_verb = self._verbs.find_verb(inner)
            if inner_verb is not None:
                for clause in self._read_clause(inner, inner_verb, pronoun):
                    yield replace(clause, subject=replace(clause.subject, is_only=True))
            return
        subject_end = self._verbs.subject_end(tokens, verb_index)
        subject_tokens = list(tokens[:subject_end])
        adverbs = {t.word for t in tokens[subject_end:verb_index]}
        for index in range(len(subject_tokens)):
            if index and subject_tokens[index].word in (
                "who",
                "which",
                "that",
                "whose",
                "whom",
                "when",
                "where",
            ):
                return  # `the man who stole it` is somebody who is not named
        if len(subject_tokens) > 1 and subject_tokens[-1].word in ("alone", "himself", "herself", "itself"):
            if subject_tokens[-1].word == "alone":
                adverbs.add("alone")
            subject_tokens = subject_tokens[:-1]
        is_neither = subject_tokens[0].word == "neither"
        if is_neither:
            subject_tokens = subject_tokens[1:]
        subjects = self._read_subjects(subject_tokens, {"and", "nor"} if is_neither else {"and"}, pronoun)
        if not subjects:
            return
        base = self._phrases.read(tokens, verb_index, adverbs)
        if base is None or (base.negation and not REFLEXIVES.isdisjoint(base.adverbs)):
            return  # who never forgave himself may have forgiven others
        if is_neither:
            base = replace(base, negation="not" if not base.negation else "")
        if "alone" in adverbs:
            subjects = [replace(s, is_only=True) for s in subjects]
        for number, subject in enumerate(subjects):
            others = [s for n, s in enumerate(subjects) if n != number]
            tail = base.tail
            if len(others) == 1 and len(tail) >= 2:
                tail = _resolve_reciprocal(tail, others[0])
            elif len(others) == 1 and not tail and base.verb in _MUTUAL_VERBS and others[0].entity:
                tail = (Token(others[0].entity, f"@{others[0].entity}", others[0].entity),)
            clause = replace(
                base
                if not (means_two(tail, self._lists) and len(subjects) == 2)
                else replace(base, form="be"),
                subject=subject,
                tail=tail,
                spoken=self._spoken(subject_tokens, tokens, subject_end, base),
            )
            if (
                len(subjects) == 2
                and len(tail) in (1, 2)
                and (base.form == "be" or base.verb == "become")
                and means_two(tail, self._lists)
            ):
                if number:
                    continue
                clause = replace(clause, adverbs=clause.adverbs | {"*pair"}, classes=(others[0],))
            yield clause

    def _read_subjects(
        self, tokens: Sequence[Token], joining: set[str], pronoun: NounPhrase | None
    ) -> list[NounPhrase]:
        if " ".join(t.word for t in tokens).find("one and only") >= 0:
            joining = set()
        if any(t.word in joining for t in tokens):
            parts = [[t for t in part if t.word != "both"] for part in _split_at(tokens, joining | {","})]
            phrases = [read_noun_phrase(part, pronoun) for part in parts if part]
            return [p for p in phrases if p is not None] if all(phrases) else []
        phrase = read_noun_phrase(tokens, pronoun)
        return [phrase] if phrase is not None else []

    def _spoken(
        self, subject_tokens: Sequence[Token], tokens: Sequence[Token], subject_end: int, clause: Clause
    ) -> tuple[str, str, str]:
        """Return subject, verb and the rest in words, each name in full; a preposition goes with the verb."""
        rest = tokens[subject_end:]
        split = next((n for n, t in enumerate(rest) if clause.tail and t is clause.tail[0]), len(rest))
        while split < len(rest) and rest[split].word in PREPOSITIONS | ARTICLES and split + 1 < len(rest):
            split += 1
        verb_words = [t.text for t in rest[:split] if t.word not in ARTICLES]
        return self._text_of(subject_tokens), " ".join(verb_words), self._text_of(rest[split:])

    def _text_of(self, tokens: Sequence[Token]) -> str:
        if tokens and tokens[0].word in ARTICLES and len(tokens) > 1:
            tokens = tokens[1:]
        words = [self._names.full_names.get(t.entity, t.text) for t in tokens]
        return " ".join(words).replace(" 's", "'s")

    def _read_cleft(self, tokens: Sequence[Token], pronoun: NounPhrase | None) -> Iterator[Clause]:
        """Read `It was Dob who stole the bell.`."""
        words = [t.word for t in tokens]
        index = next(n for n, w in enumerate(words) if w in ("who", "that"))
        focus = tokens[2:index]
        is_denied = bool(focus) and focus[0].word == "not"
        focus = focus[1:] if is_denied else focus
        if not focus:
            return
        inner = [*focus, *tokens[index + 1 :]]
        verb_index = self._verbs.find_verb(inner)
        if verb_index != len(focus):
            return
        for clause in self._read_clause(inner, verb_index, pronoun):
            if is_denied:
                yield replace(clause, negation="not" if not clause.negation else "")
            else:
                yield replace(clause, is_cleft=True)

    def _read_existence(
        self, tokens: Sequence[Token], verb_index: int, pronoun: NounPhrase | None
    ) -> Iterator[Clause]:
        """Read `There is no treasure under the hill.`."""
        rest = list(tokens[verb_index + 1 :])
        base = self._phrases.read(tokens, verb_index, set())
        if base is None or not rest:
            return
        words = list(base.tail)
        end = next((n for n, t in enumerate(words) if n and t.word in PREPOSITIONS), len(words))
        subject = read_noun_phrase(words[:end], pronoun)
        if subject is not None:
            yield replace(base, subject=subject, verb="exist", form="verb", tail=tuple(words[end:]))


def _only_one_who(tokens: Sequence[Token], verb_index: int) -> list[Token] | None:
    """Return `Tam can open the vault` for `Tam is the only one who can open the vault`."""
    words = [t.word for t in tokens[verb_index:]]
    if words[:3] not in (["is", "the", "only"], ["was", "the", "only"], ["is", "the", "sole"]):
        return None
    index = next((n for n, w in enumerate(words[:6]) if w in ("who", "that")), None)
    return [*tokens[:verb_index], *tokens[verb_index + index + 1 :]] if index is not None else None


def _is_uncertain(words: Sequence[str]) -> bool:
    lists = load_word_lists()
    if not lists.uncertain_words.isdisjoint(words):
        return True
    text = f" {' '.join(words)} "
    return any(f" {phrase} " in text for phrase in lists.uncertain_phrases)


def _resolve_reciprocal(tail: tuple[Token, ...], other: NounPhrase) -> tuple[Token, ...]:
    words = [t.word for t in tail]
    for pair in (["each", "other"], ["one", "another"]):
        for index in range(len(words) - 1):
            if words[index : index + 2] == pair and other.entity:
                return (
                    *tail[:index],
                    Token(other.entity, f"@{other.entity}", other.entity),
                    *tail[index + 2 :],
                )
    return tail


def _split_at(tokens: Sequence[Token], marks: set[str]) -> list[Sequence[Token]]:
    parts: list[Sequence[Token]] = []
    start = 0
    for index, token in enumerate(tokens):
        if token.word in marks:
            parts.append(tokens[start:index])
            start = index + 1
    parts.append(tokens[start:])
    return [part for part in parts if len(part)]
