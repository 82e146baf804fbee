"""Splits a sentence into clauses: who, which verb, denied or not, when, and what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.sentences.noun_phrases import (
    ARTICLES,
    POSSESSIVES,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    NounPhrase,
    read_noun_phrase,
)
from agents.canon_keeper.sentences.tokens import NameBook, Token
from agents.canon_keeper.sentences.word_lists import VerbForm, WordLists, number_of

_BE: Final = frozenset({"is", "are", "am", "was", "were", "be", "been", "being"})
_HAVE: Final = frozenset({"has", "have", "had"})
_DO: Final = frozenset({"does", "do", "did"})
_FINITE: Final = (_BE - {"be", "been", "being"}) | _HAVE | _DO
_CAN: Final = frozenset({"can", "could"})
_MODALS: Final = frozenset({"would", "may", "might", "should", "must", "will", "shall", "ought"})
_NEGATIONS: Final = frozenset({"not", "never"})
_ADVERBS: Final = frozenset(
    ["never", "not", "always", "still", "now", "already", "once", "also", "just", "only", "ever", "even", "really", "truly", "finally", "often", "long", "again", "soon", "both", "all", "yet", "then", "too", "since", "thus", "therefore", "rarely", "seldom", "sometimes", "usually", "surely", "certainly", "indeed", "long-since", "almost", "nearly", "at-last", "alone", "quite", "very", "himself", "herself", "itself", "forever", "here", "there", "first", "last", "later", "today", "tonight", "yesterday", "ago", "alive", "together", "away", "back", "home", "else", "anymore", "instead", "merely", "all"]
)
_UNCERTAIN_WORDS: Final = frozenset(
    ["if", "unless", "whether", "perhaps", "maybe", "probably", "possibly", "supposedly", "allegedly", "reportedly", "apparently", "seemingly", "rumour", "rumor", "rumours", "rumors", "rumoured", "rumored", "legend", "legends", "according", "wrongly", "falsely", "presumably", "likely", "almost", "nearly", "practically", "would", "may", "might", "should", "must", "will", "shall", "ought", "tomorrow", "soon", "supposed"]
)
"""Words by which a sentence says what may be, will be, or is said: it claims nothing."""
_UNCERTAIN_PHRASES: Final = (
    ("as", "if"), ("as", "though"), ("going", "to"), ("about", "to"), ("said", "to"), ("thought", "to"),
    ("believed", "to"), ("known", "to"), ("people", "say"), ("they", "say"), ("in", "a", "dream"), ("some", "say"),
    ("folk", "say"), ("so-called",), ("is", "to", "be"), ("are", "to", "be"), ("used", "to"), ("in", "theory"),
    ("in", "name", "only"), ("in", "the", "play"), ("next", "year"), ("next", "week"), ("next", "month"),
)  # fmt: skip
_CLAUSE_WORDS: Final = frozenset(
    ["because", "although", "though", "so", "whereas", "where", "that", "who", "which", "whose", "whom", "lest"]
)
_TIME_CLAUSE_WORDS: Final = frozenset(
    ["when", "while", "whenever", "until", "till", "before", "after", "since", "ere", "during", "by", "as", "once"]
)
_TIME_NOUNS: Final = frozenset(
    ["day", "days", "night", "nights", "morning", "mornings", "evening", "evenings", "afternoon", "dawn", "dusk", "noon", "midnight", "midday", "sunrise", "sunset", "daylight", "year", "years", "month", "months", "week", "weeks", "winter", "winters", "summer", "summers", "spring", "autumn", "hour", "hours", "minute", "moment", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "time", "times", "age", "ages", "days", "century", "centuries", "dark", "season", "childhood", "youth", "wedding", "war", "wars", "life", "reign", "moonrise", "nightfall", "daybreak", "market-day", "tide", "past"]
)
_TIME_ADVERBS: Final = frozenset(
    ["yesterday", "today", "tonight", "once", "formerly", "previously", "originally", "recently", "lately"]
)
_OPENERS: Final = frozenset(
    ["and", "but", "so", "yet", "then", "also", "well", "actually", "indeed", "truly", "meanwhile", "however", "still", "now", "today", "moreover", "besides", "certainly", "surely", "alas", "clearly", "plainly"]
)
_PUNCTUATION: Final = frozenset(',.;:!?—–()“”"')


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause. `form` is `be`, `have` or `verb`; `tense` is now, past or perfect.

    `negation` is `not`, `never`, `no longer` or nothing.
    """

    subject: NounPhrase
    verb: str
    form: str
    tense: str = "now"
    negation: str = ""
    is_passive: bool = False
    is_progressive: bool = False
    can: bool = False
    adverbs: frozenset[str] = frozenset()
    tail: tuple[Token, ...] = ()
    """The words behind the verb, but for what says when."""
    when: str = ""
    classes: tuple[NounPhrase, ...] = ()
    """What the sentence says in passing that the subject is: `a witch of Harl`."""
    is_cleft: bool = False
    spoken: tuple[str, str, str] = ("", "", "")
    """Subject, verb and the rest in the words of the sentence."""


