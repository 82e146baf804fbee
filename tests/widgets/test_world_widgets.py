"""Tree, card, evidence, change and cast: what they show and what they say."""

from __future__ import annotations

from dataclasses import replace

from agents.views.scene_views import CastMember
from stores.records.canon import EvidenceKind
from stores.records.world import EntityKind
from tests.widgets import samples
from tests.widgets.stage import Stage, screen_text
from widgets.cast_box import CastBox, cast_content
from widgets.diff import diff_lines
from widgets.entity_card import EntityCardView
from widgets.entity_tree import EntityTree
from widgets.evidence_list import EvidenceList
from widgets.numbers import numbers_text
from widgets.proposal_detail import ProposalDetail


def shown(app: Stage) -> list[str]:
    return [line.strip() for line in screen_text(app).splitlines() if line.strip()]


# --- tree -------------------------------------------------------------------------------------------


async def test_world_widget_tree_marks_the_dead() -> None:
    tree = EntityTree()
    app = Stage(tree)
    async with app.run_test(size=(40, 20)) as pilot:
        entities = samples.entities()
        tree.show_entities(entities, {e.id for e in entities if e.name in ("Mara Vey", "Oss")})
        await pilot.pause()
        assert shown(app)[:4] == ["▾ Characters  3", "Mara Vey ♦ †", "Oss †", "Sister Anhelm ⊘"]


async def test_world_widget_tree_counts_by_kind_and_marks_players_and_locks() -> None:
    tree = EntityTree()
    app = Stage(tree)
    async with app.run_test(size=(40, 20)) as pilot:
        tree.show_entities(samples.entities())
        await pilot.pause()
        assert shown(app) == [
            "▾ Characters  3",
            "Mara Vey ♦",
            "Oss",
            "Sister Anhelm ⊘",
            "▾ Places  2",
            "Hidden Chamber",
            "The Drowned Chapel",
            "▾ Factions  1",
            "The Salt Wardens",
            "▾ Objects  1",
            "The Bell",
        ]


async def test_world_widget_tree_is_walked_and_chosen_from_by_keyboard() -> None:
    tree = EntityTree()
    app = Stage(tree)
    async with app.run_test(size=(40, 20)) as pilot:
        tree.show_entities(samples.entities())
        await pilot.press("j", "j", "j", "k", "j", "enter")
        assert tree.current is not None
        assert tree.current.name == "Oss"
        assert [message.entity.name for message in app.of(EntityTree.EntityChosen)] == ["Oss"]
        assert [line for line in shown(app) if line.endswith("◂")] == ["Oss ◂"]
        last = app.of(EntityTree.EntityHighlighted)[-1]
        assert last.entity is not None
        assert last.entity.name == "Oss"


async def test_world_widget_filter_searches_names_and_aliases() -> None:
    tree = EntityTree()
    app = Stage(tree)
    async with app.run_test(size=(40, 20)) as pilot:
        tree.show_entities(samples.entities())
        tree.filter_text = "FERRY"
        await pilot.pause()
        assert shown(app) == ["▾ Characters  1", "Oss"]
        tree.filter_text = "nobody"
        await pilot.pause()
        assert shown(app) == []


async def test_world_widget_crowd_is_laid_out_in_part_and_found_whole() -> None:
    tree = EntityTree()
    app = Stage(tree)
    someone = samples.entities()[0]
    crowd = [
        someone.model_copy(update={"id": f"{n}", "name": f"Sailor {n:03}", "is_pc": False, "aliases": ()})
        for n in range(300)
    ]
    async with app.run_test(size=(40, 220)) as pilot:
        tree.show_entities(crowd)
        await pilot.pause()
        assert shown(app)[0] == "▾ Characters  300"
        assert shown(app)[-1] == "… 100 more: / searches"
        tree.filter_text = "sailor 299"
        await pilot.pause()
        assert shown(app) == ["▾ Characters  1", "Sailor 299"]


