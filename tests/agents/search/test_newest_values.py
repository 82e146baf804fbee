"""Where a question asks how something is now, the turns on that matter come first, the newest at the top."""

from __future__ import annotations

from agents.search.newest_values import put_newest_first
from agents.search.question_cues import read_cues
from agents.search.score_fusion import rank_ids
from agents.search.turn_ranking import TurnCandidate
from tests.widgets.samples import turn

BEFORE = "The statue of Saint Brannock stands in Fish Square."
AFTER = "The statue of Saint Brannock stands in the apothecary's yard."
OTHER = "Somebody in the square sells fish."


def rank(question: str, *texts: str) -> tuple[list[int], list[int]]:
    """Return the places of the texts (from 0, in the order of play) as ranked, and of those that are earlier."""
    turns = [turn(n, text=text) for n, text in enumerate(texts)]
    candidates = {one.id: TurnCandidate.from_turn(one, "") for one in turns}
    scores = {one.id: {"words": 1.0 - n / 10} for n, one in enumerate(turns)}
    earlier = put_newest_first(scores, candidates, read_cues(question))
    ids = [one.id for one in turns]
    return [ids.index(id) for id in rank_ids(scores)], sorted(ids.index(id) for id in earlier)


def test_newest_value_of_what_is_asked_now_comes_first_and_the_others_are_earlier() -> None:
    ranked, earlier = rank("Where does the statue of Saint Brannock stand now?", BEFORE, OTHER, AFTER)
    assert ranked == [2, 0, 1]
    assert earlier == [0]


def test_newest_value_does_not_lead_where_the_past_is_asked_for_or_nothing_is() -> None:
    for text in (
        "Where did the statue of Saint Brannock stand?",
        "The statue of Saint Brannock now stands there.",
    ):
        assert rank(text, BEFORE, OTHER, AFTER) == ([0, 1, 2], [])