class ClauseReader:
    """Reads the clauses of sentences."""

    def __init__(self, lists: WordLists, names: NameBook) -> None:
        self._lists = lists
        self._names = names

    def read(self, tokens: Sequence[Token], pronoun: NounPhrase | None = None) -> list[Clause]:
        """Return the clauses that state something; none of a question, a possibility, or words of others."""
        words = [t.word for t in tokens]
        if "?" in words or _is_uncertain(words):
            return []
        clauses: list[Clause] = []
        for part in _split_at(tokens, {";", ":", "—", "–", ".", "!", "(", ")"}):
            if any(t.word in '“”"' for t in part):
                continue
            for clause in self._read_sentence(part, pronoun):
                clauses.append(clause)
                pronoun = pronoun or clause.subject
        return clauses

    # --- one sentence -----------------------------------------------------------------------------------

    def _read_sentence(self, tokens: Sequence[Token], pronoun: NounPhrase | None) -> Iterator[Clause]:
        segments = [list(s) for s in _split_at(tokens, {","})]
        while segments and segments[0] and segments[0][0].word in _OPENERS and len(segments[0]) == 1:
            segments.pop(0)
        if segments and len(segments[0]) > 1 and segments[0][0].word in ("and", "but", "yet", "so"):
            segments[0] = segments[0][1:]
        when = ""
        while len(segments) > 1 and (opening := self._opening_time(segments[0])) is not None:
            when = f"{when} {opening}".strip()
            segments.pop(0)
        if not segments:
            return
        classes: list[NounPhrase] = []
        first = segments[0]
        if len(segments) > 1 and self._find_verb(first) is None:
            # `Stitch, a man of Rigg, is taller`: what stands between says in passing who the subject is.
            while len(segments) > 1 and not self._starts_with_verb(segments[1]):
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
                and self._find_verb(segment) is None
                and not self._starts_with_verb(segment)
            ):
                continue
            if previous is not None and segment and segment[0].word in (_CLAUSE_WORDS | _TIME_CLAUSE_WORDS):
                continue
            for part in self._split_coordinated(segment):
                pieces = list(part)
                while pieces and pieces[0].word in ("and", "but", "then", "yet"):
                    pieces = pieces[1:]
                verb_index = self._find_verb(pieces)
                if verb_index is None and subject_tokens and self._starts_with_verb(pieces):
                    pieces = [*subject_tokens, *pieces]
                    verb_index = len(subject_tokens)
                if verb_index is None:
                    continue
                own_pronoun = previous.subject if previous is not None else pronoun
                for clause in self._read_clause(pieces, verb_index, own_pronoun):
                    subject_tokens = pieces[: self._subject_end(pieces, verb_index)]
                    clause = replace(
                        clause, when=f"{when} {clause.when}".strip(), classes=(*clause.classes, *classes)
                    )
                    previous = clause
                    yield clause

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
        if clause.form == "be":
            return replace(clause, negation="not", tail=tuple(words))
        return None

    def _opening_time(self, segment: Sequence[Token]) -> str | None:
        """Return the words of an opening that says when (`Last night,`), empty for another; None if it is none."""
        words = [t.word for t in segment]
        if not words:
            return ""
        if words[0] in _TIME_CLAUSE_WORDS:
            return " ".join(words)
        if self._find_verb(segment) is not None:
            return None
        if words[0] in PREPOSITIONS:
            return _time_of(words) or ("" if not any(t.entity for t in segment) else " ".join(words))
        if any(w in _TIME_NOUNS for w in words) or words[0] in _TIME_ADVERBS or words[-1] == "ago":
            return " ".join(words)
        return "" if len(words) == 1 and (words[0] in _OPENERS or words[0].endswith("ly")) else None

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
            if self._find_verb(before) is None and not (start and self._starts_with_verb(before)):
                continue
            if self._starts_with_verb(after) or self._starts_with_clause(after):
                yield before
                start = index + 1
        yield tokens[start:]

    def _starts_with_clause(self, tokens: Sequence[Token]) -> bool:
        """Say whether a subject and its verb follow at once."""
        verb_index = self._find_verb(tokens)
        return (
            verb_index is not None
            and verb_index <= 4
            and (
                bool(tokens[0].entity)
                or tokens[0].word in SUBJECT_PRONOUNS | ARTICLES | POSSESSIVES | {"nobody", "no"}
            )
        )

    def _starts_with_verb(self, tokens: Sequence[Token]) -> bool:
        for token in tokens:
            if token.word in _ADVERBS or (token.word.endswith("ly") and len(token.word) > 4):
                continue
            if token.word in _FINITE or token.word in _CAN or token.word in _MODALS:
                return True
            return any(r.tag in ("s", "past") for r in self._lists.readings_as_verb(token.word))
        return False

    # --- the verb ---------------------------------------------------------------------------------------

    def _find_verb(self, tokens: Sequence[Token]) -> int | None:
        """Return where the finite verb stands, or the auxiliary before it."""
        for index, token in enumerate(tokens):
            if index == 0 and token.word not in ("is", "are", "was", "were"):
                continue
            word = token.word
            if index and (word in _FINITE or word in _CAN or word in _MODALS):
                return index
            previous = tokens[index - 1] if index else token
            if (
                token.entity
                or index == 0
                or previous.word
                in ARTICLES
                | POSSESSIVES
                | {"'s", "no", "every", "any", "some", "each", "only", "this", "that"}
                or previous.word in PREPOSITIONS
                or (number_of(previous.word) is not None
                and previous.word != "one"
                and tokens[index - 2].word != "of")
            ):
                continue
            readings = self._lists.readings_as_verb(word)
            tags = {r.tag for r in readings}
            if tags & {"s", "past"}:
                following = tokens[index + 1].word if index + 1 < len(tokens) else ""
                if following in _FINITE and "past" not in tags:
                    continue  # a plural noun: `the guards are`
                return index
            if "base" in tags and (
                previous.word.endswith("s")
                or previous.word in ("they", "i", "you", "we", "both", "people", "men")
                or previous.entity
                or previous.word in _ADVERBS
            ):
                return index
            if (
                not readings
                and previous.entity
                and (word.endswith(("ed", "es")) or (word.endswith("s") and len(word) > 3))
            ):
                return index
            if (
                not readings
                and previous.word in _ADVERBS
                and previous.word != "one"
                and word.endswith(("ed", "s"))
                and len(word) > 3
            ):
                return index
        return None

    def _subject_end(self, tokens: Sequence[Token], verb_index: int) -> int:
        end = verb_index
        while (
            end > 1
            and _is_adverb(tokens[end - 1])
            and tokens[end - 1].word not in ("alone", "himself", "herself", "itself", "all", "both", "here")
        ):
            end -= 1
        return end

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
        subject_end = self._subject_end(tokens, verb_index)
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
        base = self._read_verb(tokens, verb_index, adverbs)
        if base is None:
            return
        if is_neither:
            base = replace(base, negation="not" if not base.negation else "")
        if "alone" in adverbs:
            subjects = [replace(s, is_only=True) for s in subjects]
        for number, subject in enumerate(subjects):
            others = [s for n, s in enumerate(subjects) if n != number]
            tail = base.tail
            if len(others) == 1 and len(tail) >= 2:
                tail = _resolve_reciprocal(tail, others[0])
            clause = replace(
                base,
                subject=subject,
                tail=tail,
                spoken=self._spoken(subject_tokens, tokens, subject_end, base),
            )
            if len(subjects) == 2 and base.form == "be" and number == 0 and not _has_preposition(tail):
                clause = replace(clause, adverbs=clause.adverbs | {"*pair"}, classes=(others[0],))
            yield clause

    def _read_subjects(
        self, tokens: Sequence[Token], joining: set[str], pronoun: NounPhrase | None
    ) -> list[NounPhrase]:
        if any(t.word in joining for t in tokens):
            parts = [[t for t in part if t.word != "both"] for part in _split_at(tokens, joining | {","})]
            phrases = [read_noun_phrase(part, pronoun) for part in parts if part]
            return [p for p in phrases if p is not None] if all(phrases) else []
        phrase = read_noun_phrase(tokens, pronoun)
        return [phrase] if phrase is not None else []

    def _read_verb(self, tokens: Sequence[Token], index: int, adverbs: set[str]) -> Clause | None:
        """Read auxiliaries, adverbs and the main verb from `index` on."""
        nobody, negation = NounPhrase(), ""
        if "never" in adverbs:
            negation = "never"
        elif "not" in adverbs:
            negation = "not"
        can = False
        auxiliaries: list[str] = []
        position = index
        while position < len(tokens):
            word = tokens[position].word
            if word in _MODALS:
                return None
            if word in _CAN:
                can, position = True, position + 1
                auxiliaries.append(word)
                continue
            if word == "no" and position + 1 < len(tokens) and tokens[position + 1].word == "longer":
                negation, position = "no longer", position + 2
                continue
            if word == "not" or word == "never":
                negation, position = (
                    "never" if word == "never" or negation == "never" else "not",
                    position + 1,
                )
                continue
            if word in _HAVE and not auxiliaries and self._has_without_verb(tokens, position):
                negation = "never" if tokens[position + 1].word == "never" else "not"
                return self._with_tail(
                    Clause(
                        nobody,
                        "have",
                        "have",
                        "past" if word == "had" else "now",
                        negation,
                        adverbs=frozenset(adverbs),
                    ),
                    tokens[position + 2 :],
                )
            if word in _BE or (word in _HAVE | _DO and self._is_auxiliary(tokens, position)):
                auxiliaries.append(word)
                position += 1
                continue
            if (
                _is_adverb(tokens[position])
                and word not in ("home", "away", "alive", "back", "here", "there", "all", "out")
                and (
                    position + 1 < len(tokens) and self._has_verb_or_complement(tokens, position, auxiliaries)
                )
            ):
                adverbs.add(word)
                position += 1
                continue
            break
        tail = tokens[position:]
        tense = _tense(auxiliaries)
        if "no longer" not in negation and any(t.word in ("anymore",) for t in tail):
            negation = "no longer"
        has_be = any(a in _BE for a in auxiliaries)
        clause = Clause(nobody, "be", "be", tense, negation, can=can, adverbs=frozenset(adverbs))
        main = self._main_verb(tail, auxiliaries)
        if main is None and not has_be:
            return None
        if main is None:
            return self._with_tail(clause, tail)
        verb_tail = tail[1:]
        if has_be:
            if main.tag == "ing":
                return self._with_tail(
                    replace(clause, verb=main.lemma, form="verb", is_progressive=True), verb_tail
                )
            return self._with_tail(replace(clause, verb=main.lemma, form="verb", is_passive=True), verb_tail)
        if not auxiliaries:
            clause = replace(clause, tense="past" if main.tag == "past" else "now")
        form = "have" if main.lemma == "have" else "verb"
        return self._with_tail(replace(clause, verb=main.lemma, form=form), verb_tail)

    def _is_auxiliary(self, tokens: Sequence[Token], position: int) -> bool:
        """Say whether `has`, `does` and the like only help another verb."""
        word = tokens[position].word
        for token in tokens[position + 1 :]:
            if token.word in ("not", "never") or _is_adverb(token):
                if word in _HAVE and token.word == "not":
                    continue
                continue
            if word in _DO:
                return any(
                    r.tag == "base" for r in self._lists.readings_as_verb(token.word)
                ) or token.word in ("have", "be")
            if token.word in ("been", "had"):
                return True
            return any(r.tag == "part" for r in self._lists.readings_as_verb(token.word))
        return False

    def _has_without_verb(self, tokens: Sequence[Token], position: int) -> bool:
        """Say whether `has not` denies having: `hasn't a coin`."""
        following = [t.word for t in tokens[position + 1 : position + 3]]
        return (
            len(following) == 2
            and following[0] in ("not", "never")
            and following[1] in ("a", "any", "an", "the")
        )

    def _has_verb_or_complement(self, tokens: Sequence[Token], position: int, auxiliaries: list[str]) -> bool:
        """Say whether something stands behind an adverb that it can belong to."""
        following = tokens[position + 1]
        if any(a in _BE for a in auxiliaries):
            return following.word not in _PUNCTUATION
        return (
            bool(self._lists.readings_as_verb(following.word))
            or _is_adverb(following)
            or following.word in _HAVE
        )

    def _main_verb(self, tail: Sequence[Token], auxiliaries: list[str]) -> VerbForm | None:
        if not tail or tail[0].entity:
            return None
        word = tail[0].word
        readings = self._lists.readings_as_verb(word)
        has_be, has_have = any(a in _BE for a in auxiliaries), any(a in _HAVE for a in auxiliaries)
        wanted: tuple[str, ...]
        if has_be:
            wanted = ("ing", "part")
        elif has_have:
            wanted = ("part",)
        elif auxiliaries:
            wanted = ("base",)
        else:
            wanted = ("s", "past", "base")
        if word in _HAVE and not has_be:
            return VerbForm("have", "past" if word == "had" else "s")
        for tag in wanted:
            for reading in readings:
                if reading.tag == tag:
                    return reading
        if readings or has_be:
            if has_be and not readings and word.endswith("ed") and len(tail) > 1 and tail[1].word == "by":
                return VerbForm(_guess_lemma(word), "part")
            return None
        if auxiliaries:
            return VerbForm(_guess_lemma(word) if has_have else word, wanted[0])
        return VerbForm(_guess_lemma(word), "past" if word.endswith("ed") else "s")

    def _with_tail(self, clause: Clause, tail: Sequence[Token]) -> Clause | None:
        """Add the words behind the verb, without what says when, and without clauses of their own."""
        words: list[Token] = []
        when = ""
        adverbs = set(clause.adverbs)
        for index, token in enumerate(tail):
            word = token.word
            if word in _CLAUSE_WORDS and not (word == "so" and index + 1 < len(tail)):
                if word in ("who", "which", "that", "whose", "whom"):
                    words.append(Token("~" + word, "~" + " ".join(t.word for t in tail[index:])))
                break
            if word in _TIME_CLAUSE_WORDS and index and word not in ("by", "as", "once"):
                when = " ".join(t.word for t in tail[index:])
                break
            words.append(token)
        else:
            index = len(tail)
        if (
            words
            and words[0].word in _TIME_CLAUSE_WORDS - {"by", "as", "once", "since"}
            and clause.form != "be"
        ):
            when = f"{' '.join(t.word for t in words)} {when}".strip()
            words = []
        words, time_words = _take_time(words)
        when = f"{time_words} {when}".strip()
        words, more = _take_adverbs(words)
        return replace(clause, tail=tuple(words), when=when, adverbs=frozenset(adverbs | more))

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
        """Read `It was Dob who stole the bell.`"""
        words = [t.word for t in tokens]
        index = next(n for n, w in enumerate(words) if w in ("who", "that"))
        focus = tokens[2:index]
        is_denied = bool(focus) and focus[0].word == "not"
        focus = focus[1:] if is_denied else focus
        if not focus:
            return
        inner = [*focus, *tokens[index + 1 :]]
        verb_index = self._find_verb(inner)
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
        """Read `There is no treasure under the hill.`"""
        rest = list(tokens[verb_index + 1 :])
        base = self._read_verb(tokens, verb_index, set())
        if base is None or not rest:
            return
        words = list(base.tail)
        end = next((n for n, t in enumerate(words) if n and t.word in PREPOSITIONS), len(words))
        subject = read_noun_phrase(words[:end], pronoun)
        if subject is not None:
            yield replace(base, subject=subject, verb="exist", form="verb", tail=tuple(words[end:]))


