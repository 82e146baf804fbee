"""Tells the turns that say a word from those that stand beside one that does. Pure."""

from __future__ import annotations

from collections.abc import Collection

from agents.search.question_cues import content_stems, split_words, stem_word
from stores.records.ids import Id
from stores.records.play import Turn


def find_mere_neighbours(turns: Collection[Turn], typed_words: str) -> set[Id]:
    """Return the turns that were found by the words of another: the index holds those of both neighbours, too.

    A turn that seems to say none of the words, but stands beside none that does, was found by a form of them that is
    not recognised here.
    """
    typed_stems = set(content_stems(typed_words)) or {stem_word(word) for word in split_words(typed_words)}
    saying_ids = {
        turn.id for turn in turns if typed_stems.intersection(content_stems(f"{turn.name} {turn.text}"))
    }
    beside_ids = {turn.parent_id for turn in turns if turn.id in saying_ids}
    beside_ids |= {turn.id for turn in turns if turn.parent_id in saying_ids}
    return {turn.id for turn in turns if turn.id in beside_ids and turn.id not in saying_ids}
