"""Pairs of plain sentences of which some must be caught: a table written blind, and one written with the reader.

The blind one is by somebody who had not seen how sentences are read.

The halves `tune` were looked at while the reader was written, the half `looked` and the `held` half of the
everyday pairs afterwards (since 2026-11-28), the other halves `held` were not.
`pytest -s tests/agents/canon_keeper/test_sentence_contradictions.py` prints precision and recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from agents.canon_keeper.checks.contradictions import check_proposals
from agents.declarations.reader import FindEntity, read_fact
from stores.records.world import Entity, EntityKind
from tests.agents.canon_keeper import proposal_builders as kit

BLIND_TABLE = Path(__file__).parent / "data" / "contradictions.yaml"
TICK = 50


@dataclass(frozen=True)
class SentencePair:
    """Two sentences, and whether they contradict each other; `also` is said besides, before them."""

    id: str
    names: dict[str, str]
    before: str
    after: str
    contradicts: bool
    half: str = ""
    also: Sequence[str] = field(default=())
    kind: int = 0
    why: str = ""


@dataclass
class Figures:
    """How many pairs were caught, missed, and taken for a contradiction wrongly."""

    caught: int = 0
    missed: int = 0
    false_alarms: int = 0

    @property
    def precision(self) -> float:
        return self.caught / max(1, self.caught + self.false_alarms)

    @property
    def recall(self) -> float:
        return self.caught / max(1, self.caught + self.missed)

    def add(self, *, contradicts: bool, is_held: bool) -> None:
        self.caught += contradicts and is_held
        self.missed += contradicts and not is_held
        self.false_alarms += is_held and not contradicts

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.3f}  recall {self.recall:.3f}  "
            f"({self.caught} caught, {self.missed} missed, {self.false_alarms} false alarms)"
        )


def read_pairs(path: Path) -> list[SentencePair]:
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [SentencePair(**{**row, "also": row.get("also") or ()}) for row in rows]


def finder_of(entities: Sequence[Entity]) -> FindEntity:
    """Return what finds an entity by its name, with or without an article, or by a part of it that is unique."""

    async def find(name: str) -> Entity | None:
        wanted = name.casefold().removeprefix("the ")
        whole = [e for e in entities if e.name.casefold().removeprefix("the ") == wanted]
        if whole or not name[:1].isupper():
            return whole[0] if len(whole) == 1 else None
        partial = [e for e in entities if name in e.name.split() and e.kind is EntityKind.CHARACTER]
        return partial[0] if len(partial) == 1 else None

    return find


async def is_held(pair: SentencePair) -> bool:
    """Propose both sentences as `/fact` does, one after the other, and say whether they are in conflict."""
    entities = [kit.entity(name, EntityKind(kind)) for name, kind in pair.names.items()]
    find = finder_of(entities)
    proposals = [
        kit.proposal(await read_fact(sentence, kit.CATALOGUE, find, TICK), tick=TICK)
        for sentence in (*pair.also, pair.before, pair.after)
    ]
    findings = check_proposals(proposals, kit.canon(entities=tuple(entities)), kit.CATALOGUE).findings
    return any(findings[proposal.id].conflicts for proposal in proposals[-2:])


LEAST_PRECISION, LEAST_RECALL = 0.92, 0.42
"""What is reached over all pairs. The goal is 0.97 and 0.85; docs/contradictions.md says what is missing."""
PLAYER_TABLE = Path(__file__).parent / "data" / "plain_player_pairs.yaml"
EVERYDAY_PLAY_TABLE = Path(__file__).parent / "data" / "everyday_play_pairs.yaml"
"""Sixty pairs and sixty look-alikes, written before the reader was changed for them."""
EVERYDAY_TABLE = Path(__file__).parent / "data" / "everyday_player_pairs.yaml"


@pytest.mark.slow
async def test_sentence_contradictions_of_the_blind_table_reach_the_published_figures() -> None:
    figures = {"tune": Figures(), "held": Figures(), "all": Figures()}
    pairs = read_pairs(BLIND_TABLE)
    for pair in pairs:
        held = await is_held(pair)
        for name in (pair.half, "all"):
            figures[name].add(contradicts=pair.contradicts, is_held=held)
    must_be_caught = sum(pair.contradicts for pair in pairs)
    print(f"\n{must_be_caught} pairs that must be caught, {len(pairs) - must_be_caught} that must not")
    for name, of_half in figures.items():
        print(f"{name:5} {of_half}")
    assert must_be_caught >= 120
    assert len(pairs) - must_be_caught >= 80
    assert figures["all"].precision >= LEAST_PRECISION
    assert figures["all"].recall >= LEAST_RECALL


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "half", "least_precision", "least_recall"),
    [
        pytest.param(PLAYER_TABLE, "tune", 0.97, 0.90, id="plain_words_looked_at"),
        pytest.param(PLAYER_TABLE, "looked", 1.0, 0.60, id="plain_words_looked_at_since"),
        pytest.param(PLAYER_TABLE, "held", 0.82, 0.15, id="plain_words"),
        pytest.param(EVERYDAY_TABLE, "held", 0.98, 0.83, id="everyday_words_looked_at_later"),
        pytest.param(EVERYDAY_TABLE, "tune", 1.0, 0.93, id="everyday_words_looked_at"),
        pytest.param(EVERYDAY_PLAY_TABLE, "fresh", 1.0, 0.94, id="everyday_play"),
    ],
)
async def test_sentence_contradictions_of_players_reach_the_published_figures(
    table: Path, half: str, least_precision: float, least_recall: float
) -> None:
    figures = Figures()
    for pair in read_pairs(table):
        if pair.half == half:
            figures.add(contradicts=pair.contradicts, is_held=await is_held(pair))
    print(f"\n{table.stem} {half}  {figures}")
    assert figures.caught + figures.missed >= 60
    assert figures.precision >= least_precision - 0.005
    assert figures.recall >= least_recall - 0.005


OWN_TABLE = Path(__file__).parent / "data" / "plain_contradictions.yaml"
OWN_NAMES = {
    **dict.fromkeys(
        (
            "Dob Harrow",
            "Iselin Quay",
            "Tam",
            "Bela",
            "Captain Vess",
            "Old Marta",
            "Lord Ansel",
            "Lady Ysolde",
        ),
        "character",
    ),
    "Grak": "creature",
    **dict.fromkeys(("Salt Guild", "Grey Wardens"), "faction"),
    **dict.fromkeys(("Pier Nine", "Tower of Ash", "Brackwater", "Whitemoor", "Chapel of Reeds"), "place"),
    **dict.fromkeys(("Glass Bell", "Iron Key", "Red Heron"), "object"),
    **dict.fromkeys(("Long Frost", "Battle of Redford"), "concept"),
}


@pytest.mark.slow
async def test_sentence_contradictions_in_plain_words_are_caught_and_look_alikes_are_not() -> None:
    figures = Figures()
    false_alarms = []
    for kind, rows in yaml.safe_load(OWN_TABLE.read_text(encoding="utf-8")).items():
        for before, after in rows:
            pair = SentencePair("own", OWN_NAMES, before, after, kind == "contradictions")
            held = await is_held(pair)
            figures.add(contradicts=pair.contradicts, is_held=held)
            if held and not pair.contradicts:
                false_alarms.append((before, after))
    print(f"\nown   {figures}")
    assert false_alarms == []
    assert figures.recall >= 0.83


TOPIC_TABLE = Path(__file__).parent / "data" / "topic_pairs.yaml"
TOPIC_NAMES = {
    **dict.fromkeys(
        ("Marta Kell", "Old Bram", "Ilsa Venn", "Corwin Hale", "Sister Odile", "Captain Rusk", "Amos Pell",
         "Lord Tavish", "Lady Mirren", "Jory", "Nell Partridge", "Hob Tanner", "Wen", "Ash Calloway",
         "Sergeant Dunne", "Pia Lund", "Father Quill", "Tolly", "Vera Stroud"),
        "character",
    ),
    **dict.fromkeys(
        ("Saltmarsh", "Gilded Hen", "Castle Dorn", "Thornwick", "Old Mill", "Greywater Bridge", "Greywater",
         "Kestrel Station", "Rookery", "Grey Isles"),
        "place",
    ),
    **dict.fromkeys(("Sunblade", "Black Ledger", "Petrel", "Ember Crown"), "object"),
    **dict.fromkeys(("Lantern Guild", "Red Hand", "Moor Company"), "faction"),
}  # fmt: skip


@pytest.mark.slow
async def test_sentence_contradictions_by_topic_are_caught_and_look_alikes_are_not() -> None:
    figures, false_alarms = Figures(), []
    for topic in yaml.safe_load(TOPIC_TABLE.read_text(encoding="utf-8"))["topics"].values():
        for kind, rows in topic.items():
            for before, after in rows:
                pair = SentencePair("topic", TOPIC_NAMES, before, after, kind == "contradictions")
                held = await is_held(pair)
                figures.add(contradicts=pair.contradicts, is_held=held)
                if held and not pair.contradicts:
                    false_alarms.append((before, after))
    print(f"\nby topic   {figures}")
    assert false_alarms == []
    assert figures.recall >= 0.81


LOOK_ALIKES = Path(__file__).parent / "data" / "look_alikes.yaml"
LOOK_ALIKE_NAMES = {
    **dict.fromkeys(("Bram Holt", "Tess", "Old Wil"), "character"),
    **dict.fromkeys(("Gull Bridge", "Saltmere", "Kell Tower"), "place"),
    **dict.fromkeys(("Heron", "Glass Bell"), "object"),
    "Grey Wardens": "faction",
}
MAX_FALSE_ALARMS = 15
"""Of 848, each pair in both orders; 150 of 846 before the reader was changed for them."""


@pytest.mark.slow
async def test_sentence_contradictions_of_look_alikes_are_few() -> None:
    rows = yaml.safe_load(LOOK_ALIKES.read_text(encoding="utf-8"))
    pairs = [
        *rows["pairs"],
        *(("Bram Holt is alive.", words) for words in rows["alive"]),
        *(("Bram Holt is dead.", words) for words in rows["dead"]),
    ]
    false_alarms = [
        (before, after)
        for one, other in pairs
        for before, after in ((one, other), (other, one))
        if await is_held(SentencePair("look-alike", LOOK_ALIKE_NAMES, before, after, contradicts=False))
    ]
    print(f"\n{len(false_alarms)} false alarms on {2 * len(pairs)} look-alikes")
    for before, after in false_alarms:
        print(f"  {before} | {after}")
    assert len(false_alarms) <= MAX_FALSE_ALARMS


@pytest.mark.parametrize(
    "figure",
    ["dead tired", "dying to see the sea", "a dead shot", "half dead", "buried in paperwork", "dead to Tess"],
)
async def test_sentence_contradictions_leave_figures_of_death_alone(figure: str) -> None:
    pair = SentencePair(
        "figure", LOOK_ALIKE_NAMES, "Bram Holt is alive.", f"Bram is {figure}.", contradicts=False
    )
    assert not await is_held(pair)


NAMES = {"Dob Harrow": "character", "Tam Orrin": "character", "Belmory": "place", "Pier Nine": "place"}


@pytest.mark.parametrize(
    ("before", "after", "contradicts"),
    [
        ("The password is salt", "The password is pepper", True),
        ("The password to the vault is salt", "The password to the vault is pepper", True),
        ("Dob's password is salt", "Dob's password is pepper", True),
        ("The captain's name is Rolf", "The captain's name is Ulf", True),
        ("The price of the bell is ten coins", "The price of the bell is twelve coins", True),
        ("The king is Dob", "The king is Tam", True),
        ("The capital is Belmory", "The capital is Pier Nine", True),
        ("The captain is tired", "The captain is old", False),
        ("The password is salt", "The password is secret", False),
        ("The password is salt", "The password is written on the wall", False),
        ("The password to the vault is salt", "The password to the cellar is pepper", False),
        ("Dob's password is salt", "Tam's password is pepper", False),
        ("The password was salt", "The password is pepper", False),
        ("The password is salt", "The old password is pepper", False),
        ("The password is salt", "The password is now pepper", False),
        ("The price is ten coins", "The price is high", False),
        ("The king is Dob", "The king is old", False),
    ],
)
async def test_sentence_contradictions_of_one_value(before: str, after: str, contradicts: bool) -> None:
    assert await is_held(SentencePair("one value", NAMES, before, after, contradicts)) is contradicts


@pytest.mark.parametrize(
    "death", ["bleeds to death beside the altar", "drowns in the well", "dies of her wounds"]
)
async def test_sentence_contradictions_are_none_where_somebody_acts_and_then_dies(death: str) -> None:
    names = {"Bodil": EntityKind.CHARACTER.value, "comb": EntityKind.OBJECT.value}
    deed, end = "Bodil throws the comb into the fire.", f"Bodil {death}."
    assert not await is_held(SentencePair("deed first", names, deed, end, contradicts=False))


async def test_sentence_contradictions_have_nobody_act_who_bled_to_death() -> None:
    names = {"Bodil": EntityKind.CHARACTER.value, "comb": EntityKind.OBJECT.value}
    deed, end = "Bodil throws the comb into the fire.", "Bodil bleeds to death."
    assert await is_held(SentencePair("death first", names, end, deed, contradicts=True))
