"""Shows what is wrong with a field of a form at that field: marked, said under it, with the focus on it."""

from __future__ import annotations

from textual.dom import DOMNode
from textual.widget import Widget
from textual.widgets import Static

from stores.errors import InputError

REFUSED_CLASS = "-refused"
PROBLEM_CLASS = "field-problem"


def show_field_problem(form: DOMNode, error: InputError, main_field: str = "") -> bool:
    """Show the error at the field that it is about, else at the form's main one; return whether there is any.

    `form` is whatever contains the fields: a page, a dialog, a screen.
    """
    clear_field_problem(form)
    field = _find_field(form, error.field) or _find_field(form, main_field)
    if field is None:
        return False
    row = _row_of(field)
    assert isinstance(row.parent, Widget)
    row.add_class(REFUSED_CLASS)
    text = "! " + " ".join(filter(None, (error.what, error.kept, error.todo)))
    row.parent.mount(Static(text, classes=PROBLEM_CLASS, markup=False), after=row)
    field.focus()
    return True


def clear_field_problem(form: DOMNode) -> bool:
    """Take the message and the mark away; return whether there was one."""
    had_problem = bool(form.query(f".{PROBLEM_CLASS}"))
    form.query(f".{PROBLEM_CLASS}").remove()
    form.query(f".{REFUSED_CLASS}").remove_class(REFUSED_CLASS)
    return had_problem


def is_refused(field: Widget) -> bool:
    """Return whether the problem that is shown is this field's."""
    return _row_of(field).has_class(REFUSED_CLASS)


def _find_field(form: DOMNode, field_id: str) -> Widget | None:
    fields = list(form.query(f"#{field_id}").results(Widget)) if field_id else []
    return fields[0] if fields and _row_of(fields[0]).display else None


def _row_of(field: Widget) -> Widget:
    """Return the line of the form that holds the field and its label; some fields are a line of their own."""
    parent = field.parent
    return parent if isinstance(parent, Widget) and parent.has_class("field") else field
