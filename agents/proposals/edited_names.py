"""Has proposals name entities as the GM named them when their creation was edited at the gate. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stores.records.canon import AssertFact, CreateEntity, Payload
from stores.records.ids import Id
from stores.records.workflow import ProposedChange


class _Rename(NamedTuple):
    former_name: str
    name: str


def with_edited_names(proposals: Sequence[ProposedChange]) -> list[ProposedChange]:
    """Return the proposals, with the present name of each entity in the facts that involve it.

    A name counts that the GM gave in place of the proposed one, by an edit among these proposals. Applying this
    twice has no further effect.
    """
    renames = {
        edited.entity_id: _Rename(proposal.payload.name, edited.name)
        for proposal in proposals
        if isinstance(proposal.payload, CreateEntity)
        and isinstance(edited := proposal.change, CreateEntity)
        and edited.name != proposal.payload.name
    }
    return [_rename_in(proposal, renames) for proposal in proposals] if renames else list(proposals)


def _rename_in(proposal: ProposedChange, renames: Mapping[Id, _Rename]) -> ProposedChange:
    decision = proposal.decision
    if decision is not None and decision.edited is not None:
        edited = _rename_in_change(decision.edited, renames)
        return proposal.model_copy(update={"decision": decision.model_copy(update={"edited": edited})})
    return proposal.model_copy(update={"payload": _rename_in_change(proposal.payload, renames)})


def _rename_in_change(change: Payload, renames: Mapping[Id, _Rename]) -> Payload:
    if not isinstance(change, AssertFact):
        return change
    statement = change.statement
    for involvement in change.involves:
        if (rename := renames.get(involvement.entity_id)) is not None:
            # The present name first: it may have the former one in it.
            names = "|".join(map(re.escape, (rename.name, rename.former_name)))
            literal_name = rename.name.replace("\\", r"\\")
            statement = re.sub(rf"(?<!\w)(?:{names})(?!\w)", literal_name, statement)
    return change.model_copy(update={"statement": statement})
