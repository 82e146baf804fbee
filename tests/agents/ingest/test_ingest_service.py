"""Documents through the service: estimate, reading in, review, withdrawal, editions, search and pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import IngestProgressed
from agents.search.hybrid_search import HybridSearch
from agents.search.retrieval import ContextRetriever
from agents.story_outline import NewUniverse, StoryOutline
from agents.views.ingest_views import ReviewOrder, ReviewRow
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import InputError
from stores.queries import ProposalQuery
from stores.records.canon import EvidenceKind, FactStatus
from stores.records.ids import Id
from stores.records.sources import LadderStage, SourceState
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, Verdict
from stores.records.world import EntityStatus
from tests.agents.ingest.reading_in import BoldNameServer, build_worker, read_in, write_book
from tests.agents.ingest.test_book_by_rules import build_server
from tests.program import begin, opened

BOOK = f"""# The Salt Coast

**Bren** keeps the lamp. {"The sea is cold. " * 60}

# The Chapel

**Mara Venn** rings the bell. **Bren** fears the tide. {"Salt eats the stone. " * 50}

# Nobody

Fog lies on the water, and gulls cry over the reef. {"Nobody comes here. " * 60}
"""


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    async with opened(tmp_path / "home") as program:
        yield program


@pytest.fixture
async def universe_id(program: Program) -> Id:
    return (await program.services.stories.create_universe(NewUniverse("Salt"))).id


async def ingest(program: Program, universe_id: Id, folder: Path, text: str = BOOK) -> Id:
    (progress,) = await program.services.ingest.start(write_book(folder, text), universe_id)
    await read_in(program)
    return progress.source_id


async def accept_group(program: Program, source_id: Id, title: str) -> None:
    service = program.services.ingest
    review = await service.read_review(source_id)
    group = next(g for g in review.groups if g.title == title)
    await service.decide_groups(source_id, [group.key], Verdict.ACCEPT)


async def read_all_rows(program: Program, source_id: Id) -> list[ReviewRow]:
    service = program.services.ingest
    groups = (await service.read_review(source_id)).groups
    return [row for group in groups for row in (await service.read_rows(source_id, group.key)).rows]


async def test_estimate_stores_nothing(program: Program, universe_id: Id, tmp_path: Path) -> None:
    path = write_book(tmp_path, BOOK)
    (tmp_path / "cover.jpg").write_bytes(b"\xff\xd8")
    estimate = await program.services.ingest.preview(path, universe_id)
    (document,) = estimate.documents
    assert document.page_count >= 1
    assert document.chunk_count >= 1
    assert (estimate.token_count, estimate.micros, estimate.model) == (0, 0, "")
    folder = await program.services.ingest.preview(str(tmp_path), universe_id)
    assert "cover.jpg" in {one.path for one in folder.skipped}
    assert await program.stores.log(Role.INGEST).sources() == []
    assert await program.stores.objects(Role.INGEST).keys("originals") == []


@pytest.mark.slow
async def test_world_made_of_a_document_has_the_title_that_its_estimate_said(
    program: Program, tmp_path: Path
) -> None:
    path = write_book(tmp_path, BOOK, "notes v2 final.md")
    (document,) = (await program.services.ingest.preview(path)).documents
    (progress,) = await program.services.ingest.start(path)
    universes = await program.services.stories.universes()
    assert document.title in {universe.name for universe in universes}
    assert document.title == "The Salt Coast"
    await read_in(program)
    assert (await program.stores.log(Role.INGEST).source(progress.source_id)).title == "The Salt Coast"


async def test_estimate_of_nothing_readable_says_so(program: Program, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file or folder"):
        await program.services.ingest.preview(str(tmp_path / "gone.pdf"))
    (tmp_path / "cover.jpg").write_bytes(b"\xff\xd8")
    with pytest.raises(InputError, match="no document"):
        await program.services.ingest.preview(str(tmp_path))


async def test_document_is_read_to_pages_chunks_and_proposals(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    progressed: list[Id] = []
    program.services.events.subscribe(
        lambda e: progressed.append(e.source_id) if isinstance(e, IngestProgressed) else None
    )
    source_id = await ingest(program, universe_id, tmp_path)
    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    source = await log.source(source_id)
    assert (source.state, source.file_name) == (SourceState.DONE, "Salt Coast.md")
    assert source.pages_read == source.page_count == len(await log.source_pages(source_id, 1))
    snippets = await log.snippets(source_id)
    assert len(snippets) == source.chunk_count
    assert all(snippet.stage and snippet.anchors for snippet in snippets)
    proposals = await log.proposals(ProposalQuery(source_id=source_id))
    assert {p.evidence[0].ref_id for p in proposals} <= {s.id for s in snippets}
    assert progressed
    assert set(progressed) == {source_id}
    (view,) = (await program.services.ingest.list_sources(universe_id)).sources
    assert view.open_count == len(proposals)
    assert dict(view.progress.by_stage)[LadderStage.GENERATED] >= 1
    assert view.fact_count == view.accepted_count == 0


async def test_the_same_bytes_are_read_once(program: Program, universe_id: Id, tmp_path: Path) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    path = write_book(tmp_path, BOOK, "Copy.md")
    estimate = await program.services.ingest.preview(path, universe_id)
    assert estimate.documents[0].same_as == "The Salt Coast"
    (again,) = await program.services.ingest.start(path, universe_id)
    assert (again.source_id, again.state) == (source_id, SourceState.DONE)


async def test_without_a_universe_one_is_made_of_the_book(program: Program, tmp_path: Path) -> None:
    (progress,) = await program.services.ingest.start(write_book(tmp_path, BOOK))
    universe = await program.stores.canon(Role.INGEST).universe(progress.universe_id)
    assert universe.name == "The Salt Coast"


async def test_thousands_from_a_book_never_reach_the_gates_of_play(program: Program, tmp_path: Path) -> None:
    scene_id = await begin(program)
    scene = await program.stores.log(Role.INGEST).scene(scene_id)
    await ingest(program, scene.universe_id, tmp_path)
    gate = program.services.gate
    at_universe = (await gate.gate(None, scene.universe_id)).proposals
    assert all(p.proposal.source_id is None for p in at_universe)
    assert all(p.proposal.source_id is None for p in (await gate.gate(scene_id)).proposals)
    log = program.stores.log(Role.INGEST)
    assert all(p.source_id is None for p in await log.proposals(ProposalQuery(statuses=OPEN_STATUSES)))


async def test_review_ranks_those_in_play_before_those_named_often(program: Program, tmp_path: Path) -> None:
    scene_id = await begin(program)
    universe_id = (await program.stores.log(Role.INGEST).scene(scene_id)).universe_id
    text = BOOK + "\n# More\n\n" + "**Bren** waits. " * 3 + "\n\n**Mara** sails.\n"
    source_id = await ingest(program, universe_id, tmp_path, text)
    review = await program.services.ingest.read_review(source_id)
    titles = [group.title for group in review.groups]
    assert titles[0] == "Mara"
    assert titles.index("Bren") < titles.index("Mara Venn")
    by_page = await program.services.ingest.read_review(source_id, ReviewOrder.PAGE)
    assert sum(group.count for group in by_page.groups) == review.open_count
    rows = await program.services.ingest.read_rows(source_id, review.groups[0].key, limit=1)
    assert (len(rows.rows), rows.total) == (1, review.groups[0].count)
    assert rows.rows[0].page


async def test_accepted_becomes_canon_with_its_page_and_the_rest_waits(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    await accept_group(program, source_id, "Bren")
    report = await program.services.ingest.commit(source_id)
    assert "Bren keeps the lamp." in {fact.statement for fact in report.facts}
    canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
    (piece,) = await canon.evidence_of(report.facts[0].id)
    assert (piece.kind, piece.source_id, piece.page) == (EvidenceKind.CHUNK, source_id, 1)
    review = await program.services.ingest.read_review(source_id)
    assert [group.title for group in review.groups] == ["Mara Venn"]
    assert review.undecided_count == review.open_count == 2
    with pytest.raises(InputError, match="Nothing is decided"):
        await program.services.ingest.commit(source_id)


async def test_accepting_a_fact_accepts_whom_it_names(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    fact = next(
        p
        for p in await log.proposals(ProposalQuery(source_id=source_id, kind="assert_fact"))
        if "rings" in p.payload.statement  # type: ignore[union-attr]
    )
    await program.services.ingest.decide([fact.id], Verdict.ACCEPT)
    report = await program.services.ingest.commit(source_id)
    assert [entity.name for entity in report.entities] == ["Mara Venn"]
    assert [f.statement for f in report.facts] == ["Mara Venn rings the bell."]


async def test_a_book_never_writes_over_a_lock_or_a_contradiction(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    service, world = program.services.ingest, program.services.world
    source_id = await ingest(program, universe_id, tmp_path)
    await accept_group(program, source_id, "Bren")
    await service.commit(source_id)
    (bren,) = await world.list_entities(universe_id, "Bren")
    await world.edits.propose_lock(bren.id, True)
    await program.services.gate.commit_universe(universe_id)
    second = write_book(
        tmp_path, "# Lies\n\n**Bren** sells the lamp. **Tam** is alive. **Tam** is dead.\n", "L.md"
    )
    (progress,) = await service.start(second, universe_id)
    await read_in(program)
    groups = (await service.read_review(progress.source_id)).groups
    await service.decide_groups(progress.source_id, [group.key for group in groups], Verdict.ACCEPT)
    rows = await read_all_rows(program, progress.source_id)
    held_rows = [row for row in rows if row.view.verdict is None]
    assert held_rows, "a group's decision accepts what contradicts canon"
    await service.decide([row.view.proposal.id for row in held_rows], Verdict.ACCEPT)
    report = await service.commit(progress.source_id)
    assert "Bren sells the lamp." not in {fact.statement for fact in report.facts}
    assert report.left_open.conflict_count >= 1
    left = await service.read_review(progress.source_id)
    assert left.undecided_count == left.open_count == report.held_count
    rows = await read_all_rows(program, progress.source_id)
    assert any("is protected" in reason for row in rows for reason in row.view.reasons)
    for row in rows:
        if row.view.conflicts:
            read = await program.services.conflicts.read_conflicts(row.view.proposal.id)
            assert read.conflicts


async def test_withdrawal_shows_its_consequences_and_proposes_retractions(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    await accept_group(program, source_id, "Bren")
    await program.services.ingest.commit(source_id)
    service = program.services.ingest
    preview = await service.preview_withdrawal(source_id)
    assert {view.fact.statement for view in preview.losing_facts} == {
        "Bren keeps the lamp.",
        "Bren fears the tide.",
    }
    assert [entity.name for entity in preview.losing_entities] == ["Bren"]
    assert preview.open_count == 2
    lines = await service.withdraw(source_id)
    assert any("proposed for retraction" in line for line in lines)
    canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
    fact = preview.losing_facts[0].fact
    assert (await canon.fact(fact.id)).status is FactStatus.CANONICAL  # until the gate decides
    assert len((await program.services.gate.gate(None, universe_id)).proposals) == 3
    assert (await service.read_review(source_id)).groups == ()
    await program.services.gate.commit_universe(universe_id)
    assert (await canon.fact(fact.id)).status is FactStatus.RETCONNED


async def test_row_that_needs_somebody_accepted_first_says_whom_and_is_no_conflict(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    service = program.services.ingest
    review = await service.read_review(source_id)
    key = next(g.key for g in review.groups if g.title == "Bren")
    creation, fact, *_ = (await service.read_rows(source_id, key)).rows
    await service.decide([creation.view.proposal.id], Verdict.REJECT)
    needy = next(
        row.view
        for row in (await service.read_rows(source_id, key)).rows
        if row.view.proposal == fact.view.proposal
    )
    assert needy.title.startswith("needs Bren: accept that first")
    assert (needy.conflicts, needy.mark) == ((), "defer")


async def test_what_can_be_accepted_at_once_has_no_conflict(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    book = "# Fates\n\n**Tam** is alive. **Tam** is dead. **Wenna** rows.\n"
    source_id = await ingest(program, universe_id, tmp_path, book)
    service = program.services.ingest
    review = await service.read_review(source_id)
    acceptable = await service.find_acceptable(source_id, [g.key for g in review.groups])
    assert acceptable.left_count == 2
    assert len(acceptable.ids) + 2 == review.undecided_count


async def test_withdrawal_does_not_take_from_a_running_story_what_it_uses(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    """A player: "I took the book back, pressed Enter at the gate, and the inn I was sitting in was still there"."""
    text = "# Inn\n\n**Bren** keeps the lamp.\n\n**Mara Venn** rings the bell.\n\n**Ivo** is old.\n"
    source_id = await ingest(program, universe_id, tmp_path, text)
    review = await program.services.ingest.read_review(source_id)
    await program.services.ingest.decide_groups(source_id, [g.key for g in review.groups], Verdict.ACCEPT)
    await program.services.ingest.commit(source_id)
    people = {e.name: e.id for e in await program.services.stories.characters(universe_id)}
    scene_id = await program.services.stories.start_story(
        StoryOutline(universe_id, "The lamp", people["Bren"], scene_title="The inn", place="Inn")
    )
    await program.services.play.submit(scene_id, "I look at Mara Venn.")
    service = program.services.ingest
    preview = await service.preview_withdrawal(source_id)
    names = {e.id: e.name for e in preview.losing_entities}
    assert {names[i] for i in preview.used_by if i in names} == {"Bren", "Mara Venn"}
    assert set(preview.used_by.values()) == {("The lamp",)}
    assert any(
        "stay unless you accept it: used in “The lamp”" in line for line in await service.withdraw(source_id)
    )
    await program.services.gate.commit_universe(universe_id)
    canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
    standing = {e.name: e.status for e in (await canon.entities_by_id(people.values())).values()}
    assert standing["Bren"] is EntityStatus.CANONICAL
    assert standing["Mara Venn"] is EntityStatus.CANONICAL
    assert standing["Ivo"] is EntityStatus.RETCONNED
    waiting = [
        row for row in (await program.services.gate.gate(None, universe_id)).proposals if row.mark == "defer"
    ]
    assert any("stays unless you accept it" in row.quote for row in waiting)


async def test_whom_play_has_facts_about_stays_when_the_book_goes(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    await accept_group(program, source_id, "Bren")
    await program.services.ingest.commit(source_id)
    await program.services.world.edits.propose_fact(universe_id, "Bren is my friend.")
    await program.services.gate.commit_universe(universe_id)
    preview = await program.services.ingest.preview_withdrawal(source_id)
    assert len(preview.losing_facts) == 2
    assert preview.losing_entities == ()
    assert preview.kept_count == 1


async def test_what_has_other_evidence_stays(program: Program, universe_id: Id, tmp_path: Path) -> None:
    first = await ingest(program, universe_id, tmp_path)
    await accept_group(program, first, "Bren")
    await program.services.ingest.commit(first)
    second_path = write_book(tmp_path, "# Other\n\n**Bren** keeps the lamp.\n", "Other.md")
    (second,) = await program.services.ingest.start(second_path, universe_id)
    await read_in(program)
    await accept_group(program, second.source_id, "Bren")
    await program.services.ingest.commit(second.source_id)
    preview = await program.services.ingest.preview_withdrawal(first)
    assert "Bren keeps the lamp." not in {view.fact.statement for view in preview.losing_facts}
    assert preview.kept_count >= 1


async def test_withdrawn_text_is_not_found_and_comes_back(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    service = program.services.ingest
    await program.services.jobs.wait_until_idle()
    assert await service.search(source_id, "gulls reef")
    open_count = (await service.read_review(source_id)).open_count
    await service.withdraw(source_id)
    assert await service.search(source_id, "gulls reef") == ()
    await program.services.jobs.wait_until_idle()
    assert await program.stores.words(Role.INDEXER).search("snippets", "gulls") == []
    await service.resume(source_id)
    await read_in(program)
    await program.services.jobs.wait_until_idle()
    assert await service.search(source_id, "gulls reef")
    assert (await service.read_review(source_id)).open_count == open_count


async def test_pause_keeps_what_was_read_and_resume_goes_on(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    service = program.services.ingest
    (progress,) = await service.start(write_book(tmp_path, BOOK), universe_id)
    worker = build_worker(program)
    while (await service.read_progress(universe_id))[0].chunk_count is None:
        await worker.reconcile(progress.source_id)
    await service.pause(progress.source_id)
    assert await worker.subjects() == []
    assert await worker.reconcile(progress.source_id) == 0
    (paused,) = await service.read_progress(universe_id)
    assert (paused.state, paused.served_count) == (SourceState.PAUSED, 0)
    await service.resume(progress.source_id)
    await read_in(program)
    assert await service.read_progress(universe_id) == ()


async def test_failed_document_says_why_and_keeps_the_rest(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7\nnothing")
    await program.services.ingest.start(str(path), universe_id)
    await read_in(program)
    (failed,) = await program.services.ingest.read_progress(universe_id)
    assert failed.state is SourceState.FAILED
    assert "cannot be read" in failed.error


async def test_cancelled_document_leaves_review_and_search(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    service = program.services.ingest
    (progress,) = await service.start(write_book(tmp_path, BOOK), universe_id)
    worker = build_worker(program)
    await worker.reconcile(progress.source_id)
    cancelled = await service.cancel(progress.source_id)
    assert cancelled.state is SourceState.CANCELLED
    assert await worker.reconcile(progress.source_id) == 0
    done = await ingest(program, universe_id, tmp_path, BOOK + "\nOne more.\n")
    with pytest.raises(InputError, match="Withdraw it instead"):
        await service.cancel(done)


async def test_new_edition_keeps_what_both_have(program: Program, universe_id: Id, tmp_path: Path) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    await accept_group(program, source_id, "Bren")
    await program.services.ingest.commit(source_id)
    service, log = program.services.ingest, program.stores.log(Role.CONTEXT_ASSEMBLY)
    before = {s.text: s.id for s in await log.snippets(source_id)}
    changed = BOOK.replace(
        "**Mara Venn** rings the bell. **Bren** fears the tide.", "**Ilse** rings the bell."
    )
    path = write_book(tmp_path, changed, "Second.md")
    diff = await service.preview_edition(source_id, path)
    assert diff.kept_count + len(diff.gone_passages) == len(before)
    assert "Ilse" in diff.new_passages[0].text
    assert [view.fact.statement for view in diff.losing_facts] == ["Bren fears the tide."]
    server = BoldNameServer()
    await service.ingest_edition(source_id, path)
    await read_in(program, server)
    source = await log.source(source_id)
    assert (source.edition, source.state) == (2, SourceState.DONE)
    assert len(source.earlier_object_keys) == 1
    present = {s.text: s.id for s in await log.snippets(source_id) if s.edition == 2}
    kept = before.keys() & present.keys()
    assert {text: before[text] for text in kept} == {text: present[text] for text in kept}
    assert set(server.served_ids) == {i for text, i in present.items() if text not in before}
    titles = [group.title for group in (await service.read_review(source_id)).groups]
    assert titles == ["Ilse"]  # what only the first edition said of Mara Venn is gone
    (view,) = (await service.list_sources(universe_id)).sources
    assert view.open_count == 2
    with pytest.raises(InputError, match="same edition"):
        await service.ingest_edition(source_id, path)


async def test_page_shows_its_text_and_what_it_made_true(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    await accept_group(program, source_id, "Bren")
    await program.services.ingest.commit(source_id)
    page = await program.services.ingest.read_page(source_id, 1)
    assert "keeps the lamp" in page.text
    assert "Bren keeps the lamp." in {view.fact.statement for view in page.facts}
    with pytest.raises(InputError, match="has no page 99"):
        await program.services.ingest.read_page(source_id, 99)
    with pytest.raises(InputError, match="is no PDF"):
        await program.services.ingest.export_page(source_id, 1)


async def test_rules_of_a_book_reach_the_package_with_book_and_page(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    await program.services.jobs.wait_until_idle()
    stores, role = program.stores, Role.CONTEXT_ASSEMBLY
    canon, log = stores.canon(role), stores.log(role)
    search = HybridSearch(canon, log, stores.words(role), stores.vectors(role), None)

    async def retrieve() -> tuple[str, ...]:
        context = await ContextRetriever(search, canon, log).retrieve(
            "gulls over the reef", universe_id, read_excluded_ids=no_ids
        )
        return context.rule_texts

    async def no_ids() -> list[Id]:
        return []

    rules = await retrieve()
    assert rules
    assert all(rule.startswith("(The Salt Coast, page 1) ") for rule in rules)
    await program.services.ingest.withdraw(source_id)
    assert await retrieve() == ()


async def test_withdrawal_that_a_crash_cut_off_is_completed_when_asked_for_again(
    program: Program, universe_id: Id, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    await accept_group(program, source_id, "Bren")
    service = program.services.ingest
    await service.commit(source_id)

    async def stop(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(service.withdrawal._keeper), "undo_proposals", stop)
        with pytest.raises(KeyboardInterrupt):
            await service.withdraw(source_id)
    assert (await service.list_sources(universe_id)).sources[0].state is SourceState.DONE
    await service.withdraw(source_id)
    assert (await service.list_sources(universe_id)).sources[0].state is SourceState.WITHDRAWN
    assert len((await program.services.gate.gate(None, universe_id)).proposals) == 3
    assert (await service.read_review(source_id)).groups == ()


async def test_book_that_comes_back_takes_its_retractions_back(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    source_id = await ingest(program, universe_id, tmp_path)
    await accept_group(program, source_id, "Bren")
    service, gate = program.services.ingest, program.services.gate
    report = await service.commit(source_id)
    await service.withdraw(source_id)
    await service.resume(source_id)
    await read_in(program)
    waiting = (await gate.gate(None, universe_id)).proposals
    assert all(row.status is ProposalStatus.WITHDRAWN for row in waiting)
    await gate.commit_universe(universe_id)
    canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
    facts = (await canon.facts_by_id([fact.id for fact in report.facts])).values()
    assert {fact.status for fact in facts} == {FactStatus.CANONICAL}
    await service.withdraw(source_id)
    assert len((await gate.gate(None, universe_id)).proposals) == 3


PROSE = """# Notes

