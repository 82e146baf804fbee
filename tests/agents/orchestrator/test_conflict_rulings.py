"""The bench at the table: cases in plain words, rulings with their terms, house rules, things taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agents.events import CanonCommitted, Event, ProposalsChanged
from agents.views.conflict_views import ProposalConflict, RulingOptionName, RulingRequest
from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import InputError
from stores.queries import FactQuery
from stores.records.canon import FactStatus, Standing
from stores.records.ids import Id
from stores.records.workflow import KindRule, ProposalStatus, Verdict
from tests.examples import first_few
from tests.program import begin, opened

ALLIES = ("/npc Tom: the keeper", "/npc Ann: the miller", "/commit", "/fact Tom ally_of Ann", "/commit")
AT_ODDS = (*ALLIES, "I wait.", "/time +3h", "/fact Tom enemy_of Ann")


async def played(program: Program, lines: Sequence[str]) -> Id:
    scene_id = await begin(program)
    for line in lines:
        await program.services.play.submit(scene_id, line)
    return scene_id


async def held(program: Program, scene_id: Id) -> ProposalView:
    (row,) = [p for p in (await program.services.play.scene(scene_id)).proposals if p.conflicts]
    return row


async def the_case(program: Program, scene_id: Id) -> ProposalConflict:
    (case,) = (
        await program.services.conflicts.read_conflicts((await held(program, scene_id)).proposal.id)
    ).conflicts
    return case


async def ruling(program: Program, scene_id: Id, way: RulingOptionName, **terms: object) -> RulingRequest:
    row, case = await held(program, scene_id), await the_case(program, scene_id)
    return replace(RulingRequest(row.proposal.id, case.against, way), **terms)  # type: ignore[arg-type]


async def truths(program: Program, scene_id: Id) -> list[tuple[str, Standing]]:
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe_id)
    return [(f.statement, f.standing) for f in facts if f.predicate in ("ally_of", "enemy_of")]


async def test_conflict_both_sides_are_said_with_standing_time_authority_and_place(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, AT_ODDS)
        case = await the_case(program, scene_id)
        assert case.old is not None
        assert case.check == "the two exclude each other"
        assert (case.new.text, case.old.text) == ("Tom and Ann are enemies.", "Tom and Ann are allies.")
        assert (case.new.standing, case.old.standing) == ("proposed", "in canon")
        assert case.new.authority == "your word"
        assert (case.new.when, case.old.when) == ("from Day 1, 11:01", "from Day 1, 08:00")
        assert "Tom ally_of Ann" in [basis.evidence.quote for basis in case.old.evidence]
        assert "The yard" in "".join(basis.place for basis in case.new.evidence)
        assert [way.name for way in case.options] == ["new", "never", "old", "both", "until", "split"]
        assert case.options[0].suggested == "Day 1, 11:01"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "terms", "left", "told"),
    first_few(
        [
            ("new", {}, [("enemies", "true")], ["+ Tom and Ann are enemies.", "− Tom and Ann are allies."]),
            ("new", {"when": "day 1 10:00"}, [("enemies", "true")], ["until Day 1, 10:00"]),
            ("never", {}, [("enemies", "true")], ["✗ Tom and Ann are allies.  was never true"]),
            ("old", {}, [("allies", "true")], ["✗ Tom and Ann are enemies.  is rejected"]),
            ("both", {}, [("allies", "true"), ("enemies", "rumour")], ["as a rumour"]),
            (
                "both",
                {"yielding": "old", "standing": Standing.DISPUTED},
                [("allies", "disputed"), ("enemies", "true")],
                ["disputed"],
            ),
            ("until", {"when": "now"}, [("enemies", "true")], ["until Day 1, 11:01"]),
            (
                "split",
                {"yielding": "old", "name": "Old Tom"},
                [("Old Tom and Ann are allies.", "true"), ("enemies", "true")],
                ["+ Old Tom  a new character"],
            ),
        ]
    ),
)
async def test_conflict_ruling_does_what_was_foreseen_of_it(
    tmp_path: Path,
    way: RulingOptionName,
    terms: dict[str, object],
    left: list[tuple[str, str]],
    told: list[str],
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, AT_ODDS)
        words = await ruling(program, scene_id, way, **terms)
        before = await truths(program, scene_id)
        foreseen = await program.services.conflicts.preview_ruling(words)
        assert await truths(program, scene_id) == before
        ruled = await program.services.conflicts.make_ruling(words)
        assert [line.partition(":")[0] for line in foreseen[:2]] == ["New", "Old"]
        says_at_once = "written to canon at once" in foreseen[-1]
        assert says_at_once is (way != "old")
        side_effects = foreseen[2:-1] if says_at_once else foreseen[2:]
        assert set(side_effects) <= set(ruled.lines)
        assert all(piece in "\n".join(ruled.lines) for piece in told), ruled.lines
        assert ruled.remaining_count == 0
        after = sorted(await truths(program, scene_id))
        assert len(after) == len(left)
        for (statement, standing), (piece, wanted) in zip(after, sorted(left), strict=True):
            assert piece in statement
            assert standing == wanted

        view = await program.services.play.scene(scene_id)
        assert [p.title for p in view.proposals if p.conflicts] == []
        (record,) = await program.services.conflicts.list_rulings(view.universe.id)
        assert (record.new_title, record.old_title, record.decided_by) == (
            "Tom and Ann are enemies.",
            "Tom and Ann are allies.",
            "you",
        )
        # The same pair never asks again, in whatever words.
        await program.services.play.submit(scene_id, "/fact Tom enemy_of Ann")
        again = (await program.services.play.scene(scene_id)).proposals[-1]
        assert again.conflicts == ()


async def test_ruling_lapses_when_canon_has_changed_since(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play, conflicts = program.services.play, program.services.conflicts
        scene_id = await played(program, AT_ODDS)
        await conflicts.make_ruling(await ruling(program, scene_id, "new"))
        assert await truths(program, scene_id) == [("Tom and Ann are enemies.", Standing.TRUE)]
        reply = await play.submit(scene_id, "/fact Tom ally_of Ann")
        assert any("You resolved this before" in line for line in reply.lines), "nothing has changed since"
        assert reply.suggested_line is not None
        await play.submit(scene_id, reply.suggested_line)
        await play.submit(scene_id, "/commit")
        assert ("Tom and Ann are allies.", Standing.TRUE) in await truths(program, scene_id)
        reply = await play.submit(scene_id, "/fact Tom enemy_of Ann")
        assert not any("You resolved this before" in line for line in reply.lines)
        assert (await held(program, scene_id)).mark == "hold", "they fall out anew: that was not ruled on"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "terms", "why"),
    [
        ("new", {"when": "day 1 8:00"}, "began later than that"),
        ("new", {"when": "when the cock crows"}, "names no day"),
        ("until", {"when": "always"}, "from when it is true"),
        ("split", {"name": "  "}, "needs a name"),
        ("split", {"name": "TOM"}, "a name of its own"),
        ("split", {"name": "x" * 81}, "at most 80"),
        ("same", {}, "adds nobody"),
        ("both", {"standing": Standing.TRUE}, "rumour, a lie or disputed"),
    ],
)
async def test_terms_that_make_no_sense_are_refused_and_nothing_happens(
    tmp_path: Path, way: RulingOptionName, terms: dict[str, object], why: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, AT_ODDS)
        words = await ruling(program, scene_id, way, **terms)
        before = await truths(program, scene_id)
        for call in (program.services.conflicts.preview_ruling, program.services.conflicts.make_ruling):
            with pytest.raises(InputError, match=why):
                await call(words)
        universe_id = (await held(program, scene_id)).proposal.universe_id
        assert await program.services.conflicts.list_rulings(universe_id) == ()
        assert await truths(program, scene_id) == before


@pytest.mark.parametrize(("way", "place"), [("never", "Loft"), ("old", "Crypt")])
async def test_conflict_where_the_ruling_has_the_hero_is_where_play_goes_on(
    tmp_path: Path, way: RulingOptionName, place: str
) -> None:
    async with opened(tmp_path) as program:
        # A fact says where she is, and nothing of a move there.
        loft_fact = "/fact Mara located_in Loft"
        lines = ("/place Crypt: dark", "/place Loft: high", "/commit", "/go Crypt", "/commit", loft_fact)
        scene_id = await played(program, lines)
        assert (await program.services.play.scene(scene_id)).place == "Loft", "as long as it is staged"
        await program.services.conflicts.make_ruling(await ruling(program, scene_id, way))
        assert (await program.services.play.scene(scene_id)).place == place


async def test_conflict_two_of_one_name_are_shown_side_by_side_and_settled(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, (*ALLIES, "/npc here Tom: a stranger", "/fact Tom ally_of Mara"))
        case = await the_case(program, scene_id)
        assert case.old is not None
        assert (case.new.card, case.old.card) != (None, None)
        assert case.new.card is not None
        assert case.old.card is not None
        assert case.new.card.entity.description == "a stranger"
        assert case.old.card.entity.description == "the keeper"
        assert [r.fact.statement for _, _, r in case.old.card.relations] == ["Tom and Ann are allies."]
        assert [way.name for way in case.options] == ["same", "different", "reject"]

        same = await ruling(program, scene_id, "same")
        (line, *_) = await program.services.conflicts.preview_ruling(same)
        assert line.startswith("= “Tom” is Tom")
        await program.services.conflicts.make_ruling(same)
        view = await program.services.play.scene(scene_id)
        assert [e.name for e in await program.services.world.list_entities(view.universe.id, "Tom")] == [
            "Tom"
        ]
        assert [m.name for m in view.cast].count("Tom") == 1


async def test_conflict_told_apart_they_are_two_and_it_is_on_record(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, (*ALLIES, "/npc Tom: a stranger"))
        await program.services.conflicts.make_ruling(await ruling(program, scene_id, "different"))
        view = await program.services.play.scene(scene_id)
        row = view.proposals[-1]
        assert (row.mark, row.conflicts) == ("accept", ())
        await program.services.play.submit(scene_id, "/commit")
        assert len(await program.services.world.list_entities(view.universe.id, "Tom")) == 2
        (record,) = await program.services.conflicts.list_rulings(view.universe.id)
        assert (record.new_title, record.old_title, record.description) == (
            "Tom",
            "Tom",
            "they are different",
        )


async def test_conflict_what_no_ruling_can_settle_is_accepted_or_rejected(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, (*ALLIES, "/axiom The dead cannot speak", "/commit"))
        await program.services.play.submit(scene_id, "/fact Tom ally_of Ann")
        rows = (await program.services.play.scene(scene_id)).proposals
        innocent = rows[-1]
        docket = await program.services.conflicts.read_conflicts(innocent.proposal.id)
        assert docket.conflicts == ()


async def test_conflict_bench_tells_listeners_what_became_canon(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, AT_ODDS)
        events: list[Event] = []
        words = await ruling(program, scene_id, "never")
        program.services.events.subscribe(events.append)
        await program.services.conflicts.make_ruling(words)
        (done,) = [e for e in events if isinstance(e, CanonCommitted)]
        assert done.scene_id == scene_id
        assert len(done.fact_ids) == 1
        assert any(isinstance(e, ProposalsChanged) for e in events)


# --- the house ------------------------------------------------------------------------------------------


async def test_conflict_house_tells_rules_figures_and_offers(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, [f"/fact The gull number {n} has one red eye" for n in range(20)])
        rows = (await program.services.play.scene(scene_id)).proposals
        await program.services.gate.decide([r.proposal.id for r in rows], Verdict.ACCEPT)
        await program.services.play.submit(scene_id, "/commit")
        house = program.services.policy
        universe_id = rows[0].proposal.universe_id
        view = await house.read_policy(universe_id)
        assert [(k.kind, k.offered, k.accepted, k.decided) for k in view.offers] == [
            ("assert_fact", KindRule.ACCEPT, 20, 20)
        ]
        assert len([k for k in view.kinds if ":" not in k.kind]) == 10
        assert view.rules == ()

        assert await house.set_rule(universe_id, "Facts", KindRule.ACCEPT) == "assert_fact"
        assert await house.set_rule(universe_id, "state_change: hp", KindRule.REJECT) == "state_change:hp"
        view = await house.read_policy(universe_id)
        assert view.offers == ()
        assert [(k.kind, k.words, k.rule, k.by) for k in view.rules] == [
            ("assert_fact", "facts", KindRule.ACCEPT, "you"),
            ("state_change:hp", "numbers and tags (HP)", KindRule.REJECT, "you"),
        ]
        assert all(k.at.startswith("2026-") for k in view.rules)
        await house.set_rule(universe_id, "state_change:hp", None)
        assert [k.kind for k in (await house.read_policy(universe_id)).rules] == ["assert_fact"]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("weather", "not a kind of change"),
        ("asert_fact", "Did you mean facts"),
        ("retcon_fact:hp", "cannot be narrowed down"),
        ("create_entity:dragon", "no 'dragon' to create"),
        ("state_change:", "cannot be narrowed down"),
        ("x" * 500, "not a kind of change"),
    ],
)
async def test_conflict_rule_for_no_kind_is_refused(tmp_path: Path, kind: str, why: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        with pytest.raises(InputError, match=why):
            await program.services.policy.set_rule(universe_id, kind, KindRule.ASK)
        assert (await program.services.policy.read_policy(universe_id)).rules == ()


async def test_predicates_of_a_world_are_kept_or_refused_by_their_line(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        house = program.services.policy
        text = 'sworn_to:\n  cardinality: one\n  critical: true\n  statement: "{subject} obeys {object}."\n'
        assert await house.set_predicates(universe_id, text) == 1
        with pytest.raises(InputError, match=r"line 2 \(sworn_to, cardinality\)") as refused:
            await house.set_predicates(universe_id, "sworn_to:\n  cardinality: two\n")
        assert "unchanged" in refused.value.kept
        assert (await house.read_policy(universe_id)).predicates == text
        # What is critical in this world asks to be committed at once.
        await program.services.play.submit(scene_id, "/npc Ann: the miller")
        await program.services.play.submit(scene_id, "/commit")
        await program.services.play.submit(scene_id, "/fact Mara sworn_to Ann")
        assert "Critical: " in (await program.services.play.scene(scene_id)).trigger_reason


async def test_conflict_what_a_rule_decided_is_taken_back_after_the_commit(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        services, universe_id = program.services, (await program.services.play.scene(scene_id)).universe.id
        await services.policy.set_rule(universe_id, "assert_fact:stated", KindRule.REJECT)
        for line in ("/fact The well is deep", "/state Mara.hp -3"):
            await services.play.submit(scene_id, line)
        assert [r.is_marked_by_rule for r in (await services.play.scene(scene_id)).proposals] == [True, False]
        await services.play.submit(scene_id, "/end It is night")
        report = await services.gate.commit(scene_id)
        assert report.next_scene_id is not None

        closed = [
            row for row in (await services.gate.gate(None, universe_id)).proposals if row.is_closed_by_policy
        ]
        by_label = {row.label: row for row in closed}
        well = next(row for row in closed if "well" in row.title)
        again = await services.policy.propose_undo(well.proposal.id)
        assert [row.title for row in again.rows] == ["The well is deep."]
        await services.policy.propose_undo(by_label["state"].proposal.id)
        rows = [r for r in (await services.gate.gate(None, universe_id)).proposals if r.status == "pending"]
        assert [(r.mark, r.verdict) for r in rows] == [("accept", Verdict.ACCEPT), ("accept", None)]
        with pytest.raises(InputError, match="proposed already"):
            await services.policy.propose_undo(well.proposal.id)

        await services.gate.commit_universe(universe_id)
        (mara,) = await services.world.list_entities(universe_id, "Mara")
        assert mara.numbers["hp"] == 10
        facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe_id, FactQuery(history=True))
        assert "The well is deep." in [f.statement for f in facts]
        assert FactStatus.RETCONNED in {f.status for f in facts}


async def test_conflict_found_the_same_goes_by_the_name_in_canon(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await played(program, ("/npc here Tom: the keeper",))
        await program.services.gate.commit(scene_id)
        await program.services.play.submit(scene_id, "/npc tom: a stranger")
        await program.services.conflicts.make_ruling(await ruling(program, scene_id, "same"))
        (first, second) = (await program.services.gate.gate(scene_id, None)).proposals
        assert (first.title, second.title) == ("Tom", "Tom")
        (tom,) = await program.services.world.list_entities(first.proposal.universe_id, "tom")
        assert (tom.name, tom.aliases) == ("Tom", ())
        await program.services.policy.propose_undo(second.proposal.id)
        rows = (await program.services.gate.gate(scene_id, None)).proposals
        assert [row.title for row in rows if row.status is ProposalStatus.PENDING] == [
            "Never true: Tom is a stranger.",
            "True again: tom (character)",
        ]
