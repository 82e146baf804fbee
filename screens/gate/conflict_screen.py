"""A conflict: two statements that contradict each other, their evidence, and the GM's ruling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeGuard

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from agents.count_words import count_noun
from agents.views.conflict_views import RulingOption, RulingRequest
from screens.base import ServiceScreen
from screens.evidence_routes import build_evidence_route
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from screens.typed_ahead import TypeAhead, is_over_prompt
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.conflict import RulingOptionList, StatementPane, find_readable_source
from widgets.proposal_rows import ALIKE_SIGN, CONFLICT_SIGN, DOUBT_SIGN
from widgets.safe_text import content, one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.conflict_views import ProposalConflict, ProposalConflicts, RulingOutcome, RulingVariant

TERM_QUESTIONS = {
    "time": "From when? For example: day 3 dusk, day 3 18:30, now",
    "name": "What is the other one called?",
}
UNTIL_QUESTION = "Until when was the first true? For example: day 3 dusk, day 3 18:30, now"

NO_CONFLICT_HINT = "No conflict here to resolve. Accept it, reject it or edit it."
SETTLED_TEXT = "Resolved. You will not be asked about these two again."


class ConflictScreen(ServiceScreen[None]):
    """The conflicts of one proposal, one after another."""

    CSS_PATH = SCREENS_FOLDER / "gate/conflict_screen.tcss"
    AUTO_FOCUS = "RulingOptionList"
    BINDING_GROUP_TITLE = "Resolve conflict"
    BINDINGS = [
        Binding("right", "walk(1)", "Next", id="conflict.next", tooltip="Show the next conflict"),
        Binding("left", "walk(-1)", "Previous", id="conflict.before", tooltip="Show the previous conflict"),
        Binding(
            "x", "words('new')", "New evidence", id="conflict.new", tooltip="Where the new statement was made"
        ),
        Binding(
            "h", "words('old')", "Old evidence", id="conflict.old", tooltip="Where the old statement was made"
        ),
        Binding(
            "enter",
            "rule",
            "Resolve",
            id="conflict.rule",
            tooltip="Resolve it as typed",
            priority=True,
            key_display="⏎",
        ),
        Binding("enter", "go_on", "Go on", id="conflict.go_on", tooltip="Back", key_display="⏎"),
        Binding(
            "escape", "escape", "Back", id="conflict.escape", tooltip="One step back; nothing is decided"
        ),
    ]

    @dataclass
    class ConflictsLoaded(Message):
        conflicts_view: ProposalConflicts

    @dataclass
    class RulingPreviewed(Message):
        """What a ruling would do, or why it cannot be made."""

        ruling: RulingRequest
        lines: tuple[str, ...]
        is_refused: bool = False

    @dataclass
    class RulingMade(Message):
        ruling_result: RulingOutcome

    def __init__(self, services: Services, proposal_id: Id) -> None:
        super().__init__(services)
        self.proposal_id = proposal_id
        self.conflicts_view: ProposalConflicts | None = None
        self._conflict_index = 0
        self._ruling_option: RulingOption | None = None
        self._ruling_choice: RulingVariant | None = None
        self._is_settled = False
        self._leads_to_prompt = False
        self._type_ahead = TypeAhead(self)

    def compose(self) -> ComposeResult:
        yield TitleBar("Resolve conflict")
        yield Static(id="conflict", markup=False)
        with Horizontal(id="sides"):
            yield StatementPane(id="new")
            yield StatementPane(id="old")
        yield RulingOptionList(empty="")
        yield Static(id="asks", markup=False)
        yield Input(id="term", compact=True)
        yield Static(id="outlook", markup=False)
        yield NoticePanel()
        yield KeyBar()

    # --- hearing -----------------------------------------------------------------------------------

    async def load_view(self) -> None:
        if not self._is_settled:
            self.post_message(
                self.ConflictsLoaded(await self.services.conflicts.read_conflicts(self.proposal_id))
            )

    @property
    def current_conflict(self) -> ProposalConflict | None:
        """The conflict that is shown."""
        conflicts = self.conflicts_view.conflicts if self.conflicts_view else ()
        return conflicts[self._conflict_index] if self._conflict_index < len(conflicts) else None

    @on(ConflictsLoaded)
    def _show_conflicts(self, message: ConflictsLoaded) -> None:
        if message.conflicts_view == self.conflicts_view:
            return  # read again, as after a page of evidence: what is chosen and typed stays
        self.conflicts_view = message.conflicts_view
        self._conflict_index = min(self._conflict_index, max(0, len(message.conflicts_view.conflicts) - 1))
        self._show_current_conflict()

    def _show_current_conflict(self) -> None:
        """Show the conflict with all its rulings."""
        assert self.conflicts_view is not None
        conflict, conflicts = self.current_conflict, self.conflicts_view.conflicts
        count = f"conflict {self._conflict_index + 1} of {len(conflicts)}" if len(conflicts) > 1 else ""
        self.query_one(TitleBar).show_place(self.conflicts_view.title, count)
        self._ruling_option = self._ruling_choice = None
        self.query_one("#sides").display = conflict is not None
        self.query_one("#conflict", Static).update(
            _conflict_content(conflict) if conflict else content(NO_CONFLICT_HINT)
        )
        self.query_one("#new", StatementPane).show_statement(
            "the new one", conflict.new if conflict else None
        )
        self.query_one("#old", StatementPane).show_statement(
            "the old one", conflict.old if conflict else None
        )
        self.query_one("#old").display = conflict is not None and conflict.old is not None
        self._show_options(conflict.options if conflict else ())

    def _show_options(self, options: tuple[RulingOption | RulingVariant, ...]) -> None:
        """Let the GM choose one of these."""
        self._ask_for_term(None)
        option_list = self.query_one(RulingOptionList)
        option_list.show_options(options)
        self.query_one("#outlook", Static).update(
            content(f"Nothing is chosen. {_number_keys(len(options))} or ↓ chooses; Esc leaves it undecided.")
            if options
            else ""
        )
        option_list.focus()
        self.refresh_bindings()

    # --- choosing ----------------------------------------------------------------------------------

    @on(RulingOptionList.Highlighted)
    def _preview_highlighted(self, message: RulingOptionList.Highlighted) -> None:
        message.stop()
        if _has_ways(message.value):
            # What only its first way would do is no preview of it.
            self.workers.cancel_group(self, "foresee")
            ways = count_noun(len(message.value.variants), "way")
            text = f"Enter shows {ways}; nothing is written before you choose one."
            self.query_one("#outlook", Static).update(content(text))
        elif message.value is not None and self.current_conflict is not None:
            self._preview_ruling(self._build_ruling(message.value))

    @on(RulingOptionList.OptionTaken)
    def _take_option(self, message: RulingOptionList.OptionTaken) -> None:
        """Make the ruling, or first ask for its variant or its term."""
        message.stop()
        if isinstance(message.value, RulingOption):
            self._ruling_option, self._ruling_choice = message.value, None
            if _has_ways(message.value):
                self._show_options(message.value.variants)
                return
        else:
            self._ruling_choice = message.value
        if self._ruling_option is not None and self._ruling_option.asks:
            self._ask_for_term(self._ruling_option)
        else:
            self._start_ruling(self._build_ruling(message.value))

    def _ask_for_term(self, option: RulingOption | None) -> None:
        """Ask for the time or the name; with None, stop asking."""
        field, question = self.query_one("#term", Input), self.query_one("#asks", Static)
        field.display = question.display = option is not None
        if option is None:
            return
        question.update(
            content(UNTIL_QUESTION if option.name == "until" else TERM_QUESTIONS[option.asks], "$text-accent")
        )
        field.value = (self._ruling_choice.suggested if self._ruling_choice else "") or option.suggested
        field.cursor_position = len(field.value)
        field.focus()
        self.refresh_bindings()

    def _build_ruling(self, option_or_choice: RulingOption | RulingVariant) -> RulingRequest:
        """Return the ruling as it is chosen so far, with what is typed."""
        conflict = self.current_conflict
        assert conflict is not None
        option = option_or_choice if isinstance(option_or_choice, RulingOption) else self._ruling_option
        assert option is not None
        ruling = RulingRequest(self.proposal_id, conflict.against, option.name)
        choice = None if isinstance(option_or_choice, RulingOption) else option_or_choice
        if choice is not None:
            ruling = replace(
                ruling, yielding=choice.yielding, standing=choice.standing, entity_id=choice.entity_id
            )
        field = self.query_one("#term", Input)
        term_text = field.value if field.display else (choice.suggested if choice else "") or option.suggested
        if option.asks == "time":
            return replace(ruling, when=term_text)
        return replace(ruling, name=term_text) if option.asks == "name" else ruling

    @on(Input.Changed)
    def _preview_typed_term(self, message: Input.Changed) -> None:
        message.stop()
        option_or_choice = self._ruling_choice or self._ruling_option
        if option_or_choice is not None and message.input.display:
            self._preview_ruling(self._build_ruling(option_or_choice))

    @on(Input.Submitted)
    def _rule_with_typed_term(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_rule()

    # --- what it would do, and doing it --------------------------------------------------------------

    @work(exclusive=True, group="foresee", exit_on_error=False)
    async def _preview_ruling(self, ruling: RulingRequest) -> None:
        try:
            lines = await self.services.conflicts.preview_ruling(ruling)
        except MonitorError as error:
            self.post_message(self.RulingPreviewed(ruling, (error.what, error.todo), is_refused=True))
        else:
            self.post_message(self.RulingPreviewed(ruling, lines))

    @on(RulingPreviewed)
    def _show_preview(self, message: RulingPreviewed) -> None:
        current = self.query_one(RulingOptionList).current
        if self._is_settled or current is None or _has_ways(current):
            return
        style = "$text-warning" if message.is_refused else ""
        lines = [content(one_line(line), style) for line in message.lines if line]
        self.query_one("#outlook", Static).update(Content("\n").join(lines))

    def _start_ruling(self, ruling: RulingRequest) -> None:
        self.start_change(partial(self._make_ruling, ruling), "rule")

    async def _make_ruling(self, ruling: RulingRequest) -> None:
        self.post_message(self.RulingMade(await self.services.conflicts.make_ruling(ruling)))

    @on(RulingMade)
    def _show_ruling_made(self, message: RulingMade) -> None:
        """Show the next conflict, or that all are resolved."""
        ruling_result = message.ruling_result
        self.query_one(NoticePanel).clear()
        if ruling_result.remaining_count:
            self.query_one(NoticePanel).show_lines(
                (*ruling_result.lines, f"{ruling_result.remaining_count} more to resolve.")
            )
            self.reload()
            return
        self._is_settled = True
        self._leads_to_prompt = is_over_prompt(self)
        failed_lines = (
            [f"✗ Not written: {reason}" for _, reason in ruling_result.report.failures]
            if ruling_result.report
            else []
        )
        self._ask_for_term(None)
        self.query_one("#sides").display = False
        option_list = self.query_one(RulingOptionList)
        option_list.show_options(())
        option_list.display = False
        self.query_one("#conflict", Static).update(content("" if failed_lines else SETTLED_TEXT, "bold"))
        lines = [content(one_line(line)) for line in (*ruling_result.lines, *failed_lines)]
        self.query_one("#outlook", Static).update(Content("\n").join(lines))
        self.set_focus(None)
        self.refresh_bindings()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        is_typing = self.focused is not None and self.focused.id == "term"
        match action, parameters:
            case "walk", _:
                has_several = self.conflicts_view is not None and len(self.conflicts_view.conflicts) > 1
                return has_several and not (is_typing or self._is_settled)
            case "words", ("new",):
                return (
                    not (is_typing or self._is_settled)
                    and find_readable_source(self.current_conflict.new if self.current_conflict else None)
                    is not None
                )
            case "words", _:
                return (
                    not (is_typing or self._is_settled)
                    and find_readable_source(self.current_conflict.old if self.current_conflict else None)
                    is not None
                )
            case "rule", _:
                return is_typing
            case "go_on", _:
                return self._is_settled or (self.conflicts_view is not None and self.current_conflict is None)
        return super().check_action(action, parameters)

    def action_walk(self, step: int) -> None:
        if self.conflicts_view is not None:
            self._conflict_index = (self._conflict_index + step) % len(self.conflicts_view.conflicts)
            self._show_current_conflict()

    def action_words(self, side: str) -> None:
        conflict = self.current_conflict
        source = find_readable_source(conflict.new if side == "new" else conflict.old) if conflict else None
        if (
            source is not None
            and (route := build_evidence_route(source.evidence, source.turn_id)) is not None
        ):
            self.post_message(Visit(route))

    def action_rule(self) -> None:
        """Make the ruling as it is chosen and typed."""
        option_or_choice = self._ruling_choice or self._ruling_option
        if option_or_choice is not None:
            self._start_ruling(self._build_ruling(option_or_choice))

    def on_key(self, event: events.Key) -> None:
        """Go on with a line that is typed when all is resolved."""
        if self._is_settled and self._leads_to_prompt and self._type_ahead.take(event):
            self.action_go_on()

    def action_go_on(self) -> None:
        self.post_message(Visit(Back(self)))

    def action_escape(self) -> None:
        """Go one step back: close notes, clear what is typed, leave the variants, then the screen."""
        conflict, field = self.current_conflict, self.query_one("#term", Input)
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif (
            conflict is not None
            and field.display
            and self._ruling_option is not None
            and self._ruling_choice is not None
        ):
            self._ruling_choice = None
            self._show_options(self._ruling_option.variants)
        elif conflict is not None and self._ruling_option is not None and not self._is_settled:
            self._ruling_option = self._ruling_choice = None
            self._show_options(conflict.options)
        else:
            self.post_message(Visit(Back(self)))

    def handle_error(self, error: BaseException, worker: str) -> None:
        if worker == "rule":
            self.query_one("#outlook", Static).update("")  # the error says the same
        super().handle_error(error, worker)


def _has_ways(value: object) -> TypeGuard[RulingOption]:
    """Say whether Enter on an option asks which of several ways is meant."""
    return isinstance(value, RulingOption) and bool(value.variants)


def _number_keys(option_count: int) -> str:
    return "1" if option_count == 1 else f"1 to {option_count}"


def _conflict_content(conflict: ProposalConflict) -> Content:
    sign = CONFLICT_SIGN if conflict.certain else DOUBT_SIGN if conflict.is_model_doubt else ALIKE_SIGN
    doubt = "" if conflict.certain else "  It may be harmless."
    return Content.assemble(
        (f"{sign} ", "$text-error" if conflict.certain else "$text-warning"),
        one_line(conflict.text),
        (f"  ({conflict.check}){doubt}", "$text-muted"),
    )