The Tarmakers are a guild of rope and tar. Old Bessa Crook leads the Tarmakers and owns the Black Kettle.

Captain Hale Dunn hates Old Bessa Crook. Hale Dunn lives in Lowmoor. Tessel Vane serves Old Bessa Crook.
"""


async def test_group_is_accepted_whole_beside_a_group_that_was_accepted_before(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    """“`a` accepts a whole group”: whom its rows name may be accepted already, or in a group further down."""
    (progress,) = await program.services.ingest.start(write_book(tmp_path, PROSE), universe_id)
    await read_in(program, build_server(program))
    service, source_id = program.services.ingest, progress.source_id
    groups = (await service.read_review(source_id)).groups
    for group in groups:
        counts = await service.decide_groups(source_id, [group.key], Verdict.ACCEPT)
        assert (counts.left_count, counts.left_lines) == (0, ()), group.title
    rows = await read_all_rows(program, source_id)
    assert "Tessel Vane serves Old Bessa Crook." in [row.view.title for row in rows]
    assert {row.verdict for row in rows} == {Verdict.ACCEPT}


async def test_group_says_which_row_it_leaves_and_why(
    program: Program, universe_id: Id, tmp_path: Path
) -> None:
    (progress,) = await program.services.ingest.start(write_book(tmp_path, PROSE), universe_id)
    await read_in(program, build_server(program))
    service, source_id = program.services.ingest, progress.source_id
    keys = {g.title: g.key for g in (await service.read_review(source_id)).groups}
    await service.decide_groups(source_id, [keys["Old Bessa Crook"]], Verdict.REJECT)
    for _ in range(2):
        counts = await service.decide_groups(source_id, [keys["Tessel Vane"]], Verdict.ACCEPT)
        assert counts.left_lines == (
            "Tessel Vane serves Old Bessa Crook: It cannot be written: it is about something that is not in canon.",
        )