async def test_world_widget_tree_keeps_its_place_and_its_closed_kinds() -> None:
    tree = EntityTree()
    app = Stage(tree)
    async with app.run_test(size=(40, 20)) as pilot:
        tree.show_entities(samples.entities())
        await pilot.press("home", "enter")  # closes the characters
        tree.select("the-drowned-chapel")
        await pilot.pause()
        tree.show_entities([*samples.entities(), samples.entity("Amber Stair", EntityKind.PLACE)])
        await pilot.pause()
        assert tree.current is not None
        assert tree.current.name == "The Drowned Chapel"
        assert shown(app)[:2] == ["▸ Characters  3", "▾ Places  3"]


async def test_names_in_the_tree_are_never_markup() -> None:
    tree = EntityTree()
    app = Stage(tree)
    async with app.run_test(size=(60, 20)) as pilot:
        tree.show_entities([samples.entity("[bold]\x1b[31mRed[/bold]")])
        await pilot.pause()
        assert "[bold]Red[/bold]" in screen_text(app)


# --- card -------------------------------------------------------------------------------------------


async def test_world_widget_card_tells_all_that_canon_says() -> None:
    card = EntityCardView()
    app = Stage(card)
    async with app.run_test(size=(80, 40)) as pilot:
        assert shown(app) == ["Choose an entity to see what canon says about it."]
        card.show_card(samples.card())
        await pilot.pause()
        assert shown(app) == [
            "Mara Vey",
            "player character",
            "also Vey, the diver",
            "A salvage diver who owes the Wardens a boat and does not mean to pay.",
            "HP 7/10  might 3   wet through, marked",
            "appears in The Drowned Bell 1, The Drowned Bell 3",
            "Facts 3",
            "▸• Mara owes the Salt Wardens a boat  since Day 1 · ❝1",
            "~ Mara can hear the bell under water  rumour · Day 2, night · ❝1",
            "• Mara carries the chapel key  Day 3, dusk · ❝2",
            "Relations 2",
            "• sister of Sister Anhelm  ❝1",
            "• owes The Salt Wardens  Day 1 · ❝1",
            "History 1",
            "× Mara's boat is moored at Cold Stair",
            "superseded · Day 1 to Day 2 · ❝1 · now: the boat is lost",
        ]


async def test_facts_are_stood_on_and_give_their_evidence() -> None:
    card = EntityCardView()
    app = Stage(card)
    async with app.run_test(size=(80, 40)) as pilot:
        card.show_card(samples.card())
        await pilot.press("down", "enter", "x", "o", "down", "down", "o")
        evidence = [message.fact_view.fact.id for message in app.of(EntityCardView.EvidenceRequested)]
        assert evidence == ["fact-2", "fact-2"]
        assert [message.entity.name for message in app.of(EntityCardView.RelatedEntityOpened)] == [
            "Sister Anhelm"
        ]


async def test_world_widget_another_card_begins_at_its_top_and_the_same_one_keeps_its_place() -> None:
    card = EntityCardView()
    app = Stage(card)
    async with app.run_test(size=(50, 10)) as pilot:
        card.show_card(samples.card())
        await pilot.press("end")
        assert card.scroll_offset.y > 0
        stood_on = card.current
        card.show_card(samples.card())
        await pilot.pause()
        assert card.current == stood_on
        card.show_card(replace(samples.card(), entity=samples.entity("Oss")))
        await pilot.pause()
        assert card.scroll_offset.y == 0
        assert "Oss" in screen_text(app)


async def test_world_widget_entity_without_facts_says_so() -> None:
    card = EntityCardView()
    app = Stage(card)
    async with app.run_test(size=(60, 20)) as pilot:
        card.show_card(replace(samples.card(), facts=(), relations=(), history=()))
        await pilot.press("down", "enter")
        assert "No facts yet." in screen_text(app)
        assert app.of(EntityCardView.EvidenceRequested) == []


# --- evidence ---------------------------------------------------------------------------------------


