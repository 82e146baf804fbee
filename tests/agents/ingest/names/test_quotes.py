"""Quotes of a prose text, and who speaks them."""

from __future__ import annotations

import pytest

from agents.ingest.names.find_names import find_names


def spoken(text: str) -> list[tuple[str, str | None]]:
    """Return each quote with its speaker."""
    return [(" ".join(quote.text.split()), quote.speaker) for quote in find_names(text).quotes]


def speakers(text: str) -> list[str | None]:
    return [speaker for _, speaker in spoken(text)]


@pytest.mark.parametrize(
    "text",
    [
        '"Come in," said Mary. "Sit down."',
        "“Come in,” said Mary. “Sit down.”",
        "‘Come in,’ said Mary. ‘Sit down.’",
        "'Come in,' said Mary. 'Sit down.'",
        "«Come in,» said Mary. «Sit down.»",
        "`Come in,' said Mary. `Sit down.'",
        '"Come in,"\nsaid Mary. "Sit\ndown."',
    ],
)
def test_quotes_are_found_in_every_style_of_marks(text: str) -> None:
    assert spoken(text) == [("Come in,", "Mary"), ("Sit down.", "Mary")]


def test_apostrophes_open_and_close_no_quote() -> None:
    text = "‘I don't think the boys’ boat's lost,’ said Tom. ‘’Tis only late.’"
    assert [words for words, _ in spoken(text)] == ["I don't think the boys’ boat's lost,", "’Tis only late."]


def test_title_in_quotation_marks_is_no_speech() -> None:
    text = 'They drank at the "Admiral Benbow" until dawn. "Good night," said Jim.'
    assert spoken(text) == [("Good night,", "Jim")]


def test_speech_of_several_paragraphs_has_one_speaker() -> None:
    monologue = (
        "“It began in May,” said Holmes. “It was warm.\n\n“Then came the letter, and\n\n“then nothing.”"
    )
    text = f"{monologue}\n\n“Nothing?” asked Watson."
    assert speakers(text) == ["Holmes", "Holmes", "Holmes", "Holmes", "Watson"]


def test_paragraph_without_closing_mark_goes_on_with_its_speaker() -> None:
    text = "Holmes sat up. “It began in May.\n\n“Then came the letter.”\n\n“And then?” asked Watson."
    assert speakers(text) == ["Holmes", "Holmes", "Watson"]


def test_dialogue_by_dashes_is_found() -> None:
    text = "— Come in, Tom.\n\n— I will not.\n\n— Then stay there, Tom.\n"
    assert [words for words, _ in spoken(text)] == ["Come in, Tom.", "I will not.", "Then stay there, Tom."]


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Tom looked up. “I am here.”", "Tom"),
        ("“I am here.” Tom looked up.", "Tom"),
        ("Tom said, “I am here.”", "Tom"),
        ("At last Tom spoke:\n\n“I am here.”", "Tom"),
        ("“I am here,” Tom said softly.", "Tom"),
        ("“I am here,” quietly answered Tom.", "Tom"),
        ("“I am here,” said old Tom, yawning.", "Tom"),
        ("“I am here,” said the landlord.", "the landlord"),
        ("“I am here,” I said.", "I"),
        ("Tom and Mary sat. “I am here,” she said.", "Mary"),
        ("Mr. Bennet and Mrs. Bennet sat. “Mr. Bennet, I am here,” said his wife.", "Mrs. Bennet"),
        ("Tom saw the wall. “I am here,” was his only answer.", "Tom"),
        ("“I am here, Mary,” said Tom.", "Tom"),
        ("“I am here,” said Tom's mother.", "Tom's mother"),
        ("“ I am here , ” said Tom .", "Tom"),
    ],
)
def test_speaker_is_told_by_the_words_beside_the_quote(text: str, speaker: str) -> None:
    assert speakers(text)[0] == speaker


def test_two_who_talk_take_turns() -> None:
    begun = "“Who is there?” asked Mary.\n\n“Only Tom,” said Tom."
    text = f"{begun}\n\n“What is it?”\n\n“The mill is on fire.”\n\n“Again?”\n"
    assert speakers(text) == ["Mary", "Tom", "Mary", "Tom", "Mary"]


def test_who_is_called_by_name_does_not_speak_but_answers() -> None:
    text = "Tom, Mary and Kate waited. “Well?” asked Tom.\n\n“Tell him, Kate,” said Mary.\n\n“It is lost.”\n"
    assert speakers(text) == ["Tom", "Mary", "Kate"]


def test_narrator_has_the_name_that_others_call_him_by() -> None:
    turns = "“You see, Watson,” said Holmes.\n\n“I see nothing,” I answered.\n\n" * 4
    text = f"Watson was my name.\n\n{turns}"
    assert set(speakers(text)) == {"Holmes", "Watson"}
