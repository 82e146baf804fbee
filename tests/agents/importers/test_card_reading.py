"""Reading character cards and lorebooks from the bytes of their files."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.importers.cards.card_containers import MAX_CARD_JSON
from agents.importers.cards.card_reading import read_card
from agents.importers.cards.card_text import clean_text, replace_macros, split_statements
from agents.importers.cards.card_values import CardFile, CardForm
from stores.errors import InputError
from tests.agents.importers.card_files import (
    ILA,
    WORLD_INFO,
    card_v2,
    card_v3,
    charx,
    chunk,
    png,
    text_chunk,
    world_info,
)


def file_id(value: object) -> str | None:
    """Name a file in a test's name, as its bytes may differ from run to run."""
    return "file" if isinstance(value, bytes) else None


def read(data: bytes) -> CardFile:
    card = read_card(data)
    assert card is not None
    return card


def name_of(data: bytes) -> str:
    character = read(data).character
    assert character is not None
    return character.name


def ztxt(card: bytes) -> bytes:
    return chunk(b"zTXt", b"chara\0\0" + zlib.compress(base64.b64encode(card)))


def itxt(card: bytes) -> bytes:
    return chunk(b"iTXt", b"ccv3\0\0\0en\0\0" + base64.b64encode(card))


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (card_v2(), CardForm.CARD_V2),
        (card_v3(), CardForm.CARD_V3),
        (b"\xef\xbb\xbf" + card_v2(), CardForm.CARD_V2),
        (b"\xff\xfe" + card_v2().decode().encode("utf-16-le"), CardForm.CARD_V2),
        (json.dumps(ILA).encode(), CardForm.CARD_V1),
        (png(text_chunk("chara", card_v2())), CardForm.CARD_V2),
        (png(text_chunk("Chara", card_v2())), CardForm.CARD_V2),
        (png(ztxt(card_v2())), CardForm.CARD_V2),
        (png(itxt(card_v3())), CardForm.CARD_V3),
        (charx(card_v3()), CardForm.CARD_V3),
    ],
    ids=file_id,
)
def test_card_is_read_from_each_kind_of_file(data: bytes, form: CardForm) -> None:
    card = read(data)
    assert card.form is form
    assert card.character is not None
    assert card.character.name == "Ila Rook"
    assert [text.title for text in card.character.kept_texts] == [
        "First message",
        "Sample lines",
        "The author's notes",
    ]
    assert card.character.kept_texts[2].text == "For slow evenings."
    assert [entry.lore.keys for entry in card.entries] == [("salt house", "salthouse")]
    assert "1 lore entry left out: it is switched off" in [p.message for p in card.problems]


def test_card_of_v3_is_preferred_in_a_picture_and_falls_back_to_v2() -> None:
    v2, v3 = text_chunk("chara", card_v2(name="Old")), text_chunk("ccv3", card_v3(name="New"))
    assert name_of(png(v2, v3)) == "New"
    broken = chunk(b"tEXt", b"ccv3\0" + b"!!!")
    card = read(png(v2, broken))
    assert card.character is not None
    assert card.character.name == "Old"
    assert "its V2 card was read instead" in card.problems[0].message


def test_card_before_the_place_where_a_picture_is_cut_off_is_read() -> None:
    whole = png(text_chunk("chara", card_v2()))
    assert name_of(whole[:-30]) == "Ila Rook"
    with pytest.raises(InputError, match="cut off before its card"):
        read_card(whole[:300])


def test_world_info_is_read_with_keys_order_and_what_is_left_out() -> None:
    book = read(world_info())
    assert book.form is CardForm.LOREBOOK
    orsk, tide = book.entries
    assert (orsk.lore.title, orsk.lore.keys, orsk.lore.secondary_keys) == ("Orsk", ("orsk",), ("king",))
    assert (orsk.lore.order, orsk.lore.always, orsk.text) == (20, False, "Orsk is a city of bells.")
    assert (tide.lore.title, tide.lore.always) == ("The tide", True)
    assert [p.message for p in book.problems] == ["1 lore entry left out: it has no text"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"key": ["/or(sk)?/i"], "comment": "Orsk"}, "its patterns (regular expressions) are no keys here"),
        ({"key": ["orsk"], "keysecondary": ["a"], "selectiveLogic": 2}, "must not stand there, are left out"),
        ({"key": ["orsk"], "probability": 20}, "whenever its keys do, not by chance"),
        ({"key": ["orsk"], "content": "@@depth 4\nBells."}, "its decorators (@@) are left out"),
        ({"key": ["orsk"] * 60}, "of its keys, the first 50 are taken"),
        (
            {"key": ["orsk"], "content": "Bells." + " " * 200_000},
            "what is over 200,000 characters is left out",
        ),
    ],
)
def test_lore_entry_says_what_was_changed(entry: Mapping[str, Any], message: str) -> None:
    book = read(json.dumps({"entries": {"0": {"content": "Bells.", **entry}}}).encode())
    assert [e.text for e in book.entries] == ["Bells."]
    assert [key.casefold() for key in book.entries[0].lore.keys] == ["orsk"]
    assert any(message in problem.message for problem in book.problems)


