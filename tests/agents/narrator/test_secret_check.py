"""A telling that lets somebody use a secret that they may not know is warned about, and nothing else is."""

from __future__ import annotations

import pytest

from agents.narrator.prose_checks import ProseCheckInput, ProseFindingKind, Severity, check_prose
from agents.narrator.secret_check import WatchedSecret
from agents.search.question_cues import content_stems

SECRET = WatchedSecret(
    statement="Vess opened the sluice.",
    stems=frozenset(content_stems("opened the sluice")),
    subject_names=("Vess",),
    knowers=(("Vess",),),
    others=(("Bela",), ("Old Tam", "Tam")),
)
HALL = "The rain drums on the roof of the hall, and the lamps burn low. "


def warned_names(text: str, player_text: str = "I wait.") -> list[str]:
    check_input = ProseCheckInput(player_text=player_text, player_names=("Mara",), watched_secrets=(SECRET,))
    findings = [f for f in check_prose(HALL + text, check_input) if f.kind is ProseFindingKind.SECRET]
    assert all(f.severity is Severity.WARN and SECRET.statement in f.reason for f in findings)
    return [f.reason.removesuffix(f" may not know that secret: {SECRET.statement}") for f in findings]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('"It was Vess who opened the sluice," says Bela.', "Bela"),
        ("“She opened the sluice that night,” says Tam and points at Vess.", "Old Tam"),
        ("Bela tells you that Vess opened the sluice.", "Bela"),
        ("Old Tam knows that Vess opened the sluice.", "Old Tam"),
        ('"Vess was the one at the gate. Vess opened the sluice," Bela says.', "Bela"),
        ("“Ask her what she does at night,” says Bela. “Vess opened the sluice.”", "Bela"),
    ],
)
def test_secret_told_by_somebody_who_may_not_know_it_is_warned_about(text: str, name: str) -> None:
    assert warned_names(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        '"I opened the sluice," says Vess.',
        '"I opened the sluice," says Vess. "You opened the sluice," says Bela slowly.',
        "Vess tells Bela that she opened the sluice.",
        '"Open the sluice!" shouts Bela.',
        '"You must open the sluice before dawn, Vess," says Bela.',
        '"Who opened the sluice?" asks Bela.',
        '"Vess never opened the sluice," says Bela.',
        '"If she opened the sluice, God help us," says Tam.',
        '"The sluice is older than the hall," says Bela.',
        "Bela says nothing. The sluice has opened by itself.",
        "Vess looks at the open sluice.",
        '"They say that the door opened by itself," says Tam.',
    ],
)
def test_secret_is_no_leak_if_it_is_known_asked_denied_or_other_words(text: str) -> None:
    assert warned_names(text) == []


def test_secret_that_the_player_typed_is_no_leak() -> None:
    assert warned_names('"So Vess opened the sluice," says Bela.', "I shout: Vess opened the sluice!") == []
