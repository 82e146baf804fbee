"""The concepts of `concepts.yaml`, found by the words that name them or their contrary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from agents import yaml_with_lines
from agents.canon_keeper.propositions.vocabulary import load_vocabulary
from agents.canon_keeper.sentences.word_lists import singular

_MAX_GAP: Final = 3
"""Words that may stand between two words of a phrase: `shot the telegraph man dead`."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that sentences say of somebody or something, or deny."""

    name: str
    is_symmetric: bool = False
    is_lasting: bool = False
    is_final: bool = False
    is_single: bool = False
    is_skill: bool = False
    is_lexical: bool = False
    """Whether `not` before it says nothing: who did not come alone is not said to come with whom."""
    is_loose: bool = False
    """Whether its words mean the same only where two, or other words, are the same as well."""
    is_habit: bool = False
    """Whether it is what somebody is known for, so that a single deed contradicts it."""


class Mention(NamedTuple):
    """Where a phrase names a concept, or its contrary; `positions` are those of its words."""

    concept: Concept
    is_positive: bool
    phrase: tuple[str, ...]
    positions: tuple[int, ...]
    marks: str = ""
    """`*`: only one kind of it; `^`: said of the object of the verb; `~`: said of the object, by the subject."""


class ConceptBook:
    """Finds the concepts that words name."""

    def __init__(self) -> None:
        text = files(__package__).joinpath("concepts.yaml").read_text(encoding="utf-8")
        data = yaml_with_lines.load_yaml(text).data
        assert isinstance(data, dict)
        self._phrases: defaultdict[str, list[tuple[tuple[str, ...], Concept, bool, str]]] = defaultdict(list)
        for name, row in data["concepts"].items():
            concept = Concept(
                str(name), bool(row.get("symmetric")), bool(row.get("lasting")), bool(row.get("final")),
                bool(row.get("single")), bool(row.get("skill")),
                bool(row.get("lexical")), bool(row.get("loose")), bool(row.get("habit")),
            )  # fmt: skip
            for side, phrases in enumerate(str(row["words"]).split("|")):
                for phrase in phrases.split(","):
                    plain = phrase.rstrip("*^~% ")
                    if words := tuple(plain.split()):
                        marks = phrase.strip()[len(plain.strip()) :]
                        self._phrases[words[0]].append((words, concept, side == 0, marks))

        self._kinds = {
            str(kind): frozenset(str(words).split()) for kind, words in data.get("kinds", {}).items()
        }

    def with_kinds(self, words: frozenset[str]) -> frozenset[str]:
        """Return the words with what they are kinds of: `meat` besides `mutton`."""
        return words | {kind for kind, members in self._kinds.items() if not members.isdisjoint(words)}

    def kinds_of(self, kind: str) -> frozenset[str]:
        """Return what is of a kind."""
        return self._kinds.get(kind, frozenset())

    def mentions(self, lemmas: Sequence[frozenset[str]]) -> list[Mention]:
        """Return the concepts that are named; of two phrases for one concept the longer counts."""
        found: list[Mention] = []
        for index, forms in enumerate(lemmas):
            for form in sorted(forms):
                for phrase, concept, is_positive, marks in self._phrases.get(form, ()):
                    positions = _match(phrase, lemmas, index)
                    if positions:
                        found.append(Mention(concept, is_positive, phrase, positions, marks))
        return [m for m in found if not any(_is_within(m, other) for other in found)]


def _is_within(mention: Mention, other: Mention) -> bool:
    return (
        mention.concept is other.concept
        and len(other.phrase) > len(mention.phrase)
        and set(mention.positions) <= set(other.positions)
    )


def _match(phrase: tuple[str, ...], lemmas: Sequence[frozenset[str]], index: int) -> tuple[int, ...]:
    positions = [index]
    for word in phrase[1:]:
        start = positions[-1] + 1
        position = next(
            (n for n in range(start, min(len(lemmas), start + _MAX_GAP + 1)) if word in lemmas[n]), None
        )
        if position is None:
            return ()
        positions.append(position)
    return tuple(positions)


@lru_cache(maxsize=1)
def load_concepts() -> ConceptBook:
    return ConceptBook()


@lru_cache(maxsize=20_000)
def base_forms(word: str) -> frozenset[str]:
    """Return the words of which a word may be a form: `sang` of `sing`, `wells` of `well`."""
    lists = load_vocabulary()
    forms = {reading.lemma for reading in lists.readings_as_verb(word)}
    if word.endswith("est") and word[:-3] in lists.states:
        forms.add(word[:-3])  # `richest`
    return frozenset(forms | {word, singular(word)} | {_IRREGULAR_FORMS.get(word, word)})


_IRREGULAR_FORMS: Final = {
    "lain": "lie",
    "lay": "lie",
    "done": "do",
    "doing": "do",
    "wives": "wife",
    "born": "bear",
}
