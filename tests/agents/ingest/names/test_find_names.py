"""Names of a prose text: which words are names, what they name, and which of them are one person's."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.ingest.names.find_names import find_names
from agents.ingest.names.name_findings import ProseName
from stores.records.world import EntityKind


def mentions(text: str) -> list[str]:
    """Return the names as they stand, in order."""
    found = [mention for name in find_names(text).names for mention in name.mentions]
    return [mention.text for mention in sorted(found, key=lambda mention: mention.start)]


def person(text: str, spelling: str) -> ProseName:
    """Return whose name a spelling is."""
    (found,) = [name for name in find_names(text).names if spelling in (name.name, *name.aliases)]
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He met Mr. Darcy at the ball.", ["Mr. Darcy"]),
        (
            "They saw Lady Catherine de Bourgh and the Duke of York.",
            ["Lady Catherine de Bourgh", "Duke of York"],
        ),
        ("Presently Tom laughed. However, nobody saw Tom.", ["Tom", "Tom"]),
        ("Nothing was said. Perhaps it was Sunday, or May.", []),
        ("I know. Oh, I know! Yes, sir, the English are polite.", []),
        ("Darcy's sister wrote to Bingley's house.", ["Darcy", "Bingley"]),
        ("The Colonel smiled. Then the colonel left.", []),
        ("CHAPTER XII\n\nTHE STORY OF THE DOOR\n\nMR. UTTERSON slept.", ["MR. UTTERSON"]),
        (
            "She lived near St. James's Park, in Gracechurch Street.",
            ["St. James's Park", "Gracechurch Street"],
        ),
        ("It was J. R. Hartley who met H. G. Wells there.", ["J. R. Hartley", "H. G. Wells"]),
        ("The ship was “the Hispaniola,” of Bristol.", ["Hispaniola", "Bristol"]),
        ("We met O'Brien, Jean-Luc and D'Artagnan in the wood.", ["O'Brien", "Jean-Luc", "D'Artagnan"]),
        ("In came Mrs. Hill; Hill was tired. There is a hill.", ["Mrs. Hill", "Hill"]),
        (
            "They feared Gideon the Black and the Order of the Ashen Hand.",
            ["Gideon the Black", "Order of the Ashen Hand"],
        ),
        ("They lodged at Lincoln 's Inn with Darcy 's aunt .", ["Lincoln 's Inn", "Darcy"]),
        ("Sir Walter\nElliot read no other book.", ["Sir Walter\nElliot"]),
        ("No, Mary! “Come here, Mary,” said Kate.", ["Mary", "Mary", "Kate"]),
        ("Ishbel's lantern went out. Vexa nodded.", ["Ishbel", "Vexa"]),
    ],
)
def test_names_are_told_from_other_capitals(text: str, expected: list[str]) -> None:
    assert mentions(text) == expected


def test_title_alone_is_a_name_where_the_text_always_writes_it_so() -> None:
    text = (
        "He saw the Colonel. Then the Colonel bowed, and again the Colonel left. Colonel Brandon was the man."
    )
    brandon = person(text, "Colonel Brandon")
    assert "Colonel" in brandon.aliases
    assert len(brandon.mentions) == 4


def test_verse_does_not_make_names_of_its_first_words() -> None:
    text = "Under the leaf\nOver the stone\nSilver and grey\nGoes the river alone"
    assert mentions(text) == []


@pytest.mark.parametrize(
    ("text", "spelling", "kind"),
    [
        ("Then Mr. Hark came in.", "Mr. Hark", EntityKind.CHARACTER),
        ("They lived in Meryton. Snow fell in Meryton.", "Meryton", EntityKind.PLACE),
        ("He was feared by the Salt Guild.", "Salt Guild", EntityKind.FACTION),
        ("She drew the Sword of Ashes.", "Sword of Ashes", EntityKind.OBJECT),
        ("They went to Castle Dunmore.", "Castle Dunmore", EntityKind.PLACE),
        ("Osric is married to Hedda.", "Hedda", EntityKind.CHARACTER),
        ("Sten is sworn to Hela, and Nell talks to her.", "Hela", EntityKind.CHARACTER),
        ("The road leads to Kesterford.", "Kesterford", EntityKind.PLACE),
        (
            "All the Bennets were there. The Bennets danced. He met the Bennets.",
            "Bennets",
            EntityKind.FACTION,
        ),
    ],
)
def test_kind_is_told_by_words_and_neighbours(text: str, spelling: str, kind: EntityKind) -> None:
    assert person(text, spelling).kind is kind


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        (
            "Mr. Darcy bowed. Fitzwilliam Darcy was proud. Darcy left.",
            ("Mr. Darcy", "Fitzwilliam Darcy", "Darcy"),
        ),
        (
            "Elizabeth Bennet laughed. Lizzy ran. Miss Elizabeth sat.",
            ("Elizabeth Bennet", "Lizzy", "Miss Elizabeth"),
        ),
        ('William "Bill" Hark sat down. Bill drank, and Hark slept.', ("William Hark", "Bill", "Hark")),
        ("Dr. Watson nodded. John Watson sat. Watson smoked.", ("Dr. Watson", "John Watson", "Watson")),
        ("Huckleberry Finn fished. Huck slept, and Hucky woke.", ("Huckleberry Finn", "Huck", "Hucky")),
        ("J. Marlow spoke. James Marlow knew it.", ("J. Marlow", "James Marlow")),
        ("Anselm, known as Crow, was there. Crow wept.", ("Anselm", "Crow")),
        ("Aunt Polly came. Polly wept.", ("Aunt Polly", "Polly")),
    ],
)
def test_names_of_one_person_are_brought_together(text: str, spellings: tuple[str, ...]) -> None:
    found = person(text, spellings[0])
    assert {found.name, *found.aliases} == set(spellings)


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("Mr. Bennet sighed. Mrs. Bennet talked.", "Mr. Bennet", "Mrs. Bennet"),
        ("Jane Bennet smiled. Elizabeth Bennet laughed.", "Jane Bennet", "Elizabeth Bennet"),
        ("Miss Bennet smiled. Jane Bennet sat. Mary Bennet sang.", "Miss Bennet", "Jane Bennet"),
        ("Captain Wentworth bowed. Mr. Wentworth, the curate, bowed.", "Captain Wentworth", "Mr. Wentworth"),
        ("Miss Darcy played. Fitzwilliam Darcy listened.", "Miss Darcy", "Fitzwilliam Darcy"),
        ("Mrs. Joe Gargery scolded. Joe Gargery sighed.", "Mrs. Joe Gargery", "Joe Gargery"),
    ],
)
def test_two_people_are_never_made_one(text: str, one: str, other: str) -> None:
    assert person(text, one) is not None
    assert other not in (person(text, one).name, *person(text, one).aliases)


PROSE = st.lists(
    st.sampled_from(
        [
            *(
                "Mr.",
                "Mary",
                "said",
                "the",
                "Colonel",
                "of",
                "York",
                "“",
                "”",
                '"',
                "'",
                "‘",
                "’",
                ".",
                ",",
                "\n\n",
                "\n",
                "I",
            ),
            *(
                "Darcy's",
                "she",
                "he",
                "—",
                "--",
                "A.",
                "Lady",
                "de",
                "ALICE",
                "known as",
                "his wife",
                "Why,",
                "!",
                "?",
            ),
        ]
    )
    | st.text(max_size=8),
    max_size=60,
).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(PROSE)
def test_any_text_is_read_and_every_place_is_true(text: str) -> None:
    found = find_names(text)
    assert found == find_names(text)
    places = sorted((m.start, m.end) for name in found.names for m in name.mentions)
    assert all(text[m.start : m.end] == m.text for name in found.names for m in name.mentions)
    assert all(text[quote.start : quote.end] == quote.text for quote in found.quotes)
    assert all(one[1] <= other[0] for one, other in pairwise(places))
    spellings = [each for name in found.names for each in (name.name, *name.aliases)]
    assert len(spellings) == len(set(spellings))


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece",
    ["A ", "A. ", "Mr. ", "Mary said to Tom. ", '"', '"Yes," said he.\n\n', "“", "'", "‘A", "Of ", "x", "\n",
     "St. ", "A-", "A'", 'Tom "', "Tom of the ", "Jane Xu, Jane Yu, "],
)  # fmt: skip
def test_text_of_one_mark_takes_no_long_time(piece: str) -> None:
    # Time of the processor, as other tests run beside it. What grows with the square would take minutes.
    text = piece * (400_000 // len(piece))
    begun = time.process_time()
    find_names(text)
    assert time.process_time() - begun < 15


@pytest.mark.timed
def test_megabyte_of_many_names_is_read_in_ten_seconds() -> None:
    syllables = ["ka", "lo", "mi", "ra", "ven", "tor", "sil", "dun", "bre", "osh"]
    names = [f"{a}{b}{c}".title() for a in syllables for b in syllables for c in syllables]
    sentences = [
        f"Mr. {names[n % 1000]} met {names[n * 7 % 1000]} {names[n * 13 % 1000]} there. "
        f"“Well,” said {names[n * 3 % 1000]}.\n\n"
        for n in range(14_000)
    ]
    begun = time.process_time()
    find_names("".join(sentences))
    assert time.process_time() - begun < 10
