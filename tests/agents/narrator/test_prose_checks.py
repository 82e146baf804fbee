"""Tests of the prose checks against dice, record, lines and veils."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.narrator.prose_checks import (
    ProseCheckInput,
    ProseFindingKind,
    Severity,
    build_prose_check_input,
    check_prose,
    find_unfounded_claims,
    needs_rewrite,
    rewrite_note,
)
from agents.personas.narrator_brief import NarratorBrief
from tests.agents.narrator.context_packages import (
    LORNE,
    MARA,
    SELLA,
    STORY,
    TAM,
    alternate_turns,
    build_package,
)
from tests.agents.narrator.prose_cases import CASES, ProseCase
from tests.contract import builders as make

TALK = ("I look round.", "The yard is wet and the bell hangs still.")
WORDS = "Where is the bell? I ask."


def check_input_of(**fields: object) -> ProseCheckInput:
    brief = NarratorBrief(player_text=WORDS, lines_and_veils=STORY.lines_and_veils)
    return build_prose_check_input(build_package(turns=alternate_turns(*TALK), **fields), brief)  # type: ignore[arg-type]


def has_finding(case: ProseCase) -> bool:
    return any(f.kind is case.kind for f in check_prose(case.text, check_input_of()))


def test_prose_checks_take_a_claim_of_one_talk_for_no_record_of_another() -> None:
    """What the player claims to have heard of Tam is no evidence of what Sella claims to have heard."""
    turns = alternate_turns("“Old Tam, you told me yesterday where the key is.”", TALK[1])
    brief = NarratorBrief(player_text="I sit down.", lines_and_veils="")
    prose = "“You said yesterday that you would marry in spring, as you told me then,” says Sella Brand."
    (finding,) = check_prose(prose, build_prose_check_input(build_package(turns=turns), brief))
    assert finding.reason == "No such words between Sella Brand and the player's character are on record."


@pytest.mark.parametrize(
    "case", [c for c in CASES if not c.is_faulty], ids=lambda c: f"{c.kind}: {c.text[:40]}"
)
def test_prose_checks_accept_innocent_prose(case: ProseCase) -> None:
    assert not has_finding(case), check_prose(case.text, check_input_of())


def test_prose_checks_find_faults_without_false_alarms(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hits, misses, alarms = (
        Counter[ProseFindingKind](),
        Counter[ProseFindingKind](),
        Counter[ProseFindingKind](),
    )
    missed_faults = []
    for case in CASES:
        is_reported = has_finding(case)
        hits[case.kind] += is_reported and case.is_faulty
        alarms[case.kind] += is_reported and not case.is_faulty
        misses[case.kind] += case.is_faulty and not is_reported
        missed_faults += [case.text] if case.is_faulty and not is_reported else []
    with capsys.disabled():
        print()
        for kind in dict.fromkeys(case.kind for case in CASES):
            precision = hits[kind] / max(1, hits[kind] + alarms[kind])
            recall = hits[kind] / max(1, hits[kind] + misses[kind])
            print(f"{kind:<24} precision {precision:4.0%}  recall {recall:4.0%}")
    assert not any(alarms.values())
    assert sum(hits.values()) >= 0.95 * sum(case.is_faulty for case in CASES), missed_faults


def test_prose_finding_quotes_words_and_gives_reason() -> None:
    text = "The gate is high. “Good to see you again,” says Old Tam. Lorne nods."
    findings = check_prose(text, check_input_of())
    assert {f.kind for f in findings} == {ProseFindingKind.INVENTED_MEETING, ProseFindingKind.DEAD}
    assert all(f.quoted_text in text for f in findings)
    assert needs_rewrite(findings)
    assert "Lorne is dead" in rewrite_note(findings)


def test_prose_checks_let_undead_act() -> None:
    lorne = LORNE.model_copy(update={"tags": ("dead", "undead")})
    scene = build_package()
    cast = tuple(
        p if p.entity.id != LORNE.id else type(p)(lorne, p.state, p.is_here, p.is_dead)
        for p in scene.canonical.cast
    )
    canonical = type(scene.canonical)(cast=cast)
    walking = type(scene)(scene=scene.scene, canonical=canonical)
    assert not check_prose(
        "Lorne nods and hands you the key.", build_prose_check_input(walking, NarratorBrief())
    )


def test_prose_checks_let_namesake_of_dead_act() -> None:
    tib = make.entity("Tib Lorne")
    scene = build_package()
    present_person = type(scene.canonical.cast[0])(tib, scene.canonical.cast[0].state)
    scene_with_both = type(scene)(
        scene=scene.scene, canonical=type(scene.canonical)(cast=(*scene.canonical.cast, present_person))
    )
    assert not check_prose(
        "Lorne nods at you from the door.", build_prose_check_input(scene_with_both, NarratorBrief())
    )


def test_prose_checks_find_repetition_of_earlier_turns() -> None:
    before = (
        "The rain comes down on the slates and the bell hangs still "
        "over the wet yard while nobody moves at all."
    )
    repeated_text = before + " A door shuts somewhere."
    new_text = (
        "Behind the shutters a lamp is lit. Somebody coughs. Over the wet yard "
        "the smoke hangs low, and nobody is to be seen at the well now."
    )
    check_input = ProseCheckInput(recent_turns=("Something else.", before))
    (finding,) = check_prose(repeated_text, check_input)
    assert (finding.kind, finding.severity) == (ProseFindingKind.REPEATS, Severity.REWRITE)
    assert "%" in finding.reason
    assert not check_prose(new_text, check_input)


def test_prose_checks_find_prompt_echo_and_loops() -> None:
    echo = "## The story\n<data>\nThe Lamp\n</data>"
    assert ProseFindingKind.ECHOES in {f.kind for f in check_prose(echo, ProseCheckInput())}
    circle = "The door is shut and the rain falls on it. " * 8
    assert [f.kind for f in check_prose(circle, ProseCheckInput())] == [ProseFindingKind.REPEATS]
    assert not check_prose(
        "The # of doors is odd. “No, no, no, no, no, no, no,” she says, and shuts one.", ProseCheckInput()
    )


@pytest.mark.parametrize(("text", "rewrite"), [("", True), ("...", True), ("It opens.", False)])
def test_prose_checks_reject_empty_prose_and_warn_of_short(text: str, rewrite: bool) -> None:
    findings = check_prose(text, ProseCheckInput())
    assert [f.kind for f in findings] == [ProseFindingKind.EMPTY]
    assert needs_rewrite(findings) is rewrite


def test_prose_checks_warn_of_line_that_player_typed() -> None:
    check_input_of_typed_line = build_prose_check_input(
        build_package(), NarratorBrief(player_text="I crush the spider.", lines_and_veils="spiders")
    )
    (finding,) = check_prose(
        "The spider crunches under your boot, and that is that.", check_input_of_typed_line
    )
    assert finding.severity is Severity.WARN


def test_prose_checks_warn_of_veil_and_rewrite_line() -> None:
    (finding,) = check_prose("They torture him until dawn, and you hear it all.", check_input_of())
    assert (finding.kind, finding.severity) == (ProseFindingKind.LINE, Severity.WARN)


# --- what the player takes for granted ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("I remind Old Tam of his promise.", None),
        ("As you told me yesterday, Tam, the bell is cracked.", "No earlier meeting of Mara and Old Tam"),
        ("“Tam, remember when we rowed out?”", "No earlier meeting of Mara and Old Tam"),
        ("I ask Lorne about the key.", "Lorne is dead"),
        ("I search Lorne for the key.", None),
        ("I ask Joss for a boat.", "Joss is not here"),
        ("I ask Sella about the time we last met.", None),
        ("Sella, you promised me a boat last week.", "no such words between Mara and Sella Brand"),
        ("I ask Tam whether we have met.", None),
        ("I never met you before, Tam.", None),
    ],
)
def test_premise_check_finds_unfounded_claims(words: str, says: str | None) -> None:
    lines = find_unfounded_claims(words, build_package(turns=alternate_turns(*TALK)))
    assert (not lines) if says is None else says in lines[0]


def test_premise_check_accepts_what_is_on_record() -> None:
    promise = make.fact("Sella Brand promised Mara a boat.", SELLA)
    words = "Sella, you promised me a boat last week."
    assert not find_unfounded_claims(
        words, build_package(commitments=(promise,), turns=alternate_turns(*TALK))
    )


def test_premise_check_knows_kin_and_old_friends() -> None:
    kin = make.relation(TAM, "sibling_of", MARA)
    text = "“When we last met you had two boots,” Tam says."
    assert check_prose(text, check_input_of())
    assert not check_prose(text, check_input_of(relations=(kin,)))


@settings(deadline=None)
@given(st.text(max_size=600))
def test_prose_checks_survive_any_text(text: str) -> None:
    for finding in check_prose(text, check_input_of()):
        assert "\n" not in finding.reason
