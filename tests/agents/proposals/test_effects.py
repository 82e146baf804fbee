"""Effects as typed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.proposals.effects import MAX_EFFECTS, Effect, fit_value, parse_effect, parse_effects
from agents.typed_text import split_outside_quotes
from stores.errors import InputError
from stores.records.canon import StateOp
from tests.examples import examples

ADD, SET, TAG, UNTAG = StateOp.ADD, StateOp.SET, StateOp.TAG, StateOp.UNTAG


@pytest.mark.parametrize(
    ("typed", "effect"),
    [
        ("Orc.hp -8", Effect("Orc", "hp", ADD, -8)),
        ("Orc.hp-8", Effect("Orc", "hp", ADD, -8)),
        ("  Orc.hp  −  8 ", Effect("Orc", "hp", ADD, -8)),
        ("@Orc.hp += 8", Effect("Orc", "hp", ADD, 8)),
        ("Orc.hp +0.5", Effect("Orc", "hp", ADD, 0.5)),
        ("The Drowned Bell.cracks +1", Effect("The Drowned Bell", "cracks", ADD, 1)),
        ("Ünal d'Or.max hp +2", Effect("Ünal d'Or", "max hp", ADD, 2)),
        ("鐘.傷 +1", Effect("鐘", "傷", ADD, 1)),
        ("Mara.hit-points -3", Effect("Mara", "hit-points", ADD, -3)),
        ("Mara.hp = 7", Effect("Mara", "hp", SET, 7)),
        ("Mara.hp = -7", Effect("Mara", "hp", SET, -7)),
        ("Mara.hp = 1.5", Effect("Mara", "hp", SET, 1.5)),
        ("Mara.alive = false", Effect("Mara", "alive", SET, False)),
        ("Mara.alive=Yes", Effect("Mara", "alive", SET, True)),
        ("Mara.mood = grim day", Effect("Mara", "mood", SET, "grim day")),
        ('Mara.mood = "no"', Effect("Mara", "mood", SET, "no")),
        ('Mara.mood = "7"', Effect("Mara", "mood", SET, "7")),
        ('Mara.mood = ""', Effect("Mara", "mood", SET, "")),
        ("Mara +wounded", Effect("Mara", "wounded", TAG)),
        ("Mara -wounded", Effect("Mara", "wounded", UNTAG)),
        ("Mara + badly wounded", Effect("Mara", "badly wounded", TAG)),
        ("Jean-Luc -tired", Effect("Jean-Luc", "tired", UNTAG)),
        ("Mr. Smith.hp -2", Effect("Mr. Smith", "hp", ADD, -2)),
        ("Mr. Smith +wounded", Effect("Mr. Smith", "wounded", TAG)),
        ('"St.John, the 1st".hp -3', Effect("St.John, the 1st", "hp", ADD, -3)),
        ("“Kai – the Elder” +lost", Effect("Kai - the Elder", "lost", TAG)),
        ('"Kai"+lost', Effect("Kai", "lost", TAG)),
    ],
)
def test_effect_what_reads(typed: str, effect: Effect) -> None:
    read = parse_effect(typed)
    assert read == effect
    assert type(read.value) is type(effect.value)


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("", "is not an effect"),
        ("Mara", "is not an effect"),
        ("Mara.hp", "is not an effect"),
        ("Mara.hp =", "is not an effect"),
        ("Mara.hp == 3", "is not an effect"),
        ("Mara.3 +1", "is not an effect"),
        (".hp -3", "is not an effect"),
        ('" ".hp -3', "needs the name"),
        ("Mara.hp -99999999999", "up to 1,000,000,000"),
        ("Mara hp -3", r"Did you mean Mara\.hp -3\?"),
        ("x" * 301, "at most 300"),
        ("__import__('os')", "is not an effect"),
    ],
)
def test_complaints(typed: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        parse_effect(typed)
    assert caught.value.todo


@pytest.mark.parametrize(
    ("typed", "keys", "key"),
    [
        ("Mara.HP -2", ("hp", "might"), "hp"),
        ("Mara.Max HP = 12", ("hp", "max_hp"), "max_hp"),
        ("Mara.Luck = 3", ("luck",), "luck"),
        ("Mara.Luck = 3", ("hp",), "Luck"),
        ("Mara.HP -2", ("HP", "hp"), "HP"),
        ("Mara.Alive = dead", (), "alive"),
    ],
)
def test_effect_is_on_the_number_that_is_meant(typed: str, keys: tuple[str, ...], key: str) -> None:
    assert fit_value(parse_effect(typed), keys).key == key


def test_lists() -> None:
    assert [str(e) for e in parse_effects('Mara.hp -5, Mara +wounded,"Orc, the".hp +1,')] == [
        "Mara.hp -5",
        "Mara +wounded",
        '"Orc, the".hp +1',
    ]
    assert parse_effects("  ") == ()
    with pytest.raises(InputError, match=f"at most {MAX_EFFECTS}"):
        parse_effects(", ".join(["Mara.hp -1"] * (MAX_EFFECTS + 1)))


def test_splitting_minds_quotes() -> None:
    assert split_outside_quotes('a,"b,c",d', ",") == ["a", '"b,c"', "d"]
    with pytest.raises(InputError, match="not closed"):
        split_outside_quotes('a,"b', ",")


names = st.text(alphabet=" .-+,;:=@'Kai Éß鐘12", min_size=1, max_size=12).filter(
    lambda n: n == " ".join(n.split()) and n != ""
)
keys = st.sampled_from(["hp", "max hp", "hit-points", "傷", "d'or"])
values = st.one_of(
    st.booleans(),
    st.integers(-1000, 1000),
    st.integers(-10_000, 10_000).map(lambda n: n / 16),
    st.sampled_from(["grim", "no", "7", "-1.5", "", "a, b; c = d", "true", "x.y -3"]),
)
effects = st.one_of(
    st.builds(Effect, names, keys, st.just(ADD), st.integers(-1000, 1000)),
    st.builds(Effect, names, keys, st.just(SET), values),
    st.builds(Effect, names, keys, st.sampled_from([TAG, UNTAG])),
)


@given(st.lists(effects, max_size=4))
@settings(max_examples=examples(300), deadline=None)
def test_effect_what_is_written_reads_back(wanted: list[Effect]) -> None:
    read = parse_effects(", ".join(map(str, wanted)))
    assert [(e, type(e.value)) for e in read] == [(e, type(e.value)) for e in wanted]


@given(st.one_of(st.text(max_size=320), st.text(alphabet="Ma.hp+-=3 \"',;@", max_size=320)))
@settings(max_examples=examples(500), deadline=None)
def test_effect_any_text_reads_or_is_refused_in_words(text: str) -> None:
    try:
        parse_effects(text)
    except InputError as error:
        refused = error
    else:
        return
    assert refused.what
    assert refused.todo