def _is_uncertain(words: Sequence[str]) -> bool:
    if not _UNCERTAIN_WORDS.isdisjoint(words):
        return True
    return any(
        tuple(words[n : n + len(phrase)]) == phrase
        for phrase in _UNCERTAIN_PHRASES
        for n in range(len(words))
    )


def _is_adverb(token: Token) -> bool:
    word = token.word
    return not token.entity and (
        word in _ADVERBS
        or (word.endswith("ly") and len(word) > 4 and word not in ("family", "holy", "only-child"))
    )


def _tense(auxiliaries: Sequence[str]) -> str:
    if not auxiliaries:
        return "now"
    if auxiliaries[0] in ("has", "have"):
        return "perfect"
    return "past" if auxiliaries[0] in ("was", "were", "had", "did", "could") else "now"


def _time_of(words: Sequence[str]) -> str:
    return " ".join(words) if any(w in _TIME_NOUNS for w in words) else ""


def _take_time(tokens: list[Token]) -> tuple[list[Token], str]:
    """Take the words that say when out of the words behind a verb."""
    words = [t.word for t in tokens]
    times: list[str] = []
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        end = index
        word = words[index]
        if (
            word
            in (
                "in",
                "on",
                "at",
                "for",
                "by",
                "from",
                "to",
                "through",
                "last",
                "this",
                "every",
                "all",
                "each",
                "the",
                "one",
                "a",
                "that",
                "twice",
                "once",
            )
            or number_of(word) is not None
        ):
            limit = min(len(words), index + 6)
            stop = next(
                (
                    n
                    for n in range(index + 1, limit)
                    if (words[n] in PREPOSITIONS and words[n] != "of") or tokens[n].entity
                ),
                limit,
            )
            time_at = next((n for n in range(index, stop) if words[n] in _TIME_NOUNS), None)
            is_bare = word not in PREPOSITIONS
            if time_at is not None and (
                not is_bare
                or word in ("last", "this", "every", "all", "each", "one", "that")
                or (time_at + 1 < len(words) and words[time_at + 1] in ("ago", "later", "after", "before"))
            ):
                end = time_at + 1
                while end < len(words) and words[end] in ("ago", "later", "after", "before", "past"):
                    end += 1
                if end < len(words) and words[end] == "of":
                    end = len(words)
        if end > index:
            times.append(" ".join(words[index:end]))
            index = end
            continue
        if word in ("yesterday", "tonight", "today", "twice", "thrice") or (word == "once" and index):
            times.append(word)
            index += 1
            continue
        kept.append(tokens[index])
        index += 1
    return kept, " ".join(t for t in times if not _is_duration(t))


