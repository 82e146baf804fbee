"""The rulings that a conflict allows, in plain words, with what has to be typed for each. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agents.canon_keeper.conflicts.ruling_service import FactConflict
from agents.services.commit_preview import format_typed_moment
from agents.views.conflict_views import RulingOption, RulingOptionName, RulingVariant
from stores.records.canon import Standing
from stores.records.workflow import RulingKind
from stores.records.world import Calendar

CHECK_DESCRIPTIONS: Final[Mapping[str, str]] = {
    "one_value": "only one of the two can hold at a time",
    "exclusive": "the two exclude each other",
    "irreversible": "it cannot be undone by time alone",
    "dead_do_not_act": "the dead do not act",
    "absent_do_not_act": "the absent do not act",
    "not_yet_born": "nobody acts before being born",
    "two_places": "nobody is in two places at once",
    "effect_before_cause": "a cause comes before its effect",
    "no_such_cause": "its cause was retconned",
    "breaks_axiom": "a rule of this world",
    "no_such_encounter": "no such meeting is on record",
    "no_such_assertion": "no such words are on record",
    "same_name": "a known name",
    "alike": "a similar name",
    "sentences": "two sentences cannot both be true",
    "model_doubt": "the model doubts that both can be true",
    "unwritable": "it cannot be written",
}
"""The checks, by what they guard."""

RULING_KINDS: Final[Mapping[RulingOptionName, RulingKind]] = {
    "new": RulingKind.FROM_NOW,
    "never": RulingKind.NEW,
    "old": RulingKind.OLD,
    "both": RulingKind.BOTH,
    "until": RulingKind.BOUNDED,
    "split": RulingKind.SPLIT,
}

VERDICT_OPTIONS: Final = (
    RulingOption("accept", "The new one is accepted all the same: the next commit writes it to canon."),
    RulingOption("reject", "The new one is rejected: canon stays as it is."),
)
"""The options for a conflict that no ruling can settle."""

_HEARSAY_STANDINGS: Final = (
    (Standing.RUMOUR, "only a rumour"),
    (Standing.LIE, "a lie"),
    (Standing.DISPUTED, "disputed"),
)


def list_ruling_options(
    fact_conflict: FactConflict, calendar: Calendar, current_tick: int | None
) -> tuple[RulingOption, ...]:
    """Return the rulings for two statements, or plain verdicts if there are none.

    What would have somebody live again is never the first.
    """
    claim_start = fact_conflict.claim.valid_from
    start_tick = claim_start if claim_start is not None else current_tick
    suggested_moment = "" if start_tick is None else format_typed_moment(calendar, start_tick)
    is_old_proposed = fact_conflict.other_proposal is not None
    old_goes = "is rejected" if is_old_proposed else "leaves it as never true"
    old_stays = "becomes canon" if is_old_proposed else "stays as it is"
    all_options = (
        RulingOption(
            "new",
            "The new one is true from a time you give; the old one was until then.",
            (),
            "time",
            suggested_moment,
        ),
        RulingOption("never", f"The new one becomes canon; the old one {old_goes}."),
        RulingOption("old", f"The old one {old_stays}; the new one is rejected."),
        RulingOption(
            "both",
            "Both are kept, one of them only as hearsay: you say which.",
            tuple(_list_hearsay_choices()),
        ),
        RulingOption(
            "until",
            "Both are true, each at its own time: you say when one ends.",
            tuple(_list_sequence_choices(fact_conflict, suggested_moment, calendar)),
            "time",
            suggested_moment,
        ),
        RulingOption(
            "split",
            "Both are true, of two things with one name: you name the other.",
            tuple(_list_split_choices(fact_conflict)),
            "name",
        ),
    )
    options = [option for option in all_options if RULING_KINDS[option.name] in fact_conflict.rulings]
    if fact_conflict.conflict.check_name == "dead_do_not_act" and fact_conflict.other.predicate == "alive":
        options.sort(key=lambda option: option.name != "old")
    return tuple(options) or VERDICT_OPTIONS


def list_entity_options(new_name: str, known_name: str) -> tuple[RulingOption, ...]:
    """Return the rulings for two entities with similar names."""
    is_same_name = new_name.casefold() == known_name.casefold()
    new_words = "the new one" if is_same_name else new_name
    other_name = "" if is_same_name else f", whom it calls {new_name} too"
    return (
        RulingOption(
            "same", f"They are the same: what is said of {new_words} goes to {known_name}{other_name}."
        ),
        RulingOption("different", f"They are different: {new_words} stays proposed, beside {known_name}."),
        *VERDICT_OPTIONS[1:],
    )


def _list_hearsay_choices() -> Iterator[RulingVariant]:
    for standing, standing_text in _HEARSAY_STANDINGS:
        yield RulingVariant(f"The new one is {standing_text}; the old one is true.", "new", standing)
    for standing, standing_text in _HEARSAY_STANDINGS:
        yield RulingVariant(f"The old one is {standing_text}; the new one is true.", "old", standing)


def _list_sequence_choices(
    fact_conflict: FactConflict, suggested_moment: str, calendar: Calendar
) -> Iterator[RulingVariant]:
    yield RulingVariant(
        "The old one was true first, and then the new one.", "old", suggested=suggested_moment
    )
    other_start = fact_conflict.other.valid_from
    other_start_text = "" if other_start is None else format_typed_moment(calendar, other_start)
    yield RulingVariant(
        "The new one was true first, and then the old one.",
        "new",
        suggested=other_start_text or suggested_moment,
    )


def _list_split_choices(fact_conflict: FactConflict) -> Iterator[RulingVariant]:
    for entity_id, name in fact_conflict.shared.items():
        suggested_name = f"another {name}"
        yield RulingVariant(
            f"The new one is about another {name}, whom you name.",
            "new",
            entity_id=entity_id,
            suggested=suggested_name,
        )
        yield RulingVariant(
            f"The old one is about another {name}, whom you name.",
            "old",
            entity_id=entity_id,
            suggested=suggested_name,
        )
