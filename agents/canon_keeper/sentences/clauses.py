"""One clause of a sentence: who, which verb, denied or not, when, and what belongs to it."""

from __future__ import annotations

from dataclasses import dataclass

from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.tokens import Token


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
    spelling: str = ""
    """The participle of a passive, as it is written."""
    spoken: tuple[str, str, str] = ("", "", "")
    """Subject, verb and the rest in the words of the sentence."""