def _is_duration(words: str) -> bool:
    return words.startswith(("for ", "twice", "thrice", "once"))


def _take_adverbs(tokens: list[Token]) -> tuple[list[Token], set[str]]:
    kept, taken = list(tokens), set[str]()
    while kept and kept[-1].word in (
        "now",
        "still",
        "too",
        "either",
        "again",
        "anymore",
        "already",
        "yet",
        "ever",
        "himself",
        "herself",
        "itself",
        "then",
        "today",
        "ago",
        "together",
    ):
        taken.add(kept.pop().word)
    if len(kept) > 2 and [t.word for t in kept[-2:]] in (["any", "more"], ["any", "longer"], ["at", "all"]):
        if kept[-2].word == "any":
            taken.add("anymore")
        kept = kept[:-2]
    return kept, taken


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


def _has_preposition(tail: Sequence[Token]) -> bool:
    return any(t.word in PREPOSITIONS for t in tail)


def _split_at(tokens: Sequence[Token], marks: set[str]) -> list[Sequence[Token]]:
    parts: list[Sequence[Token]] = []
    start = 0
    for index, token in enumerate(tokens):
        if token.word in marks:
            parts.append(tokens[start:index])
            start = index + 1
    parts.append(tokens[start:])
    return [part for part in parts if len(part)]


def _guess_lemma(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ied", "y"), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    return word