@pytest.mark.parametrize(
    "data",
    [
        b'{"turn": 1, "speaker": "Ila", "text": "Mind the step."}\n{"turn": 2, "speaker": "GM", "text": "Rain."}',
        b'{"entries": [{"speaker": "Ila", "content": "Mind the step."}]}',
        b"Ila: Mind the step.\nGM: Rain.",
        b"",
        b"{",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=file_id,
)
def test_file_that_is_no_card_is_left_to_the_reader_of_logs(data: bytes) -> None:
    assert read_card(data) is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (png(), "a picture without a character card"),
        (card_v2()[:200], "its JSON is not whole"),
        (b'{"spec": "chara_card_v2", "data": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"spec": "chara_card_v2", "data": []}', "without its data"),
        (card_v2(name=" <b></b> "), "has no name"),
        (png(chunk(b"tEXt", b"chara\0@@@")), "the card in the picture is damaged"),
        (png(chunk(b"zTXt", b"chara\0\0" + zlib.compress(bytes(2 * MAX_CARD_JSON)))), "more than 16 MB"),
        (png(chunk(b"zTXt", b"chara\0\0junk")), "the card in the picture is damaged"),
        (charx(b" " * (MAX_CARD_JSON + 1)), "more than 16 MB"),
        (charx(card_v3())[:-40], "its zip archive is damaged"),
        (
            json.dumps({"entries": {"0": {**WORLD_INFO["entries"]["0"], "disable": True}}}).encode(),
            "can be used",
        ),
    ],
    ids=file_id,
)
def test_broken_card_gets_a_clear_error(data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match="This file cannot be imported") as caught:
        read_card(data)
    assert reason in caught.value.what
    assert caught.value.kept == "Nothing was imported."
    assert caught.value.todo


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(
    [*ILA, "nickname", "entries", "keys", "key", "content", "constant", "order", "comment", "probability"]
)


@given(
    st.binary(max_size=300)
    | st.builds(lambda body: b"\x89PNG\r\n\x1a\n" + body, st.binary(max_size=300))
    | st.builds(lambda body, cut: png(chunk(b"iTXt", body))[: -cut or None], st.binary(), st.integers(0, 60))
    | st.builds(lambda body: b"PK\x03\x04card.json" + body, st.binary(max_size=100))
    | st.builds(
        lambda data: card_v3(**data),
        st.dictionaries(
            fields,
            json_values
            | st.builds(lambda e: {"entries": [e]}, st.dictionaries(fields, json_values, max_size=6)),
            max_size=6,
        ),
    )
)
def test_any_file_gives_a_card_nothing_or_a_clear_error(data: bytes) -> None:
    try:
        card = read_card(data)
    except InputError:
        return
    assert card is None or card.character is not None or card.entries


def test_card_texts_are_cleaned_and_macros_replaced() -> None:
    text = "<p style='x'>{{char}} &amp; <USER></p><style>a{}</style>\x1b[31m!<br>{{// aside }}"
    text += "{{USER}} nods. <mara> stays"
    assert replace_macros(clean_text(text), "Ila", "Tam") == "Ila & Tam\n!\nTam nods. <mara> stays"


def test_statements_are_the_sentences_as_they_stand() -> None:
    text = (
        "- She owes Dr. Vane 1.5 crowns. “Pay me!” she said. {{user}} did not.\n* * *\nAge: 24\n"
        + "x" * 2_500
    )
    *sentences, first, second, third = split_statements(text)
    assert sentences == [
        "She owes Dr. Vane 1.5 crowns.",
        "“Pay me!” she said.",
        "{{user}} did not.",
        "Age: 24",
    ]
    assert (len(first), len(second), len(third)) == (1_000, 1_000, 500)
