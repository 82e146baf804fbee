"""The court: two statements that do not go together, what each rests on, and the GM's ruling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from agents.views.conflict_views import RulingWords, Way
from screens.aside import Aside
from screens.base import ServiceScreen
from screens.key_bar import KeyBar
from screens.routes import Back, ToTurn, Visit
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.court import SidePane, WayList, turn_of
from widgets.proposal_rows import ALIKE, CONFLICT
from widgets.safe_text import content, one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.conflict_views import Case, Choice, Docket, Ruled

ASKS = {
    "time": "From when on? As day 3 dusk, day 3 18:30 or now",
    "name": "What is the other one called?",
}
UNTIL = "Until when did the first one hold? As day 3 dusk, day 3 18:30 or now"

NOTHING = "It meets nothing that a ruling could settle. Accept it, reject it, or change its words."
SETTLED = "Settled, and remembered: these two are not asked about again."


class CourtScreen(ServiceScreen[None]):
    """The conflicts of one proposal, heard one after another."""

    CSS_PATH = "court.tcss"
    AUTO_FOCUS = "WayList"
    BINDING_GROUP_TITLE = "Court"
    BINDINGS = [
        Binding("n", "walk(1)", "Next", id="court.next", tooltip="Hear the next conflict first"),
        Binding("p", "walk(-1)", "Before", id="court.before", tooltip="Hear the one before"),
        Binding("x", "words('new')", "New's words", id="court.new", tooltip="Where the new one was said"),
        Binding("X", "words('old')", "Old's words", id="court.old", tooltip="Where the old one was said"),
        Binding(
            "enter",
            "rule",
            "Rule so",
            id="court.rule",
            tooltip="Rule as typed",
            priority=True,
            key_display="⏎",
        ),
        Binding("enter", "go_on", "Go on", id="court.go_on", tooltip="Back", key_display="⏎"),
        Binding("escape", "escape", "Back", id="court.escape", tooltip="One step back; nothing is ruled"),
    ]

    @dataclass
    class Read(Message):
        docket: Docket

    @dataclass
    class Foreseen(Message):
        """What a ruling would do, or why it cannot be made so."""

        ruling: RulingWords
        lines: tuple[str, ...]
        refused: bool = False

    @dataclass
    class Made(Message):
        ruled: Ruled

    def __init__(self, services: Services, proposal_id: Id) -> None:
        super().__init__(services)
        self.proposal_id = proposal_id
        self.docket: Docket | None = None
        self._place = 0
        self._way: Way | None = None
        self._choice: Choice | None = None
        self._settled = False

    def compose(self) -> ComposeResult:
        yield TitleBar("Court")
        yield Static(id="conflict", markup=False)
        with Horizontal(id="sides"):
            yield SidePane(id="new")
            yield SidePane(id="old")
        yield WayList(empty="")
        yield Static(id="asks", markup=False)
        yield Input(id="term", compact=True)
        yield Static(id="outlook", markup=False)
        yield Aside()
        yield KeyBar()

    # --- hearing -----------------------------------------------------------------------------------

    async def read(self) -> None:
        if not self._settled:
            self.post_message(self.Read(await self.services.conflicts.docket(self.proposal_id)))

    @property
    def case(self) -> Case | None:
        """The conflict that is heard now."""
        cases = self.docket.cases if self.docket else ()
        return cases[self._place] if self._place < len(cases) else None

    @on(Read)
    def _show(self, message: Read) -> None:
        self.docket = message.docket
        self._place = min(self._place, max(0, len(message.docket.cases) - 1))
        self._hear()

    def _hear(self) -> None:
        """Show the case with all its rulings."""
        assert self.docket is not None
        case, cases = self.case, self.docket.cases
        count = f"conflict {self._place + 1} of {len(cases)}" if len(cases) > 1 else ""
        self.query_one(TitleBar).show(self.docket.title, count)
        self._way = self._choice = None
        self.query_one("#sides").display = case is not None
        self.query_one("#conflict", Static).update(_conflict(case) if case else content(NOTHING))
        self.query_one("#new", SidePane).show("the new one", case.new if case else None)
        self.query_one("#old", SidePane).show("the one it meets", case.old if case else None)
        self.query_one("#old").display = case is not None and case.old is not None
        self._offer(case.ways if case else ())

    def _offer(self, values: tuple[Way | Choice, ...]) -> None:
        """Let the GM choose one of these."""
        self._ask(None)
        ways = self.query_one(WayList)
        ways.show(values)
        ways.focus()
        self.refresh_bindings()

    # --- choosing ----------------------------------------------------------------------------------

    @on(WayList.Highlighted)
    def _show_outlook(self, message: WayList.Highlighted) -> None:
        message.stop()
        if message.value is not None and self.case is not None:
            self._foresee(self._words(message.value))

    @on(WayList.Taken)
    def _taken(self, message: WayList.Taken) -> None:
        """Make the ruling, or first ask for its form or for what it must be told."""
        message.stop()
        if isinstance(message.value, Way):
            self._way, self._choice = message.value, None
            if message.value.choices:
                self._offer(message.value.choices)
                return
        else:
            self._choice = message.value
        if self._way is not None and self._way.asks:
            self._ask(self._way)
        else:
            self._rule(self._words(message.value))

    def _ask(self, way: Way | None) -> None:
        """Ask for the time or the name, or (None) no longer."""
        field, asks = self.query_one("#term", Input), self.query_one("#asks", Static)
        field.display = asks.display = way is not None
        if way is None:
            return
        asks.update(content(UNTIL if way.name == "until" else ASKS[way.asks], "$text-accent"))
        field.value = (self._choice.suggested if self._choice else "") or way.suggested
        field.cursor_position = len(field.value)
        field.focus()
        self.refresh_bindings()

    def _words(self, value: Way | Choice) -> RulingWords:
        """Return the ruling as it is chosen so far, with what is typed."""
        case = self.case
        assert case is not None
        way = value if isinstance(value, Way) else self._way
        assert way is not None
        ruling = RulingWords(self.proposal_id, case.against, way.name)
        choice = None if isinstance(value, Way) else value
        if choice is not None:
            ruling = replace(
                ruling, yielding=choice.yielding, standing=choice.standing, entity_id=choice.entity_id
            )
        field = self.query_one("#term", Input)
        typed = field.value if field.display else (choice.suggested if choice else "") or way.suggested
        if way.asks == "time":
            return replace(ruling, when=typed)
        return replace(ruling, name=typed) if way.asks == "name" else ruling

    @on(Input.Changed)
    def _typing(self, message: Input.Changed) -> None:
        message.stop()
        chosen = self._choice or self._way
        if chosen is not None and message.input.display:
            self._foresee(self._words(chosen))

    @on(Input.Submitted)
    def _typed(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_rule()

    # --- what it would do, and doing it --------------------------------------------------------------

    @work(exclusive=True, group="foresee", exit_on_error=False)
    async def _foresee(self, ruling: RulingWords) -> None:
        try:
            lines = await self.services.conflicts.foresee(ruling)
        except MonitorError as error:
            self.post_message(self.Foreseen(ruling, (error.what, error.todo), refused=True))
        else:
            self.post_message(self.Foreseen(ruling, lines))

    @on(Foreseen)
    def _tell_outlook(self, message: Foreseen) -> None:
        if self._settled:
            return
        style = "$text-warning" if message.refused else ""
        lines = [content(one_line(line), style) for line in message.lines if line]
        self.query_one("#outlook", Static).update(Content("\n").join(lines))

    def _rule(self, ruling: RulingWords) -> None:
        self.change(self._make(ruling), "rule")

    async def _make(self, ruling: RulingWords) -> None:
        self.post_message(self.Made(await self.services.conflicts.rule(ruling)))

    @on(Made)
    def _made(self, message: Made) -> None:
        """Hear what is left, or tell that all is settled."""
        ruled = message.ruled
        self.query_one(Aside).clear()
        if ruled.left:
            self.query_one(Aside).say((*ruled.lines, f"{ruled.left} more to settle."))
            self.reload()
            return
        self._settled = True
        failed = [f"✗ Not written: {why}" for _, why in ruled.report.failed] if ruled.report else []
        self._ask(None)
        self.query_one("#sides").display = False
        ways = self.query_one(WayList)
        ways.show(())
        ways.display = False
        self.query_one("#conflict", Static).update(content("" if failed else SETTLED, "bold"))
        lines = [content(one_line(line)) for line in (*ruled.lines, *failed)]
        self.query_one("#outlook", Static).update(Content("\n").join(lines))
        self.set_focus(None)
        self.refresh_bindings()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        typing = self.query_one("#term", Input).has_focus
        match action, parameters:
            case "walk", _:
                several = self.docket is not None and len(self.docket.cases) > 1
                return several and not (typing or self._settled)
            case "words", ("new",):
                return (
                    not (typing or self._settled)
                    and turn_of(self.case.new if self.case else None) is not None
                )
            case "words", _:
                return (
                    not (typing or self._settled)
                    and turn_of(self.case.old if self.case else None) is not None
                )
            case "rule", _:
                return typing
            case "go_on", _:
                return self._settled or (self.docket is not None and self.case is None)
        return super().check_action(action, parameters)

    def action_walk(self, step: int) -> None:
        if self.docket is not None:
            self._place = (self._place + step) % len(self.docket.cases)
            self._hear()

    def action_words(self, side: str) -> None:
        case = self.case
        turn_id = turn_of(case.new if side == "new" else case.old) if case else None
        if turn_id is not None:
            self.post_message(Visit(ToTurn(turn_id)))

    def action_rule(self) -> None:
        """Rule as it is chosen and typed."""
        chosen = self._choice or self._way
        if chosen is not None:
            self._rule(self._words(chosen))

    def action_go_on(self) -> None:
        self.post_message(Visit(Back(self)))

    def action_escape(self) -> None:
        """One step back: from notes, from what is typed, from the forms of a ruling, then out."""
        case, field = self.case, self.query_one("#term", Input)
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        elif case is not None and field.display and self._way is not None and self._choice is not None:
            self._choice = None
            self._offer(self._way.choices)
        elif case is not None and self._way is not None and not self._settled:
            self._way = self._choice = None
            self._offer(case.ways)
        else:
            self.post_message(Visit(Back(self)))

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError):
            if worker == "rule":
                self.query_one("#outlook", Static).update("")  # the same is told in the notes
            self.query_one(Aside).tell(error)
        else:
            super().refused(error, worker)


def _conflict(case: Case) -> Content:
    sign = CONFLICT if case.certain else ALIKE
    doubt = "" if case.certain else "  It may be innocent."
    return Content.assemble(
        (f"{sign} ", "$text-error" if case.certain else "$text-warning"),
        one_line(case.text),
        (f"  ({case.check}){doubt}", "$text-muted"),
    )
