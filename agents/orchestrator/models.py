"""The model's part of the desk, put together: set-up, X-ray, bill, and stopping what streams.

See `agents.model_desk.ModelDesk` for what each call promises.
"""

from __future__ import annotations

from agents.model.asking import Calls
from agents.model.stops import Stops
from stores.records.ids import Id
from stores.records.model import Persona


class Models:
    """Stateless: it only hands on."""

    def __init__(self, calls: Calls, stops: Stops) -> None:
        self._calls = calls
        self._stops = stops

    @property
    def on(self) -> bool:
        return self._calls.on(Persona.NARRATOR)

    def stop(self, scene_id: Id) -> bool:
        return self._stops.stop(scene_id)
