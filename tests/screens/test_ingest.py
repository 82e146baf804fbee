"""Documents by keyboard: read in, reviewed, made canon, opened at their page, withdrawn.

In the words of a player: "a rulebook's rule that the dead are never named is proposed, and is true only after I accept
it". Source: docs/ingest.md.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from agents.ingest.ingest_worker import EnrichWorker
from agents.jobs.worker import RetryLater
from agents.llm.scripted_model import ScriptedModel
from screens.ingest.review_screen import ReviewScreen
from stores.authority import Role
from stores.records.llm import Persona
from tests.agents.ingest.documents.typeset_book import typeset
from tests.agents.ingest.reading_in import BoldNameServer, build_transcriber
from tests.agents.ingest.test_page_transcription import write_scan
from tests.agents.ingest.test_reader_persona import PRICED
from tests.agents.orchestrator.scripted_program import house
from tests.screens.ingest_library import RULEBOOK, Reader, ladder_server, reading, write_rulebook
from tests.screens.screen_driver import NARROW
from widgets.proposal_list import ProposalList
from widgets.review_group_list import ReviewGroupList
from widgets.single_keys import BURST_SECONDS

RULE = "The dead must never be named aloud in Salt Quay."


async def read_rulebook(reader: Reader, folder: Path, text: str = RULEBOOK) -> None:
    """Read a rulebook in by the keys of the menu."""
    await reader.ui.press("5", "n")
    await reader.ui.type(write_rulebook(folder, text))
    await reader.ui.press("enter")
    await reader.read_all()


async def canon_rules(reader: Reader) -> list[str]:
    """Return the statements of canon, in the one universe."""
    (universe,) = await reader.program.services.stories.universes()
    facts = await reader.program.stores.canon(Role.CONTEXT_ASSEMBLY).facts_at(universe.id, 0)
    return [fact.statement for fact in facts]


@pytest.mark.slow
async def test_rule_of_a_rulebook_is_proposed_and_true_only_after_it_is_accepted(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        assert ui.screen == "SourcesScreen"
        assert ui.shows("The Salt Coast", "read · 1 page", "to review")
        assert RULE not in await canon_rules(reader)
        await ui.press("enter", "end")
        assert ui.screen == "ReviewScreen"
        assert ui.shows("the document itself", "never be named")
        assert RULE not in await canon_rules(reader)
        await ui.press("a", "enter")
        assert ui.shows("accepted", "What is undecided waits here; * shows what was decided.")
        assert RULE in await canon_rules(reader)


@pytest.mark.slow
async def test_what_a_document_says_leads_from_the_universe_to_its_page(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "slash")
        await ui.type("saltglass")
        await ui.press("a", "enter", "escape", "escape", "escape")
        assert ui.screen == "MenuScreen"
        await ui.press("3", "enter", "enter")
        assert ui.shows("page · The Salt Coast, page 1")
        await ui.press("x")
        assert ui.screen == "PageScreen"
        assert ui.shows("▌ Saltglass. Clear stone that washes ashore after storms.", "In canon")
        await ui.press("escape")
        assert ui.screen == "UniverseScreen"


@pytest.mark.slow
async def test_rows_are_decided_one_by_one_and_lead_to_their_page(tmp_path: Path) -> None:
    async with reading(tmp_path / "home", NARROW) as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "right")
        assert type(ui.app.focused).__name__ == "ProposalList"
        await ui.press("x")
        assert ui.screen == "PageScreen"
        await ui.press("escape", "A")
        assert ui.shows("✓")
        await ui.press("u")
        source_id = await reader.source_id()
        view = await reader.program.services.ingest.read_review(source_id)
        undone = [group for group in view.groups if group.undecided_count]
        assert undone
        await ui.press("shift+tab")
        assert type(ui.app.focused).__name__ == "ReviewGroupList"
        await ui.press("escape")
        assert ui.screen == "SourcesScreen"


@pytest.mark.slow
async def test_rows_are_edited_in_the_review(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "slash")
        await ui.type("saltglass")
        await ui.press("right", "down", "e")
        assert ui.screen == "TextDialog"
        await ui.type(" It sings.", enter=False)
        await ui.press("enter")
        assert ui.screen == "ReviewScreen"
        await ui.press("enter")
        assert any("It sings." in statement for statement in await canon_rules(reader))


@pytest.mark.slow
async def test_menu_says_what_waits_in_reviews_and_that_something_is_read(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        (universe,) = await reader.program.services.stories.universes()
        await reader.program.services.ingest.start(write_rulebook(tmp_path), universe.id)
        await ui.press("5", "escape")
        assert ui.shows("Ingest a document is being read")
        await reader.read_all()
        open_count = (await reader.program.services.ingest.read_review(await reader.source_id())).open_count
        await ui.press("5", "escape")
        assert ui.shows(f"Ingest {open_count} to review")
        await ui.press("7", "pagedown")
        assert ui.shows("Reading documents, since MONITOR was opened", "by rule", "ms each")


@pytest.mark.slow
async def test_left_comes_back_from_the_rows_to_the_groups(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "right", "left")
        assert type(ui.app.focused).__name__ == "ReviewGroupList"


@pytest.mark.slow
async def test_all_that_a_filter_shows_is_accepted_once_it_is_confirmed(tmp_path: Path) -> None:
    """A player: "I read in a bestiary, filtered for the creatures, and took them all with one key"."""
    async with reading(tmp_path / "home") as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "slash")
        await ui.type("concept bram")
        await ui.press("A")
        assert ui.screen == "ConfirmDialog"
        assert ui.shows("Accept", "Nothing is written before you commit.")
        await ui.press("escape")
        source_id = await reader.source_id()
        assert (await ingest.read_review(source_id)).accepted_count == 0
        await ui.press("A", "enter")
        accepted = [
            g.title for g in (await ingest.read_review(source_id)).groups if g.accepted_count == g.count
        ]
        assert "Bram" in accepted
        assert "Saltglass" not in accepted


@pytest.mark.slow
async def test_all_that_is_shown_is_rejected_once_it_is_confirmed_and_undone(tmp_path: Path) -> None:
    """A player: "of my notes I took one thing and threw the rest away; Ctrl+Z gave it back"."""
    async with reading(tmp_path / "home") as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        await read_rulebook(reader, tmp_path)
        source_id = await reader.source_id()
        await ui.press("enter", "a", "J")
        assert ui.screen == "ConfirmDialog"
        assert ui.shows("Reject", "Ctrl+Z undoes it until you commit")
        await ui.press("enter")
        view = await ingest.read_review(source_id)
        rejected_count = sum(group.rejected_count for group in view.groups)
        assert rejected_count == view.open_count - view.accepted_count > 0
        assert view.accepted_count
        await ui.press("ctrl+z")
        assert ui.shows(f"Undone: Rejected: {rejected_count} proposals.")
        view = await ingest.read_review(source_id)
        assert view.undecided_count == rejected_count
        await ui.press("escape")
        assert ui.shows(f"{view.open_count} open in its review, {view.accepted_count} of them decided")
        await ui.press("enter")
        await ui.press("ctrl+z")
        assert ui.shows("Undone: Accepted")
        view = await ingest.read_review(source_id)
        assert view.undecided_count == view.open_count


@pytest.mark.slow
async def test_what_was_rejected_is_shown_on_demand_and_brought_back(tmp_path: Path) -> None:
    """A player: "I rejected the wrong one and committed; u among the closed ones brought it back"."""
    async with reading(tmp_path / "home") as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "slash")
        await ui.type("saltglass")
        await ui.press("r", "enter")
        before = (await ingest.read_review(await reader.source_id())).open_count
        await ui.press("asterisk")
        assert ui.shows("Saltglass", "rejected", "closed: 0 accepted")
        await ui.press("right", "u")
        assert ui.shows("Undecided again")
        assert (await ingest.read_review(await reader.source_id())).open_count == before + 1
        await ui.press("left", "asterisk")
        assert ui.shows("to review", "Saltglass")


TWO_PAGES = (
    "# Quay\n\nOld Bram keeps the lamp.\n\f# Reef\n\nMara Venn rules over Salt Reef. Mara Venn fears it.\n"
)


@pytest.mark.slow
async def test_grouping_by_page_stays_at_the_page_of_the_group_and_comes_back(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path, TWO_PAGES)
        await ui.press("enter")
        groups = ui.app.screen.query_one(ReviewGroupList)

        def current_title() -> str:
            return groups.current.title if groups.current else ""

        while current_title() != "Mara Venn":
            await ui.press("down")
        await ui.press("G")
        assert current_title() == "page 2"
        await ui.press("G")
        assert current_title() == "Mara Venn"


@pytest.mark.slow
async def test_rows_of_another_group_are_gone_at_once_when_the_cursor_moves(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter")
        screen = ui.app.screen
        assert isinstance(screen, ReviewScreen)
        assert screen.query_one(ProposalList).views
        screen.query_one(ReviewGroupList).action_move(1)
        screen._load_rows()
        assert screen.query_one(ProposalList).views == ()
        await ui.settle()
        assert screen.query_one(ProposalList).views


@pytest.mark.slow
async def test_filter_line_is_gone_once_it_is_empty(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "slash")
        await ui.type("bram", enter=False)
        await ui.press("escape")
        assert not ui.app.screen.query_one("#filter").display
        await ui.press("slash", "enter")
        assert not ui.app.screen.query_one("#filter").display
        assert ui.screen == "ReviewScreen"


@pytest.mark.slow
async def test_undecided_rows_do_not_look_accepted(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        await read_rulebook(reader, tmp_path)
        await reader.ui.press("enter")
        assert "✓" not in reader.ui.text


@pytest.mark.slow
async def test_pasted_text_decides_nothing_in_a_review(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter")
        await ui.type("ardar", enter=False)
        view = await reader.program.services.ingest.read_review(await reader.source_id())
        assert view.undecided_count == view.open_count


@pytest.mark.slow
async def test_withdrawing_shows_its_consequences_and_is_taken_back(tmp_path: Path) -> None:
    async with reading(tmp_path / "home", NARROW) as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "slash")
        await ui.type("saltglass")
        await ui.press("a", "enter", "escape", "escape", "R")
        assert ui.screen == "ConfirmDialog"
        assert ui.shows("Only this document says", "Saltglass", "R brings it back.")
        await ui.press("escape")
        assert ui.shows("read · 1 page")
        await ui.press("R", "enter")
        assert ui.shows("withdrawn", "retraction", "g Gate")
        await ui.press("g")
        assert ui.screen == "GateScreen"
        await ui.press("escape", "R")
        assert ui.shows("It is back", "read · 1 page")


@pytest.mark.slow
async def test_new_edition_shows_what_is_new_and_gone_before_it_is_read(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        newer = write_rulebook(tmp_path, RULEBOOK.replace("Old Bram", "Young Ilse"), "second.md")
        await ui.press("N")
        await ui.type(newer)
        assert ui.screen == "ConfirmDialog"
        assert ui.shows("New:", "Young Ilse", "Gone:")
        await ui.press("enter")
        await reader.read_all()
        assert ui.shows("edition 2", "read · 1 page")


@pytest.mark.slow
async def test_document_whose_model_is_away_says_so_and_is_read_on_without_it(tmp_path: Path) -> None:
    """A player: "I asked for the model, and have none today; the list said so, and M read the rest by rule"."""
    async with reading(tmp_path / "home") as reader:
        ui, ingest, log = reader.ui, reader.program.services.ingest, reader.program.stores.log(Role.INGEST)
        (universe,) = await reader.program.services.stories.universes()
        await ingest.start(write_rulebook(tmp_path), universe.id, uses_model=True)
        source_id = await reader.source_id()
        await reader.read_pages(source_id)
        worker = EnrichWorker(
            log,
            ingest.recorder,
            ladder_server(reader.program),
            build_transcriber(reader.program, []),
            lambda: False,
            reader.program.services.events.publish,
        )
        with pytest.raises(RetryLater):
            await worker.reconcile(source_id)
        await ui.press("5")
        assert ui.shows("waits for its model: No model is set up to read documents", "M reads on")
        await ui.press("M")
        assert ui.shows("Reading goes on without the model.")
        assert not ui.shows("waits for its model")
        await reader.read_all()
        assert ui.shows("read · 1 page", "by rule", "M Model")


@pytest.mark.slow
async def test_scanned_book_is_offered_to_the_model_with_its_price(tmp_path: Path) -> None:
    """A player: "my old module is a scan; it told me what reading its pages costs before it did"."""
    model = ScriptedModel([], facts=replace(PRICED, takes_pictures=True))
    async with reading(tmp_path / "home", model=model, settings=house(Persona.READER)) as reader:
        ui = reader.ui
        await ui.press("5", "n")
        await ui.type(write_scan(tmp_path))
        assert ui.shows("2 pages of it scanned: without text", "could read them, about $0.03")
        await ui.press("enter")
        assert ui.shows("It has pictures of pages and no text.", "Choose “read by the model”")
        await ui.press("right", "enter")
        assert ui.shows("is shown each of them, about $0.03")
        await ui.press("enter")
        assert ui.shows("Documents", "old-book")
        source = await reader.program.stores.log(Role.INGEST).source(await reader.source_id())
        assert source.reads_pictures


@pytest.mark.slow
async def test_pasted_text_becomes_a_document_of_its_name(tmp_path: Path) -> None:
    """A player: "I copied my notes from a page in the browser; I gave them a name, and they were read"."""
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await ui.press("5")
        ui.app.post_message(events.Paste(RULEBOOK))
        await ui.settle()
        assert ui.screen == "LineDialog"
        assert ui.shows("Read in the pasted text as", "The Salt Coast")
        await ui.press("escape")
        assert ui.shows("No document yet.")
        ui.app.post_message(events.Paste(RULEBOOK))
        await ui.settle()
        await ui.type(': "my" notes')
        assert ui.screen == "SourcesScreen"
        await reader.read_all()
        assert ui.shows('The Salt Coast: "my" notes', "read · 1 page", "to review")
        await ui.press("o")
        assert ui.shows("The dead must never be named aloud")
        assert not ui.shows("title:")


@pytest.mark.slow
async def test_reading_is_paused_kept_and_gone_on_with(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await ui.press("5", "n")
        await ui.type(write_rulebook(tmp_path))
        await ui.press("enter")
        assert ui.shows("waits to be read")
        await reader.read_pages(await reader.source_id())
        assert ui.shows("being read", "0 of 1 passage searched for facts")
        await ui.press("H")
        assert ui.shows("paused", "What was read is kept")
        await ui.press("escape", "5")
        assert ui.shows("paused", "0 of 1 passage")
        await ui.press("H")
        assert ui.shows("being read", "Reading goes on.")
        await reader.read_all()
        assert ui.shows("read · 1 page", "by rule")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.pdf", None, ("no file or folder",)),
        ("cover.jpg", b"\xff\xd8", ("no document",)),
    ],
)
async def test_file_that_cannot_be_read_is_refused_at_its_field(
    tmp_path: Path, name: str, content: bytes | None, words: tuple[str, ...]
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    async with reading(tmp_path / "home", NARROW) as reader:
        await reader.ui.press("5", "n")
        await reader.ui.type(str(tmp_path / name))
        assert reader.ui.screen == "DocumentScreen"
        assert reader.ui.shows("! ", *words)
        assert type(reader.ui.app.focused).__name__ == "FieldInput"


@pytest.mark.slow
async def test_document_that_fails_while_it_is_read_says_why_and_what_to_do(tmp_path: Path) -> None:
    async with reading(tmp_path / "home", NARROW) as reader:
        broken = tmp_path / "broken.pdf"
        broken.write_bytes(b"%PDF-1.7\nnothing")
        (universe,) = await reader.program.services.stories.universes()
        await reader.program.services.ingest.start(str(broken), universe.id)
        await reader.read_all()
        await reader.ui.press("5")
        assert reader.ui.shows("could not be read", "cannot be read", "H tries again")


@pytest.mark.slow
async def test_without_a_world_a_document_is_offered_and_makes_one(tmp_path: Path) -> None:
    async with reading(tmp_path / "home", universe="") as reader:
        ui = reader.ui
        await ui.press("5")
        assert ui.shows("No world yet. n reads in a document")
        await ui.press("escape", "1")
        assert ui.shows("The sample world", "¶ From a document")
        await ui.press("end", "enter")
        assert ui.screen == "DocumentScreen"
        await ui.type(write_rulebook(tmp_path))
        await ui.press("enter")
        assert ui.screen == "SourcesScreen"
        assert [u.name for u in await reader.program.services.stories.universes()] == ["The Salt Coast"]
        await ui.press("escape")
        assert ui.screen == "MenuScreen"


@pytest.mark.slow
async def test_query_leads_from_a_passage_to_its_page(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await reader.program.services.jobs.wait_until_idle()
        await ui.press("escape", "6", "right", "right")
        await ui.type("saltglass")
        assert ui.shows("in the book: The Salt Coast, page 1")
        await ui.press("enter")
        assert ui.screen == "PageScreen"


MANY_BOOK = "\n\n".join(
    f"# Chapter {chapter}\n\n"
    + " ".join(f"**Keeper {chapter}x{name}** holds lamp {fact}." for name in range(10) for fact in range(3))
    for chapter in range(34)
)


@pytest.mark.slow
async def test_a_review_of_a_thousand_takes_under_four_hundred_keys(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        (universe,) = await reader.program.services.stories.universes()
        await ingest.start(write_rulebook(tmp_path, MANY_BOOK, "many.md"), universe.id)
        await reader.read_all(BoldNameServer())
        source_id = await reader.source_id()
        review = await ingest.read_review(source_id)
        assert review.open_count >= 1_000
        key_count = 2
        await ui.press("5", "enter")
        for number in range(len(review.groups)):
            key_count += 1
            if number % 30:
                ui.app.simulate_key("a")  # held down
            else:
                await ui.pilot.pause(BURST_SECONDS * 3)
                await ui.pilot.press("r")
                await ui.pilot.pause(BURST_SECONDS * 3)
        await ui.settle()
        decided = await ingest.read_review(source_id)
        assert decided.undecided_count == 0
        await ui.press("enter")
        assert key_count + 1 < 400
        assert (await ingest.read_review(source_id)).groups == ()
        assert ui.shows("accepted", "rejected")


@pytest.mark.slow
async def test_burst_of_verdicts_reads_the_review_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(tmp_path / "home") as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        (universe,) = await reader.program.services.stories.universes()
        await ingest.start(write_rulebook(tmp_path, MANY_BOOK[:4_000], "many.md"), universe.id)
        await reader.read_all(BoldNameServer())
        await ui.press("5", "enter")
        review_reads = 0
        read_review = type(ingest.review_reader).read_review

        async def count_reads(*arguments: object, **options: object) -> object:
            nonlocal review_reads
            review_reads += 1
            return await read_review(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(type(ingest.review_reader), "read_review", count_reads)
        for _ in range(20):
            ui.app.simulate_key("a")
        await ui.settle()
        assert review_reads < 10, "not one for each verdict, on a slow machine either"
        view = await ingest.read_review(await reader.source_id())
        assert sum(group.accepted_count == group.count for group in view.groups) == 20


@pytest.mark.slow
async def test_group_of_more_than_fifty_is_read_on_when_its_first_are_decided(tmp_path: Path) -> None:
    book = "# Lamps\n\n" + " ".join(f"**Bren** lights lamp {number} of the coast." for number in range(70))
    async with reading(tmp_path / "home", NARROW) as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        (universe,) = await reader.program.services.stories.universes()
        await ingest.start(write_rulebook(tmp_path, book, "lamps.md"), universe.id)
        await reader.read_all(BoldNameServer())
        await ui.press("5", "enter", "right")
        assert ui.shows("more follow when these are decided")
        await ui.press("A")
        assert not ui.shows("more follow")
        view = await ingest.read_review(await reader.source_id())
        assert view.accepted_count == 50
        await ui.press("a")
        assert (await ingest.read_review(await reader.source_id())).accepted_count == 51


@pytest.mark.slow
async def test_conflict_with_canon_waits_and_is_resolved_from_the_review(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        (universe,) = await reader.program.services.stories.universes()
        book = "# Fates\n\n**Tam** is alive. **Tam** is dead.\n"
        await ingest.start(write_rulebook(tmp_path, book, "fates.md"), universe.id)
        await reader.read_all(BoldNameServer())
        await ui.press("5", "enter", "a")
        assert ui.shows("2 wait for you alone", "C resolves a conflict.")
        await ui.press("enter")
        await ui.press("right", "end", "C")
        assert ui.screen == "ConflictScreen"
        new = "Tam is dead." if ui.shows("│ Tam is dead. ││ Tam is alive. │") else "Tam is alive."
        await ui.press("x")
        assert ui.screen == "PageScreen"
        assert ui.shows("\N{LEFT HALF BLOCK} Tam is alive. Tam is dead.")
        await ui.press("escape", "2", "enter")
        assert ui.shows("Resolved.")
        await ui.press("enter")
        assert ui.screen == "ReviewScreen"
        assert await canon_rules(reader) == [new]


@pytest.mark.slow
async def test_pages_are_turned_and_searched(tmp_path: Path) -> None:
    pages = "\f".join(f"This is the page of lamp {name}." for name in ("one", "two", "three"))
    async with reading(tmp_path / "home", NARROW) as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        (universe,) = await reader.program.services.stories.universes()
        await ingest.start(write_rulebook(tmp_path, pages, "lamps.txt"), universe.id)
        await reader.read_all()
        await reader.program.services.jobs.wait_until_idle()
        await ui.press("5", "o")
        assert ui.shows("page 1", "of 3", "lamp one", "Page after")
        assert not ui.shows("Page before")
        await ui.press("right", "right")
        assert ui.shows("page 3", "lamp three")
        await ui.press("slash")
        await ui.type("lamp two")
        assert ui.shows("page 2")
        await ui.press("home", "enter")
        assert ui.screen == "PageScreen"
        assert ui.shows("▌")
        await ui.press("escape")
        assert ui.screen == "SourcesScreen"


@pytest.mark.slow
async def test_page_of_a_pdf_is_written_as_it_is_printed_to_a_picture(tmp_path: Path) -> None:
    """A player: "the text of the map's page says little; X gave me the page itself"."""
    book = typeset("# The Drowned Keep\n\nSer Aldric keeps the gate.", "The Drowned Keep").pdf
    (tmp_path / "keep.pdf").write_bytes(book)
    async with reading(tmp_path / "home") as reader:
        ui, ingest = reader.ui, reader.program.services.ingest
        (universe,) = await reader.program.services.stories.universes()
        await ingest.start(str(tmp_path / "keep.pdf"), universe.id)
        await reader.read_all()
        await ui.press("5", "o")
        assert ui.shows("Ser Aldric keeps the gate.", "X Export")
        await ui.press("X")
        assert ui.shows("Written:")
        (picture,) = (tmp_path / "home" / "exports").iterdir()
        assert picture.name.endswith("the-drowned-keep-page-1.png")
        data = picture.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert int.from_bytes(data[16:20], "big") == 1_600


@pytest.mark.slow
async def test_documents_are_opened_from_play_and_lead_back_to_it(tmp_path: Path) -> None:
    async with reading(tmp_path / "home", universe="") as reader:
        ui = reader.ui
        await ui.press("1", *["enter"] * 5)
        assert ui.screen == "SceneScreen"
        await ui.press("ctrl+p")
        await ui.type("documents")
        assert ui.screen == "SourcesScreen"
        await ui.press("n")
        await ui.type(write_rulebook(tmp_path))
        await ui.press("enter")
        assert ui.screen == "SourcesScreen"
        assert ui.shows("waits to be read")
        await ui.press("escape")
        assert ui.screen == "SceneScreen"