async def test_evidence_shows_kind_place_and_words_and_jumps_to_the_turn() -> None:
    listing = EvidenceList()
    app = Stage(listing)
    async with app.run_test(size=(60, 24)) as pilot:
        assert shown(app) == ["No quote: you declared it."]
        listing.show_evidence(
            [
                samples.basis(1, place="turn 11 of scene 2 “The stair”", who="you, 2026-01-01 20:00"),
                samples.basis(2, EvidenceKind.RESOLUTION, quote="2d6 = 9", resolution=samples.resolution(2)),
                samples.basis(3, EvidenceKind.CHUNK, turn_id=None, place="The Tides, page 12"),
                samples.basis(4, EvidenceKind.MANUAL, quote="", turn_id=None, who="you, 2026-01-02 09:00"),
            ],
        )
        await pilot.press("enter", "down", "enter", "down", "enter", "down", "enter")
        assert [message.turn_id for message in app.of(EvidenceList.TurnRequested)] == ["turn-1", "turn-2"]
        assert shown(app) == [
            "❝ quote · you, 2026-01-01 20:00 · turn 11 of scene 2 “The",
            "stair”",
            "“drag marks in the silt”",
            "⚄ roll",
            "“2d6 = 9”",
            "for “force the door”",
            "¶ page · The Tides, page 12",
            "“drag marks in the silt”",
            "▸✎ edit · you, 2026-01-02 09:00",
        ]


async def test_world_widget_long_quote_is_cut_to_four_lines() -> None:
    listing = EvidenceList()
    app = Stage(listing)
    async with app.run_test(size=(40, 24)) as pilot:
        listing.show_evidence([samples.basis(1, quote="word " * 200)])
        await pilot.pause()
        assert len(shown(app)) == 5
        assert shown(app)[-1].endswith("…")


# --- change, cast, numbers --------------------------------------------------------------------------


def test_world_widget_change_is_said_by_sign_and_not_by_colour_alone() -> None:
    lines = diff_lines(
        [
            ("hp", "10", "7"),
            ("tag", "—", "marked"),
            ("alias", "Vey", ""),
            ("description", "A small chapel", "A small chapel that the sea has taken"),
        ],
        60,
    )
    assert ["".join(text for text, _ in line) for line in lines] == [
        "hp  10 → 7",
        "tag  + marked",
        "alias  − Vey",
        "description",
        "  − A small chapel",
        "  + A small chapel that the sea has taken",
    ]


async def test_world_widget_proposal_that_replaces_nothing_says_so() -> None:
    about = ProposalDetail(with_change=True)
    app = Stage(about)
    async with app.run_test(size=(60, 10)) as pilot:
        about.show_proposal(samples.proposals()[2])
        await pilot.pause()
        assert shown(app)[0] == "location  the tower → the sea cave"
        about.show_proposal(samples.proposals()[0])
        await pilot.pause()
        assert shown(app)[0] == "This is added; nothing else in canon changes."
        about.show_proposal(None)
        await pilot.pause()
        assert shown(app) == []


def test_world_widget_cast_has_players_first_and_marks_what_changed() -> None:
    assert cast_content(samples.cast()).plain.splitlines() == [
        "Mara Vey  HP 7/10*  might 3  wet through".replace("Mara Vey", "Mara"),
        "Oss  HP 4  afraid",
    ]


def test_world_widget_cast_marks_a_death_that_is_not_canon_yet() -> None:
    wenna = CastMember("wenna", "Wenna Pike", False, note="dead", is_note_staged=True)
    assert cast_content([wenna]).plain == "Wenna Pike  dead*"
    assert cast_content([replace(wenna, is_note_staged=False)]).plain == "Wenna Pike  dead"


async def test_world_widget_empty_cast_says_how_to_bring_someone() -> None:
    cast = CastBox()
    app = Stage(cast)
    async with app.run_test(size=(40, 6)) as pilot:
        cast.show(())
        await pilot.pause()
        assert "/cast +" in screen_text(app)
        cast.show(samples.cast())
        await pilot.pause()
        assert "HP 7/10*" in screen_text(app)


def test_numbers_are_whole_where_they_can_be_and_maxima_join_what_they_limit() -> None:
    assert (
        numbers_text({"hp": 7.0, "max_hp": 10, "speed": 1.5, "luck_max": 3})
        == "HP 7/10  speed 1.5  luck max 3"
    )


def test_world_widget_cast_keeps_a_number_with_its_name_in_a_narrow_box() -> None:
    lines = cast_content(samples.cast(), 14).plain.splitlines()
    number_lines = [line for line in lines if any(character.isdigit() for character in line)]
    assert len(number_lines) > 2
    assert all(line.split()[0][0].isalpha() for line in number_lines)
