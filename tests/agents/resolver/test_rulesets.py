"""Rule packs: ours are whole, the user's replace them or are refused with the line that is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.resolver.ruleset_schema import Advancement, AdvanceStep, Creation, Pack
from agents.resolver.rulesets import (
    MAX_CHARS,
    MAX_PACKS,
    PackLibrary,
    add_user_packs,
    load_bundled_packs,
    read_pack,
)
from stores.errors import InputError
from tests.examples import examples

DOCS = Path(__file__).parents[3] / "docs" / "rule-packs.md"

PACK = """\
id: small
name: Small
version: 1.0
licence: MIT
attribution: Us
summary: Little.
numbers:
  - {key: might, meaning: Strength, min: -1, max: 3}
tracks:
  - {key: hp, meaning: Hit points, max: 10}
tags:
  - {key: half-deaf, meaning: One good ear}
check:
  dice: "2d6+{number}"
  vs: 9
moves:
  - key: strike
    meaning: Hit
    number: might
    success:
      says: A hit.
      effects: "{target}.hp -{might}"
rests:
  - {key: sleep, meaning: Night, minutes: 480, effects: "{actor}.hp +2"}
"""


@pytest.fixture(scope="module")
def library() -> PackLibrary:
    return load_bundled_packs()


# --- what is read -----------------------------------------------------------------------------------


def test_rule_packs_bundled_are_six(library: PackLibrary) -> None:
    assert set(library.packs) == {
        "lantern_twos",
        "hard_twenty",
        "plain_telling",
        "road_and_oath",
        "seven_or_better",
        "under_keep",
    }
    assert library.notes == ()
    for pack in library.packs.values():
        assert pack.licence == "MIT"
        assert pack.attribution


def test_rule_pack_lookup_refuses_unknown_name(library: PackLibrary) -> None:
    assert library.find_pack("hard_twenty").name == "Hard Twenty"
    with pytest.raises(InputError, match=r"no rule system called 'hard_twelve'.*Did you mean hard_twenty"):
        library.find_pack("hard_twelve")
    with pytest.raises(InputError, match="There is: hard_twenty, lantern_twos, plain_telling"):
        library.find_pack("zzz")


def test_rule_pack_in_manual_can_be_read() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    (pack,) = map(read_pack, blocks)
    assert (pack.id, [move.key for move in pack.moves][-1]) == ("mudlarks", "luck of the tide")


def test_rule_pack_manual_names_every_field() -> None:
    text = DOCS.read_text(encoding="utf-8")
    fields = set(Pack.model_fields)
    for part in (Creation, Advancement, AdvanceStep):
        fields |= set(part.model_fields)
    for section in ("numbers", "tracks", "tags", "moves", "rests"):
        part = Pack.model_fields[section].annotation.__args__[0]  # type: ignore[union-attr]
        fields |= set(part.model_fields)
    assert {name for name in fields if not re.search(rf"\b{name}\b", text)} == set()


def test_rule_pack_text_is_cleaned() -> None:
    pack = read_pack(PACK.replace("summary: Little.", r'summary: "Lit\e[31mtle\n  one.\u202e"'))
    assert pack.summary == "Little one."
    assert pack.version == "1.0"


# --- what is refused --------------------------------------------------------------------------------


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_pack(text)
    assert caught.value.kept
    assert "docs/rule-packs.md" in caught.value.todo
    return caught.value.what


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        pytest.param("licence: MIT\n", "", "line 1: 'licence' is missing", id="no licence"),
        pytest.param("licence: MIT", "licence: ''", "line 4 (licence): ", id="empty licence"),
        pytest.param("id: small", "id: Small One", "line 1 (id): a key is small letters", id="id"),
        pytest.param("name: Small", "name: [Small]", "line 2 (name): ", id="name"),
        pytest.param("version: 1.0", "version: yes", "line 3 (version): ", id="version"),
        pytest.param("meaning: Strength", "meanin: Strength", "'meaning' is missing", id="missing"),
        pytest.param("min: -1", "low: -1", "line 8 (numbers, might, low): 'low' is not a field", id="extra"),
        pytest.param("min: -1", "min: 1", "line 8 (numbers, might): it is not between", id="default below"),
        pytest.param("max: 3", "max: -2", "it is not between min and max", id="default above"),
        pytest.param("max: 3", "max: 3.5", "line 8 (numbers, might, max): ", id="no half numbers"),
        pytest.param("max: 3", "default: yes", "(numbers, might, default): ", id="no yes"),
        pytest.param("key: hp", "key: might", "line 10 (tracks, might, key): 'might' stands", id="twice"),
        pytest.param("key: hp", "key: number", "'number' means something else", id="reserved"),
        pytest.param("key: strike", "key: Likely", "line 17 (moves, Likely, key): 'likely' means", id="odds"),
        pytest.param("key: strike", "key: strike!", "a name is words without signs", id="signs"),
        pytest.param("max: 10", "max: 0", "line 10 (tracks, hp, max): a track needs room", id="no room"),
        pytest.param("max: 10", "max: '{migt}'", "{migt} is not known here. Known: {might}", id="max"),
        pytest.param("max: 10", "max: d10", "should be a number, without dice", id="max of dice"),
        pytest.param("max: 10", "max: {might}", "text with { } needs quotes", id="unquoted"),
        pytest.param("max: 10", "max: '10/0'", "line 10 (tracks, hp, max): Cannot divide", id="by zero"),
        pytest.param("key: half-deaf", "key: '+deaf'", "line 12 (tags, +deaf, key): a name is", id="tag"),
        pytest.param("ear}", "ear, modifier: 99}", "line 12 (tags, half-deaf, modifier): ", id="modifier"),
        pytest.param('"2d6+{number}"', '"2d6+{mght}"', "line 14 (check, dice): {mght} is not", id="place"),
        pytest.param('"2d6+{number}"', '"2d6+"', "line 14 (check, dice): Cannot roll '2d6+'", id="dice"),
        pytest.param('"2d6+{number}"', '"99999d6"', "line 14 (check, dice): ", id="too many dice"),
        pytest.param("  vs: 9\n", "", "line 14 (check): 'vs' is missing", id="no vs"),
        pytest.param("  vs: 9\n", "  vs: d6\n", "line 15 (check, vs): ", id="vs of dice"),
        pytest.param("  vs: 9\n", "  odds: even\n", "say one of the two", id="dice and odds"),
        pytest.param("number: might", "odds: even\n    vs: 9", "line 20 (moves, strike, vs): ", id="odds vs"),
        pytest.param("number: might", "odds: often", "line 19 (moves, strike, odds): ", id="which odds"),
        pytest.param("number: might", "number: migt", "'migt' is no number of this pack", id="number"),
        pytest.param("number: might", "wins: big", "line 19 (moves, strike, wins): ", id="wins"),
        pytest.param(
            "{target}.hp -{might}", "Orc.hp -1", "line 22 (moves, strike, success, effects): ", id="whom"
        ),
        pytest.param("{target}.hp -{might}", "{target}.hp", "'{target}.hp' is not an effect", id="effect"),
        pytest.param("{target}.hp -{might}", "{target} +{might}", "is not an effect", id="tag of a number"),
        pytest.param("{target}.hp -{might}", "{target}.hp -{mite}", "{mite} is not known", id="amount"),
        pytest.param("A hit.", "A hit by {who}.", "line 21 (moves, strike, success, says): {who}", id="says"),
        pytest.param("{actor}.hp +2", "{target}.hp +2", "line 24 (rests, sleep, effects): nobody", id="rest"),
        pytest.param("minutes: 480", "minutes: -1", "line 24 (rests, sleep, minutes): ", id="minutes"),
        pytest.param("minutes: 480", "minutes: 8h", "line 24 (rests, sleep, minutes): ", id="hours"),
        pytest.param(
            "max: 10}",
            "max: 10, at_zero: {effects: 'Bob +dead'}}",
            "(tracks, hp, at_zero, effects)",
            id="zero",
        ),
        pytest.param("max: 10}", "max: 10, at_zero: dead}", "fields and their values", id="zero as words"),
        pytest.param("summary: Little.", f"summary: {'x' * 301}", "line 6 (summary): ", id="long"),
        pytest.param("  vs: 9", "  vs: *a", "aliases (*name) are not", id="aliases"),
        pytest.param("summary: Little.", "summary: !!python/name:os.system", "line 6", id="a Python tag"),
        pytest.param("name: Small", "name: Small\nname: Big", "'name' is given twice", id="a field twice"),
        pytest.param("rests:\n", "rests: none\nrest:\n", "a list should stand here", id="no list"),
    ],
)
def test_rule_pack_error_names_fault(before: str, after: str, message: str) -> None:
    assert before in PACK
    assert message in refusal(PACK.replace(before, after))


@pytest.mark.parametrize("text", ["", "just words", "- a list", "42", "check: {}", "[" * 5_000])
def test_rule_pack_refuses_other_documents(text: str) -> None:
    assert refusal(text).startswith("This rule pack cannot be used: ")


def test_rule_pack_size_is_limited() -> None:
    assert "the most that is read" in refusal("#" * (MAX_CHARS + 1))
    moves = "".join(f"  - {{key: m{n}, meaning: m}}\n" for n in range(101))
    assert "(moves)" in refusal(PACK.replace("moves:\n", f"moves:\n{moves}"))


def test_rule_pack_error_counts_many_faults() -> None:
    moves = "".join(f"  - {{key: m{n}, meaning: m, number: x{n}}}\n" for n in range(10))
    assert refusal(PACK.replace("moves:\n", f"moves:\n{moves}")).endswith("; and 7 more.")


@given(
    st.lists(
        st.tuples(
            st.integers(0, len(PACK)), st.integers(0, 12), st.text("{}[]:-'\"& *!#\n m9\x1b é", max_size=6)
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=examples(300), deadline=None)
def test_rule_pack_with_damage_is_read_or_refused(damage: list[tuple[int, int, str]]) -> None:
    text = PACK
    for at, length, put in damage:
        text = text[:at] + put + text[at + length :]
    try:
        read_pack(text)
    except InputError as error:
        refusal = error
    else:
        return
    assert refusal.what.startswith("This rule pack cannot be used: ")


# --- the user's own ---------------------------------------------------------------------------------


def test_rule_packs_of_user_replace_bundled_ones(library: PackLibrary) -> None:
    ours = PACK.replace("id: small", "id: hard_twenty")
    grown = add_user_packs(library, {"b.yaml": ours, "a.yaml": PACK})

    assert set(grown.packs) == {*library.packs, "small"}
    assert grown.packs["hard_twenty"].name == "Small"
    assert grown.notes == ("b.yaml: 'Small' replaces 'Hard Twenty'; both have the id hard_twenty.",)
    assert library.packs["hard_twenty"].name == "Hard Twenty"


def test_rule_pack_with_fault_is_left_out(library: PackLibrary) -> None:
    grown = add_user_packs(library, {"bad.yaml": PACK.replace("vs: 9", "vs: many"), "good.yaml": PACK})

    assert set(grown.packs) == {*library.packs, "small"}
    (note,) = grown.notes
    assert note.startswith("bad.yaml: This rule pack cannot be used: line 15 (check, vs): ")


def test_rule_packs_limit_number_of_files(library: PackLibrary) -> None:
    texts = {f"{n:03}.yaml": PACK.replace("id: small", f"id: p{n}") for n in range(MAX_PACKS + 2)}
    grown = add_user_packs(library, texts)

    assert len(grown.packs) == MAX_PACKS + len(library.packs)
    assert grown.notes == ("2 more packs were left out: 100 are read.",)


def test_rule_pack_lookup_by_id_or_name_reports_faulty_file(library: PackLibrary) -> None:
    faulty_text = PACK.replace("vs: 9", "vs: many")
    grown = add_user_packs(library, {"mud larks.yaml": faulty_text, "good.yaml": PACK})
    assert grown.user_pack_ids == {"small"}
    for name in ("small", "SMALL", "Hard Twenty", "hard twenty", "hard_twenty"):
        assert grown.find_pack(name).id in ("small", "hard_twenty")
    for name in ("mud larks", "mud larks.yaml"):
        with pytest.raises(InputError, match=r"mud larks.yaml: This rule pack cannot be used: line 15"):
            grown.find_pack(name)
    with pytest.raises(InputError, match=r"no rule system called 'hard'.*Did you mean hard_twenty"):
        grown.find_pack("hard")


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ('carries: "8+{mihgt}"', r"line 25 \(carries\): .mihgt. is not known here"),
        (
            "creation: {numbers: [might]}",
            r"line 25 \(creation\): say an 'array' to hand out, a 'roll', or both",
        ),
        ("creation: {numbers: [might], array: [2, 1]}", r"it has 2 values for 1 numbers: one each"),
        ("creation: {numbers: [mihgt], roll: 3d6}", r"'mihgt' is no number of this pack. Did you mean might"),
        ("creation: {numbers: [might], roll: 3x6}", r"line 25 \(creation, roll\): Cannot roll '3x6'"),
        (
            'advancement: {experience: might, steps: [{key: up, meaning: Up, cost: 1, effects: "{actor}.migt +1, x"}]}',
            r"line 25 \(advancement, steps, up, effects",
        ),
    ],
)
def test_rule_pack_growth_is_refused_with_its_line(lines: str, fault: str) -> None:
    assert re.search(fault, refusal(f"{PACK}{lines}\n"))
