"""A world file is read whole or refused with its faults named; what it proposes is the same each time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agents import yaml_with_lines as marked_yaml
from agents.services.world_import import WorldSeed, build_world_proposals, parse_world_file
from stores.errors import InputError
from stores.records.canon import AssertFact, Authority, CreateEntity, EvidenceKind, Involvement, NoteAxiom
from stores.records.ids import SteppingClock, derive_id
from stores.records.workflow import ProposalStatus

UNIVERSE_ID = derive_id("universe", "test")

WORLD = """\
universe: {name: Small Isle}
entities:
  - {key: ana, kind: character, name: Ana, aliases: [the Keeper], is_pc: true, numbers: {hp: 7}}
  - {key: light, kind: place, name: The Light}
  - {key: gull, kind: creature, name: Gull}
axioms:
  - {statement: The lamp is never lit twice., involves: {subject: light}}
facts:
  - kind: relation
    predicate: located_in
    statement: Ana is in the Light.
    involves: {subject: ana, object: light, witness: [gull, ana]}
    valid_from: 60
opening:
  title: One Lamp
  pc: ana
  scene_title: Dark
  place: light
  cast: [ana]
  tick: 60
  prose: [It is dark.]
"""


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_world_file(text)
    assert caught.value.kept == "Nothing was imported."
    assert caught.value.todo
    return caught.value.what


def clock() -> SteppingClock:
    return SteppingClock(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def seed() -> WorldSeed:
    return parse_world_file(WORLD)


# --- what a seed proposes ---------------------------------------------------------------------------


def test_world_import_makes_one_proposal_per_entry_entities_first(seed: WorldSeed) -> None:
    universe, proposals, _ = build_world_proposals(seed, UNIVERSE_ID, clock=clock())

    assert (universe.id, universe.name) == (UNIVERSE_ID, "Small Isle")
    assert [type(p.payload) for p in proposals] == [*[CreateEntity] * 3, NoteAxiom, AssertFact]
    assert len({p.id for p in proposals}) == 5
    made = [p.created_at for p in proposals]
    assert made == sorted(made)


def test_world_import_proposals_cite_the_file(seed: WorldSeed) -> None:
    _, proposals, _ = build_world_proposals(seed, UNIVERSE_ID, clock=clock())

    for proposal in proposals:
        (evidence,) = proposal.evidence
        assert evidence.kind is EvidenceKind.MANUAL
        assert evidence.ref_id == UNIVERSE_ID
        assert proposal.authority is Authority.SOURCE
        assert proposal.status is ProposalStatus.PENDING
        assert (proposal.story_id, proposal.scene_id, proposal.turn_id) == (None, None, None)
    quotes = [p.evidence[0].quote for p in proposals]
    assert quotes == ["Ana", "The Light", "Gull", "The lamp is never lit twice.", "Ana is in the Light."]


def test_world_import_facts_name_entities_by_key(seed: WorldSeed) -> None:
    _, proposals, _ = build_world_proposals(seed, UNIVERSE_ID, clock=clock())
    ana, light, gull = (derive_id("sample", UNIVERSE_ID, key) for key in ("ana", "light", "gull"))

    fact = proposals[-1].payload
    assert isinstance(fact, AssertFact)
    assert fact.involves == (
        Involvement(role="subject", entity_id=ana),
        Involvement(role="object", entity_id=light),
        Involvement(role="witness", entity_id=gull),
        Involvement(role="witness", entity_id=ana),
    )
    creation = proposals[0].payload
    assert isinstance(creation, CreateEntity)
    assert creation.entity_id == ana
    assert creation.numbers == {"hp": 7}


def test_world_import_opening_has_ids_of_pc_place_and_cast(seed: WorldSeed) -> None:
    _, _, opening = build_world_proposals(seed, UNIVERSE_ID, clock=clock())

    assert opening.pc_id == derive_id("sample", UNIVERSE_ID, "ana")
    assert opening.place_id == derive_id("sample", UNIVERSE_ID, "light")
    assert opening.cast == (opening.pc_id,)
    assert (opening.title, opening.scene_title, opening.tick) == ("One Lamp", "Dark", 60)
    assert opening.prose == ("It is dark.",)


def test_world_import_twice_gives_same_records(seed: WorldSeed) -> None:
    assert build_world_proposals(seed, UNIVERSE_ID, clock=clock()) == build_world_proposals(
        seed, UNIVERSE_ID, clock=clock()
    )


def test_world_import_ids_differ_between_universes(seed: WorldSeed) -> None:
    _, here, _ = build_world_proposals(seed, UNIVERSE_ID, clock=clock())
    _, there, _ = build_world_proposals(seed, derive_id("universe", "other"), clock=clock())

    assert not {p.id for p in here} & {p.id for p in there}
    assert not {p.evidence[0].id for p in here} & {p.evidence[0].id for p in there}


def test_world_import_ids_are_independent_of_order(seed: WorldSeed) -> None:
    turned = seed.model_copy(update={"entities": seed.entities[::-1]})

    _, here, _ = build_world_proposals(seed, UNIVERSE_ID, clock=clock())
    _, there, _ = build_world_proposals(turned, UNIVERSE_ID, clock=clock())
    assert {p.id: p.payload for p in here} == {p.id: p.payload for p in there}


def test_world_import_cleans_text() -> None:
    seed = parse_world_file(WORLD.replace("Ana is in the Light.", r'"Ana \e[31mis\n  in the \a Light."'))

    assert seed.facts[0].statement == "Ana is in the Light."


# --- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        pytest.param("kind: place", "kind: town", "line 4 (entities, light, kind): input", id="kind"),
        pytest.param("name: Gull", "nam: Gull", "line 5 (entities, gull): 'name' is missing", id="missing"),
        pytest.param("name: Gull", "nam: Gull", "'nam' is not a field that is read here", id="extra"),
        pytest.param("key: gull", "key: Old Gull", "a key is small letters", id="key"),
        pytest.param(
            "key: gull", "key: ana", "line 5 (entities, ana, key): 'ana' stands in this file twice", id="keys"
        ),
        pytest.param("name: Gull", "name: the keeper", "'the keeper' stands in this file twice", id="names"),
        pytest.param(
            "Ana is in the Light.",
            "The lamp is never lit twice.",
            "stands in this file twice",
            id="statements",
        ),
        pytest.param(
            "[gull, ana]",
            "[gull, bob]",
            "line 12 (facts, entry 1, involves, witness): nothing in this file has the key 'bob'",
            id="dangling in a fact",
        ),
        pytest.param("subject: light", "subject: lamp", "has the key 'lamp'", id="dangling in an axiom"),
        pytest.param("cast: [ana]", "cast: [ana, bob]", "has the key 'bob'", id="dangling in the cast"),
        pytest.param("pc: ana\n", "pc: bob\n", "has the key 'bob'", id="dangling pc"),
        pytest.param("pc: ana\n", "pc: gull\n", "Gull is not a player character", id="no pc"),
        pytest.param("place: light", "place: gull", "Gull is not a place", id="no place"),
        pytest.param("cast: [ana]", "cast: [gull]", "the player character ('ana') is not in it", id="cast"),
        pytest.param("kind: creature", "kind: creature, is_pc: true", "only a character", id="gull pc"),
        pytest.param("kind: relation", "kind: axiom", "belongs under 'axioms'", id="axiom among facts"),
        pytest.param(
            "{subject: ana, object: light, witness: [gull, ana]}",
            "{}",
            "about at least one entity",
            id="alone",
        ),
        pytest.param("valid_from: 60", "{valid_from: 60", "line 14, column", id="YAML"),
        pytest.param("valid_from: 60", "valid_from: soon", "(facts, entry 1, valid_from)", id="tick"),
        pytest.param("valid_from: 60", "valid_from: 9e30", "valid_from", id="far tick"),
        pytest.param(
            "valid_from: 60", "valid_from: 60\n    valid_to: 59", "it ends before it begins", id="backwards"
        ),
        pytest.param("hp: 7", "hp: .inf", "finite", id="infinite"),
        pytest.param("hp: 7", f"hp: {'9' * 5000}", "line 3, column", id="huge number"),
        pytest.param("name: Small Isle", "name: 2026-99-99", "cannot be read", id="impossible date"),
        pytest.param("name: Small Isle", "name: ''", "(universe, name)", id="nameless"),
        pytest.param("name: Small Isle", f"name: {'x' * 200}", "at most 120", id="long name"),
        pytest.param("facts:", "axioms:", "'axioms' is given twice in one place", id="section twice"),
        pytest.param("cast: [ana]", "cast: &a [ana]\n  other: *a", "aliases (*name) are not", id="aliases"),
        pytest.param("name: Small Isle", "name: !!python/name:os.system", "line 1", id="a Python tag"),
        pytest.param(
            "name: Small Isle",
            "name: \x1b[31m",
            "line 1: the character U+001B is not read",
            id="a raw escape",
        ),
    ],
)
def test_world_import_names_faults(before: str, after: str, what: str) -> None:
    assert before in WORLD
    assert what in refused(WORLD.replace(before, after))


@pytest.mark.parametrize("text", ["", "# only a comment", "just words", "- a list", "42"])
def test_world_import_refuses_other_files(text: str) -> None:
    assert refused(text).startswith("This world file cannot be used: ")


def test_world_import_names_missing_section() -> None:
    assert "'opening' is missing" in refused(WORLD[: WORLD.index("opening:")])


def test_world_import_refuses_too_long_file() -> None:
    assert "the most that is read" in refused("#" * (marked_yaml.MAX_CHARS + 1))


def test_world_import_refuses_too_deep_file() -> None:
    assert "nested too deep" in refused("[" * 5_000 + "]" * 5_000)


def test_world_import_counts_many_faults() -> None:
    gulls = "".join(f"  - {{key: gull_{n}, kind: bird, name: Gull {n}}}\n" for n in range(10))

    assert refused(WORLD.replace("axioms:", gulls + "axioms:")).endswith("; and 7 more.")
