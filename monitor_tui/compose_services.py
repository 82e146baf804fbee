"""One factory for each service, from the agents and the orchestrator's parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agents.events import EventBus, Notice
from agents.importers.import_runner import Importers, ImportRunner
from agents.indexer.embedding_port import Embedder
from agents.ingest.documents.reading import DocumentReader
from agents.ingest.ladder.ladder_metrics import LadderMetrics
from agents.jobs.worker import MODEL_QUEUE
from agents.llm.llm_settings import AppSettings
from agents.memory_manager.fact_knowledge import KnowledgeReader
from agents.orchestrator.commands.all_commands import COMMANDS
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.session import SessionLoop
from agents.orchestrator.session_reader import SessionReader
from agents.orchestrator.story_start import StoryStart
from agents.orchestrator.typed_lines import TypedLines
from agents.services.bill import BillReader
from agents.services.branch_map import BranchMapReader
from agents.services.branches import BranchService
from agents.services.characters import CharacterService
from agents.services.charts import ChartReader
from agents.services.commitment_ledger import CommitmentService
from agents.services.conflict_commands import ConflictCommandService
from agents.services.conflict_statements import ConflictStatementBuilder
from agents.services.conflicts import ConflictService
from agents.services.edit_previews import EditPreviews
from agents.services.entity_cards import EntityCardReader
from agents.services.gate import GateService
from agents.services.grid_maps import GridMapService
from agents.services.ingest import IngestService
from agents.services.ingest_estimates import DocumentEstimator
from agents.services.llm import LlmService
from agents.services.llm_setup import ModelProcess
from agents.services.manual_edits import ManualEdits
from agents.services.menu import MenuReader
from agents.services.outside_proposals import OutsideProposalService
from agents.services.pictures import PictureService
from agents.services.play import PlayService
from agents.services.policy import PolicyService
from agents.services.prompt_editing import PromptEditor
from agents.services.propose_fact import FactProposer
from agents.services.provenance import ProvenanceReader
from agents.services.query import QueryService
from agents.services.recap_reader import RecapReader
from agents.services.relation_graph import RelationGraphReader
from agents.services.result_formatter import ResultFormatter
from agents.services.retold_turns import RetoldTurnFinder
from agents.services.review_reader import ReviewReader
from agents.services.services import Services
from agents.services.source_review import SourceReview
from agents.services.source_withdrawal import SourceWithdrawal
from agents.services.stories import StartupReaders, StoryService
from agents.services.story_ideas import StoryIdeas
from agents.services.story_record import StoryRecordReader
from agents.services.tables import TableService
from agents.services.timeline import TimelineReader
from agents.services.transcript_rows import TranscriptReader
from agents.services.universe_gate import UniverseGate
from agents.services.world import WorldServices
from agents.services.world_edits import WorldEditor
from agents.services.world_now import WorldNowReader
from agents.services.xray import XrayReader
from agents.telemetry.figures import OperationFigures
from agents.telemetry.loop_cycles import LoopCycles
from agents.telemetry.span_recorder import SpanRecorder, TraceFeed
from monitor_tui.background_jobs import BackgroundJobs
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.campaign_exports import (
    export_universe,
    name_export_folder,
    save_diagram,
    save_page_picture,
    save_story,
)
from monitor_tui.compose_play import Agents, PlayParts, Surroundings
from monitor_tui.ingest_workers import split_document_lazily
from monitor_tui.input_files import read_log_file
from monitor_tui.settings_editor import SettingsEditor
from monitor_tui.settings_file import SettingsFile
from monitor_tui.user_files import UserFiles, load_sample
from stores.authority import Role
from stores.draft_file import DraftFile
from stores.offer_file import OfferFile
from stores.outside_inbox import OutsideInbox
from stores.records.ids import Clock, IdGenerator
from stores.stores import Stores

if TYPE_CHECKING:
    from agents.services.world_exports import WorldExports


class ServiceComposer:
    """Builds each service once, from the agents and from the services that it looks things up in."""

    def __init__(self, agents: Agents, home: Path, notes: Callable[[], tuple[str, ...]]) -> None:
        self._home = home
        self.agents = agents
        self._base = agents.base
        self._notes = notes
        self._play = play = PlayParts(agents, OfferFile(home / "offers.json"))
        log, canon, keeper = agents.log, agents.canon, agents.keeper
        clock, ids, events = self._base.clock, self._base.ids, self._base.events
        self._entity_cards, self._transcript = (
            EntityCardReader(canon, log, keeper.policies),
            TranscriptReader(log, canon, play.outcomes),
        )
        self._session_reader = SessionReader(log, canon)
        self._recaps = RecapReader(log, canon, agents.contexts, agents.agendas)
        self._story_records = StoryRecordReader(
            log, canon, agents.contexts, self._entity_cards, self._transcript
        )
        self._universe_gate = UniverseGate(log, canon, keeper, play.views, events)
        self._manual_edits = ManualEdits(
            log, agents.proposals, self._universe_gate, play.views, play.dispatcher
        )
        self._edits = WorldEditor(canon, log, keeper, self._manual_edits, ids, clock)
        self._provenance = ProvenanceReader(canon, log, keeper, self._entity_cards, clock)
        self._ledger = CommitmentService(
            canon,
            log,
            keeper,
            agents.contexts,
            agents.agendas,
            self._entity_cards,
            play.views,
            agents.declarations,
            self._manual_edits,
            play.dispatcher,
        )
        self._export_universe = partial(export_universe, self._base.stores, home, clock)
        self._pictures = PictureService(
            canon,
            self._base.stores.log(Role.INGEST),
            self._base.stores.objects(Role.INGEST),
            DocumentReader(),
            clock,
            events,
        )

    def build_services(self) -> Services:
        """Build every service."""
        conflicts = self._build_conflicts()
        policy, llm, query = self._build_policy(conflicts), self._build_llm(), self._build_query()
        stories = self._build_stories()
        lines = self._build_lines(
            ConflictCommandService(
                conflicts, policy, self.agents.contexts, self._ledger, self.agents.agendas
            ),
            llm,
            query,
            stories,
        )
        play = self._build_play(lines)
        return Services(
            play=play,
            stories=stories,
            branches=self._build_branches(play),
            gate=self._build_gate(lines),
            conflicts=conflicts,
            policy=policy,
            world=self._build_world(),
            characters=self._build_characters(),
            query=query,
            outside=OutsideProposalService(
                self.agents.canon,
                self.agents.log,
                self._edits,
                self.agents.proposals,
                self._play.views,
                OutsideInbox(self._home),
                self._play.dispatcher,
                self._base.events,
            ),
            imports=ImportRunner(self._load_importers, read_log_file, self._base.events),
            open_exports=self._open_exports,
            ingest=self._build_ingest(),
            pictures=self._pictures,
            llm=llm,
            settings=SettingsEditor(self._home, self.agents.llm_setup.read_settings),
            tables=TableService(self._play.tables, self._base.files),
            jobs=self.agents.background.runner,
            figures=self._base.figures,
            events=self._base.events,
            drafts=DraftFile(self._home / "drafts.json"),
        )

    def _build_lines(
        self,
        conflict_commands: ConflictCommandService,
        llm: LlmService,
        query: QueryService,
        stories: StoryService,
    ) -> TypedLines:
        agents, play = self.agents, self._play
        tools = CommandTools(
            line_player=play.line_player,
            actions=play.actions,
            scene_undo=play.scene_undo,
            branches=play.branches,
            branch_maker=play.branch_maker,
            gate=play.gate_actions,
            guard=play.guard,
            declarations=agents.declarations,
            earlier_lines=play.earlier_lines,
            plain_vows=play.plain_vows,
            solo_tools=play.solo_tools,
            play_tools=play.play_table,
            narration=play.narration,
            suggestions=play.suggestions,
            views=play.views,
            log=agents.log,
            canon=agents.canon,
            conflicts=conflict_commands,
            budgets=llm,
            export_story=stories.export_story,
            read_recap=self._recaps.read_previously_lines,
            read_entity_card=self._entity_cards.read_card,
            pictures=self._pictures,
            ask_record=partial(query.answer_question, in_words=False),
        )
        return TypedLines(
            play.dispatcher,
            agents.contexts,
            play.line_player,
            play.narration,
            play.actions,
            play.triggers,
            play.play_table,
            play.views,
            agents.loops,
            COMMANDS,
            tools,
            play.records,
            play.prose_reading,
            play.offers,
            play.outcomes,
            self._base.telemetry,
        )

    def _build_play(self, lines: TypedLines) -> PlayService:
        play = self._play
        return PlayService(
            lines=lines,
            line_player=play.line_player,
            actions=play.actions,
            branches=play.branches,
            dispatcher=play.dispatcher,
            play_tools=play.play_table,
            narration_runner=play.narration_runner,
            narration=play.narration,
            views=play.views,
            suggestions=play.suggestions,
            offers=play.offers,
            transcript_reader=self._transcript,
        )

    def _build_stories(self) -> StoryService:
        agents, base, play = self.agents, self._base, self._play
        files, notes, stores = base.files, self._notes, base.stores
        return StoryService(
            dispatcher=play.dispatcher,
            session=SessionLoop(
                agents.log,
                agents.canon,
                agents.keeper,
                play.scenes,
                play.end_undo,
                play.pipeline,
                agents.loops,
                self._session_reader,
            ),
            session_reader=self._session_reader,
            menu_reader=MenuReader(agents.log, agents.canon, stores.health),
            stories=play.stories,
            story_start=StoryStart(agents.contexts, play.stories, play.pipeline, base.ids),
            story_record_reader=self._story_records,
            play_tools=play.play_table,
            canon=agents.canon,
            world_now_reader=WorldNowReader(agents.canon, agents.log),
            startup=StartupReaders(
                lambda: (*stores.current_problems(), *files.read_notes(notes)),
                load_sample,
                play.prose_reading.count_waiting,
            ),
            save_story=partial(save_story, self._home, base.clock),
            read_costs=BillReader(agents.log, agents.canon, agents.budget_guard, base.clock).read_story_costs,
            clock=base.clock,
            events=base.events,
            telemetry=base.telemetry,
        )

    def _build_branches(self, play_service: PlayService) -> BranchService:
        agents, play = self.agents, self._play
        return BranchService(
            agents.canon,
            agents.log,
            agents.keeper,
            play.branch_maker,
            BranchMapReader(agents.canon, agents.log),
            self._entity_cards,
            self._manual_edits,
            play.dispatcher,
            play_service,
        )

    def _build_gate(self, lines: TypedLines) -> GateService:
        agents, play = self.agents, self._play
        return GateService(
            lines=lines,
            actions=play.gate_actions,
            dispatcher=play.dispatcher,
            universe_gate=self._universe_gate,
            solo_tools=play.solo_tools,
            views=play.views,
            offers=play.offers,
            contexts=agents.contexts,
            canon=agents.canon,
            log=agents.log,
            read_catalogue=agents.read_catalogue,
        )

    def _build_conflicts(self) -> ConflictService:
        agents, base = self.agents, self._base
        return ConflictService(
            agents.canon,
            agents.log,
            agents.keeper,
            agents.proposals,
            agents.contexts,
            ConflictStatementBuilder(agents.canon, self._entity_cards, self._provenance),
            self._play.solo_tools.journal,
            self._play.dispatcher,
            base.clock,
            base.events,
        )

    def _build_policy(self, conflicts: ConflictService) -> PolicyService:
        agents, base = self.agents, self._base
        return PolicyService(
            agents.canon,
            agents.log,
            agents.keeper,
            agents.proposals,
            conflicts,
            self._play.dispatcher,
            base.clock,
            base.events,
        )

    def _build_world(self) -> WorldServices:
        agents = self.agents
        previews = EditPreviews(
            agents.canon,
            agents.log,
            agents.keeper,
            self._entity_cards,
            self._play.views,
            self._universe_gate,
            self._manual_edits,
            RetoldTurnFinder(agents.canon, agents.log, agents.search),
        )
        save_file = partial(save_diagram, self._home, self._base.clock)
        relation_graph = RelationGraphReader(agents.canon, agents.log, agents.keeper.policies, save_file)
        return WorldServices(
            agents.canon,
            self._entity_cards,
            self._edits,
            previews,
            self._provenance,
            TimelineReader(agents.canon, agents.log, self._entity_cards),
            relation_graph,
            GridMapService(
                agents.canon,
                agents.log,
                agents.contexts,
                self._play.play_table.grid_maps,
                relation_graph,
                self._edits,
                agents.declarations,
                agents.loops,
                self._play.dispatcher,
                save_file,
            ),
            ChartReader(agents.canon, agents.log),
            self._ledger,
            self._play.tables,
            self._export_universe,
        )

    def _open_exports(self) -> WorldExports:
        # Imported here: few sessions export, and all of them start.
        from agents.services.vault_sync import VaultSync
        from agents.services.world_exports import WorldExports
        from agents.services.world_record import WorldRecordReader
        from monitor_tui.export_folder import DiskExportFolder

        agents = self.agents
        records = WorldRecordReader(
            agents.canon,
            agents.log,
            self._entity_cards,
            self._story_records,
            TimelineReader(agents.canon, agents.log, self._entity_cards),
            self._ledger,
            self._play.play_table.grid_maps.reader,
        )
        vault_sync = VaultSync(agents.canon, agents.log, self._edits, self._manual_edits)
        return WorldExports(
            records,
            agents.log,
            vault_sync,
            self._pictures,
            DiskExportFolder,
            partial(name_export_folder, self._home),
            partial(save_story, self._home, self._base.clock),
        )

    def _build_characters(self) -> CharacterService:
        agents, play = self.agents, self._play
        return CharacterService(
            agents.canon,
            agents.log,
            agents.background.memories.misremember,
            KnowledgeReader(agents.canon, agents.log, agents.read_catalogue),
            self._entity_cards,
            play.play_table.sheets,
            self._manual_edits,
            self._universe_gate,
            play.dispatcher,
            self._base.ids,
        )

    def _build_query(self) -> QueryService:
        agents, play = self.agents, self._play
        formatter = ResultFormatter(
            agents.canon, agents.log, self._entity_cards, self._provenance, play.views
        )
        propose = FactProposer(
            agents.contexts, agents.declarations, self._edits, agents.loops, play.dispatcher
        ).propose_fact
        return QueryService(
            agents.canon,
            agents.log,
            agents.search,
            formatter,
            agents.calls,
            agents.read_catalogue,
            propose,
            self._base.ids,
        )

    def _load_importers(self) -> Importers:
        from agents.importers.cards.card_importer import CardImporter
        from agents.importers.importer import Importer
        from agents.importers.tag_proposer import TagProposer
        from agents.ingest.names.find_names import read_certain_kinds

        agents, base, play = self.agents, self._base, self._play
        log = base.stores.log(Role.CONTEXT_ASSEMBLY)
        importer = Importer(
            base.stores.history,
            log,
            agents.canon,
            play.stories.create_universe,
            play.stories.create_hero,
            TagProposer(agents.canon, agents.read_catalogue, read_certain_kinds),
            agents.proposals,
            play.dispatcher.exclusive,
            base.clock,
            base.events,
        )
        card_importer = CardImporter(
            base.stores.log(Role.INGEST),
            base.stores.objects(Role.INGEST),
            agents.canon,
            agents.proposals,
            play.stories.create_universe,
            play.dispatcher.exclusive,
            base.clock,
            base.events,
        )
        return Importers(importer, card_importer)

    def _build_ingest(self) -> IngestService:
        agents, base, play = self.agents, self._base, self._play
        log, reader = base.stores.log(Role.CONTEXT_ASSEMBLY), DocumentReader()
        ladder_metrics = LadderMetrics()
        base.events.subscribe(ladder_metrics.note_event)
        review_reader = ReviewReader(agents.log, agents.canon, play.views)
        return IngestService(
            log=log,
            canon=agents.canon,
            recorder=agents.source_recorder,
            originals=base.stores.objects(Role.INGEST),
            estimator=DocumentEstimator(log, reader, split_document_lazily, agents.read_reader_model_facts),
            page_renderer=reader,
            save_page_picture=partial(save_page_picture, self._home, base.clock),
            review_reader=review_reader,
            review=SourceReview(
                agents.log,
                review_reader,
                agents.keeper,
                play.verdict_undo,
                play.dispatcher,
                base.clock,
                base.events,
            ),
            withdrawal=SourceWithdrawal(
                agents.log,
                agents.canon,
                agents.keeper,
                agents.source_recorder,
                self._entity_cards,
                self._manual_edits,
                play.dispatcher,
                base.clock,
                base.events,
            ),
            ladder_metrics=ladder_metrics,
            record_search=agents.search,
            entity_cards=self._entity_cards,
            create_universe=play.stories.create_universe,
            list_poisoned=lambda: agents.background.runner.current_status().poisoned,
            clock=base.clock,
        )

    def _build_llm(self) -> LlmService:
        agents, base = self.agents, self._base
        return LlmService(
            agents.calls,
            agents.cancellations,
            agents.llm_setup,
            XrayReader(agents.log, base.files.prompts),
            BillReader(agents.log, agents.canon, agents.budget_guard, base.clock),
            agents.log,
            agents.keeper,
            self._play.dispatcher,
            StoryIdeas(agents.calls, agents.canon, base.ids),
            lambda: agents.background.runner.retry_now(MODEL_QUEUE),
            PromptEditor(base.files, agents.llm_setup),
        )


def compose_services(
    stores: Stores,
    home: Path,
    clock: Clock,
    ids: IdGenerator,
    notes: Callable[[], tuple[str, ...]],
    model: ModelProcess | None,
    settings: AppSettings,
    mode: BackgroundMode = BackgroundMode.OFF,
    embedder: Embedder | None = None,
    timer: Callable[[], float] = time.perf_counter,
    home_of_stores: Path | None = None,
    traces: TraceFeed | None = None,
) -> tuple[Services, BackgroundJobs]:
    """Build the services; returns what runs behind play, too: it is to be closed before the stores.

    What is measured goes to `traces`, and is summed up for the System screen in any case.
    """
    events, traces = EventBus(), traces or TraceFeed()
    figures = OperationFigures()
    traces.subscribe(figures.note_trace)
    events.subscribe(LoopCycles(traces.publish).note_event)
    stores.add_notice_listener(lambda change: events.publish(Notice(change.text, change.severity)))
    base = Surroundings(
        stores,
        UserFiles(home),
        SettingsFile(home),
        settings,
        model,
        mode,
        embedder,
        ids,
        clock,
        events,
        timer,
        SpanRecorder(traces.publish),
        figures,
        home_of_stores,
    )
    composer = ServiceComposer(Agents(base), home, notes)
    services = composer.build_services()

    async def close() -> None:
        await services.imports.close()
        await composer.agents.background.close()
        await composer.agents.model.close()

    return services, composer.agents.background._replace(close=close)
