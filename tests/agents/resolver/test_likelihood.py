"""Likelihoods from canon: cases both ways, each with its facts; what is not known is even."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.canon_keeper.predicates import load_catalogue, read_catalogue
from agents.resolver.likelihood import LikelihoodSuggestion, suggest_likelihood
from agents.resolver.oracle import Likelihood
from agents.resolver.oracle_question import stem
from stores.records.canon import Fact, FactKind, FactStatus, Standing
from stores.records.world import EntityKind
from tests.agents.resolver.fact_builders import build_entity, build_fact

CATALOGUE = load_catalogue()
NOW = 1_000

PLACE, FACTION, OBJECT = EntityKind.PLACE, EntityKind.FACTION, EntityKind.OBJECT
ENTITIES = [
    build_entity(
        "Mara", is_pc=True, aliases=("Mara Venn", "the diver"), tags=("half-deaf",), numbers={"hp": 7}
    ),
    build_entity("Hester", aliases=("Hester Marrow", "the Warden")),
    build_entity("Stint"),
    build_entity("Wenna", aliases=("Wenna Pike",)),
    build_entity("Ivo", aliases=("the clerk",)),
    build_entity("Gil"),
    build_entity("Tam"),
    build_entity("Oram", tags=("dead",)),
    build_entity("Harl", PLACE),
    build_entity("The Slack Tide", PLACE, aliases=("the inn",)),
    build_entity("The Tally Chapel", PLACE, aliases=("the chapel",)),
    build_entity("The Ribs", PLACE, aliases=("the causeway",)),
    build_entity("The Company", FACTION),
    build_entity("The Tollers", FACTION),
    build_entity("The Black Ledger", OBJECT, aliases=("the ledger",)),
    build_entity("The Bell", OBJECT),
    build_entity("The Clerk of Works", aliases=("the clerk",)),
]

FACTS = {
    "tam_dead": build_fact("alive", "Tam", value=False, valid_from=10),
    "wenna_lives": build_fact("alive", "Wenna", value=True),
    "hester_chapel": build_fact("located_in", "Hester", "The Tally Chapel"),
    "mara_inn": build_fact("located_in", "Mara", "The Slack Tide"),
    "inn_harl": build_fact("located_in", "The Slack Tide", "Harl"),
    "gil_harl": build_fact("located_in", "Gil", "Harl"),
    "bell_was": build_fact("located_in", "The Bell", "Harl", valid_from=0, valid_to=500),
    "ledger_ivo": build_fact("owns", "Ivo", "The Black Ledger"),
    "wenna_inn": build_fact("owns", "Wenna", "The Slack Tide"),
    "hester_mother": build_fact("parent_of", "Hester", "Tam"),
    "stint_company": build_fact("member_of", "Stint", "The Company"),
    "hester_tollers": build_fact("member_of", "Hester", "The Tollers"),
    "feud": build_fact("enemy_of", "The Company", "The Tollers"),
    "wenna_mara": build_fact("ally_of", "Wenna", "Mara"),
    "gil_ivo": build_fact("enemy_of", "Gil", "Ivo"),
    "gil_owes": build_fact("owes", "Gil", "Wenna"),
    "ivo_met": build_fact("met", "Ivo", "Gil", kind=FactKind.ENCOUNTER, valid_from=240, valid_to=240),
    "gil_missing": build_fact("is", "Gil", value="missing"),
    "mara_unhurt": build_fact("is_not", "Mara", value="wounded"),
    "grim": build_fact("mood", "Ivo", value="grim", statement="Ivo's mood is grim.", kind=FactKind.STATE),
    "rumour": build_fact("serves", "Ivo", "The Tollers", standing=Standing.RUMOUR),
    "lie": build_fact("knows", "Stint", "Mara", standing=Standing.LIE),
    "disputed": build_fact("rules_over", "Stint", "Harl", standing=Standing.DISPUTED),
    "leads": build_fact(
        "leads", "Hester", "The Tollers", statement="Hester leads the Tollers in all things."
    ),
    "never": build_fact("sleeps", "Wenna", statement="Wenna sleeps only when the tide is out."),
    "promised": build_fact(
        "promised",
        "Stint",
        statement="Stint promised sixty silver for the bell.",
        kind=FactKind.COMMITMENT,
    ),
    "future": build_fact("ally_of", "Ivo", "Mara", valid_from=5_000),
    "undone": build_fact("ally_of", "Ivo", "Hester", status=FactStatus.RETCONNED),
}
NAMES = {fact.id: name for name, fact in FACTS.items()}

CASES = [
    # --- canon says so ---
    ("Is Tam dead?", "certain", "tam_dead"),
    ("Did Tam die?", "certain", "tam_dead"),
    ("Is Wenna alive?", "certain", "wenna_lives"),
    ("Is Wenna Pike still alive?", "certain", "wenna_lives"),
    ("Is Hester in the chapel?", "certain", "hester_chapel"),
    ("Is the Warden at the Tally Chapel?", "certain", "hester_chapel"),
    ("Is the chapel where Hester is?", "even", ""),
    ("Is Mara in Harl?", "certain", "mara_inn inn_harl"),
    ("Does Ivo have the ledger?", "certain", "ledger_ivo"),
    ("Does the Black Ledger belong to Ivo?", "certain", "ledger_ivo"),
    ("Is the ledger Ivo's?", "certain", "ledger_ivo"),
    ("Is Hester Tam's mother?", "certain", "hester_mother"),
    ("Is Tam a son of Hester?", "certain", "hester_mother"),
    ("Is Stint a member of the Company?", "certain", "stint_company"),
    ("Does Hester belong to the Tollers?", "certain", "hester_tollers"),
    ("Are the Tollers and the Company enemies?", "certain", "feud"),
    ("Is the Company an enemy of the Tollers?", "certain", "feud"),
    ("Is Mara Wenna's friend?", "certain", "wenna_mara"),
    ("Has Gil met Ivo?", "certain", "ivo_met"),
    ("Did Ivo meet Gil?", "certain", "ivo_met"),
    ("Is Gil missing?", "certain", "gil_missing"),
    ("Is @Gil really missing now?", "certain", "gil_missing"),
    ("Is Ivo's mood grim?", "very likely", "grim"),
    ("Is Mara half-deaf?", "certain", ""),
    ("Is Mara's hp 7?", "certain", ""),
    ("Am I half-deaf?", "certain", ""),
    ("Am I here?", "certain", "mara_inn"),
    # --- it rules it out ---
    ("Is Tam alive?", "impossible", "tam_dead"),
    ("Is Wenna dead?", "impossible", "wenna_lives"),
    ("Is Oram alive?", "impossible", ""),
    ("Is the Company an ally of the Tollers?", "impossible", "feud"),
    ("Are Gil and Ivo friends?", "impossible", "gil_ivo"),
    ("Is Mara Wenna's enemy?", "impossible", "wenna_mara"),
    ("Is Mara wounded?", "impossible", "mara_unhurt"),
    ("Is Hester in the inn?", "very unlikely", "hester_chapel"),
    ("Is Hester here?", "very unlikely", "hester_chapel"),
    ("Is Mara on the Ribs?", "very unlikely", "mara_inn"),
    ("Does Stint own the inn?", "very unlikely", "wenna_inn"),
    ("Is the Bell in Harl?", "very unlikely", "bell_was"),
    # --- hearsay ---
    ("Does Ivo serve the Tollers?", "likely", "rumour"),
    ("Does Stint know Mara?", "unlikely", "lie"),
    ("Does Stint rule over Harl?", "even", "disputed"),
    # --- the dead do not act ---
    ("Will Tam help Hester?", "impossible", "tam_dead"),
    ("Does Tam know who opened the gate?", "impossible", "tam_dead"),
    ("Is Tam walking on the Ribs?", "impossible", "tam_dead"),
    ("Can Oram hear us?", "impossible", ""),
    ("Is Tam buried in Harl?", "even", ""),
    ("Is Tam here?", "even", ""),
    ("Will Tam be remembered?", "even", ""),
    ("Does Tam's ghost walk?", "even", ""),
    ("Did Tam know Gil?", "even", ""),
    ("Will Hester bury Tam?", "even", ""),
    # --- what stands between two ---
    ("Will Wenna help Mara?", "likely", "wenna_mara"),
    ("Would Wenna protect me?", "likely", "wenna_mara"),
    ("Does Wenna trust Mara with the key?", "likely", "wenna_mara"),
    ("Will Wenna betray Mara?", "unlikely", "wenna_mara"),
    ("Will Gil help Ivo?", "unlikely", "gil_ivo"),
    ("Will Gil attack Ivo?", "likely", "gil_ivo"),
    ("Will Stint help Hester?", "unlikely", "feud stint_company hester_tollers"),
    ("Will Gil help Wenna?", "even", ""),  # a debt is not much
    ("Will Stint help Gil?", "even", ""),
    ("Did Gil attack Ivo?", "even", ""),
    ("Will Gil watch Ivo?", "even", ""),
    # --- the very words ---
    ("Does Hester lead the Tollers?", "very likely", "leads"),
    ("Did Stint promise sixty silver?", "very likely", "promised"),
    ("Does Wenna sleep?", "even", ""),
    ("Does Hester lead Stint?", "even", ""),
    # --- canon is silent, or the question is none for it ---
    ("Is Gil in the inn?", "even", ""),  # the inn is in Harl, and so is he
    ("Is Ivo in the chapel?", "even", ""),
    ("Was Mara in the chapel?", "even", ""),
    ("Will Mara be in the chapel?", "even", ""),
    ("Did Mara meet Gil?", "even", ""),
    ("Does Mara know Wenna?", "even", ""),
    ("Is Mara tired?", "even", ""),
    ("Is Hester in the Tollers?", "even", ""),
    ("Is Ivo an ally of Mara?", "even", ""),  # not yet
    ("Is Ivo an ally of Hester?", "even", ""),  # never
    ("Is the clerk dead?", "even", ""),  # there are two
    ("Is the door locked?", "even", ""),
    ("Is somebody following us?", "even", ""),
    ("Isn't Hester in the chapel?", "even", ""),
    ("Is Hester not in the chapel?", "even", ""),
    ("Is Gil no longer missing?", "even", ""),
    ("Is Hester in the chapel or the inn?", "even", ""),
    ("Where is Hester?", "even", ""),
    ("Who is Tam's mother?", "even", ""),
    ("Tam?", "even", ""),
    ("", "even", ""),
]


WORDS = (
    "is isn't does will did has who or not Mara Tam the Warden inn in of help attack 's dead alive "
    "met enemy here me and missing ? : \u202e {subject} é ١"
)


def ask(question: str) -> LikelihoodSuggestion:
    return suggest_likelihood(
        question, ENTITIES, FACTS.values(), CATALOGUE, tick=NOW, pc_id="Mara", place_id="The Slack Tide"
    )


def cited(suggestion: LikelihoodSuggestion) -> list[str]:
    return list(dict.fromkeys(NAMES[fact.id] for reason in suggestion.reasons for fact in reason.facts))


@pytest.mark.parametrize(("question", "likelihood", "facts"), CASES)
def test_likelihood_follows_canon(question: str, likelihood: str, facts: str) -> None:
    suggestion = ask(question)
    assert (suggestion.likelihood, cited(suggestion)) == (likelihood, facts.split())


@pytest.mark.parametrize(("question", "likelihood", "facts"), CASES)
def test_likelihood_reasons_are_shown_and_cite_facts(question: str, likelihood: str, facts: str) -> None:
    suggestion = ask(question)
    assert suggestion.reasons
    assert suggestion.text == f"{likelihood}: {'; '.join(reason.text for reason in suggestion.reasons)}"
    for reason in suggestion.reasons:
        assert all(fact.statement in reason.text for fact in reason.facts)
        on_the_sheet = "the sheet of" in reason.text
        assert reason.facts or on_the_sheet or reason.likelihood is Likelihood.EVEN


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is Hester here?", "very unlikely: canon says otherwise: “Hester is in The Tally Chapel.”"),
        ("Will Oram help?", "impossible: the dead do not act: the sheet of Oram says so"),
        ("Will Wenna help me?", "likely: between them +3: Wenna and Mara are allies."),
        ("Is the Bell in Harl?", "very unlikely: it is no longer true: “The Bell is in Harl.”"),
        ("Is Mara half-deaf?", "certain: the sheet of Mara says: half-deaf"),
        ("Is Mara tired?", "even: canon is silent"),
        ("How many moved the bell?", "even: it asks for more than yes or no; /howmuch says how much"),
        ("To whom does Gil belong?", "even: it asks for more than yes or no; /spark gives words to build on"),
        ("When I come in, is Hester there?", "even: canon is silent"),
        ("Is the bell with Gil or with Mara?", "even: it asks for one of two: ask for each"),
        ("Is Mara tired or so?", "even: canon is silent"),
        ("Isn't Tam dead?", "even: it is put in the negative: ask it the other way round"),
    ],
)
def test_likelihood_suggestion_has_text(question: str, text: str) -> None:
    assert ask(question).text == text


def test_likelihood_of_contradiction_is_even() -> None:
    facts = [build_fact("ally_of", "Gil", "Mara"), build_fact("enemy_of", "Gil", "Mara")]
    suggestion = suggest_likelihood("Is Gil an ally of Mara?", ENTITIES, facts, CATALOGUE)
    assert (suggestion.likelihood, len(suggestion.reasons)) == (Likelihood.EVEN, 2)


def test_likelihood_reads_sentence_of_user_predicate() -> None:
    catalogue = read_catalogue(
        'haunts:\n  statement: "{subject} haunts {object}."\n  excludes: [avoids]\n'
        'avoids:\n  statement: "{subject} avoids {object}."\n'
        'sworn:\n  cardinality: one\n  statement: "{subject} is sworn to {object}."\n'
    )
    facts = [
        build_fact("haunts", "Tam", "The Ribs", statement="Tam haunts the Ribs."),
        build_fact("sworn", "Gil", "Ivo", statement="Gil is sworn to Ivo."),
    ]

    def likelihood(question: str) -> Likelihood:
        return suggest_likelihood(question, ENTITIES, facts, catalogue).likelihood

    assert likelihood("Does Tam haunt the causeway?") is Likelihood.CERTAIN
    assert likelihood("Does Tam avoid the causeway?") is Likelihood.IMPOSSIBLE
    assert likelihood("Is Gil sworn to Stint?") is Likelihood.VERY_UNLIKELY
    assert likelihood("Does Gil haunt the causeway?") is Likelihood.EVEN


def test_likelihood_uses_facts_of_the_time() -> None:
    facts = [
        build_fact("located_in", "Gil", "The Ribs", valid_from=0, valid_to=100, status=FactStatus.SUPERSEDED),
        build_fact("located_in", "Gil", "The Tally Chapel", valid_from=100),
    ]

    def likelihood(tick: int) -> Likelihood:
        return suggest_likelihood("Is Gil in the chapel?", ENTITIES, facts, CATALOGUE, tick=tick).likelihood

    assert (likelihood(50), likelihood(100)) == (Likelihood.VERY_UNLIKELY, Likelihood.CERTAIN)


def test_likelihood_of_facts_without_object_is_even() -> None:
    facts = [
        build_fact("located_in", "Gil", statement="Gil is far away."),
        build_fact("alive", "Ivo", statement="Ivo lives well."),
    ]
    for question in ("Is Gil in the chapel?", "Is Ivo dead?", "Is Ivo alive?"):
        assert suggest_likelihood(question, ENTITIES, facts, CATALOGUE).likelihood is Likelihood.EVEN


def test_likelihood_survives_places_inside_each_other() -> None:
    facts = [build_fact("located_in", "Harl", "The Ribs"), build_fact("located_in", "The Ribs", "Harl")]
    assert (
        suggest_likelihood("Is Harl in the chapel?", ENTITIES, facts, CATALOGUE).likelihood
        is Likelihood.VERY_UNLIKELY
    )


@given(
    st.lists(
        st.sampled_from(WORDS.split()),
        max_size=9,
    ).map(" ".join)
)
def test_likelihood_is_deterministic(question: str) -> None:
    assert ask(question) == ask(question)


@given(st.text(max_size=80))
def test_likelihood_answers_any_text(question: str) -> None:
    assert ask(question).reasons


@pytest.mark.parametrize(
    "words",
    [
        "serve serves served",
        "promise promises promised",
        "enemy enemies",
        "carry carries carried",
        "die dies died",
        "own owns owned",
        "meet meets met",
        "boss",
    ],
)
def test_question_stem_ignores_endings(words: str) -> None:
    assert len(set(map(stem, words.split()))) == 1


@given(st.permutations(list(FACTS.values())), st.sampled_from(CASES))
def test_likelihood_ignores_order_of_facts(facts: list[Fact], case: tuple[str, str, str]) -> None:
    suggestion = suggest_likelihood(
        case[0], ENTITIES, facts, CATALOGUE, tick=NOW, pc_id="Mara", place_id="The Slack Tide"
    )
    assert suggestion.likelihood == case[1]
