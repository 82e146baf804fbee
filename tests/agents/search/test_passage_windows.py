"""The sentences of a passage that answer a question, as a reader sees them."""

from __future__ import annotations

from agents.search.passage_windows import find_best_window, find_typed_words
from widgets.page_text import find_quote

PASSAGE = """## People of Salt Quay

**Old Bram** keeps the lamp, and has kept it since the flood took the first one. He speaks little.

- **Berta Quill** sells rope. She owes
  the *Lantern Guild* forty crowns.

| Name | Trade |
| --- | --- |
| Ivo | cooper |

### Lantern Guild

Harrow leads it.
"""


def window(words: str, text: str = PASSAGE, max_length: int = 400) -> str:
    return find_best_window(text, find_typed_words(words), max_length).text


def test_window_is_the_sentences_that_answer_without_marks() -> None:
    assert window("Who does Berta Quill owe?") == (
        "Berta Quill sells rope. She owes the Lantern Guild forty crowns."
    )


def test_window_takes_the_heading_of_what_it_answers_with() -> None:
    assert window("Who leads the Lantern Guild?") == "Lantern Guild — Harrow leads it."


def test_window_of_a_table_has_no_rules_and_no_bars() -> None:
    assert window("Ivo the cooper") == "Ivo cooper"


def test_window_without_a_sought_word_is_how_the_passage_begins() -> None:
    assert window("dragon", max_length=40) == "People of Salt Quay — Old Bram keeps the"


def test_window_of_a_sentence_that_is_too_long_is_cut() -> None:
    assert window("owl", "The owl " + "flies " * 100, max_length=20) == "The owl flies flies "


def test_window_keeps_underscores_within_words() -> None:
    assert window("salt_glass", "The salt_glass is _clear_.") == "The salt_glass is clear."


def test_window_is_found_again_on_its_page() -> None:
    for words in ("Berta Quill owe", "leads the Lantern Guild", "Ivo cooper"):
        start, end = find_quote(PASSAGE, window(words))
        assert end > start
