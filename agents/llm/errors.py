"""Errors of calls to a language model. Whatever fails, what the player typed is already in the story.

ModelError
├── ModelUnset           no model is configured, or none for this persona
├── ModelUnknown         no provider knows a model of that name
├── ModelKeyRefused      there is no API key, or the provider rejects it
├── ModelUnreachable     no server answers, or the child process ended
├── ModelBusy            rate limit or overload; `retry_after` seconds if the provider named them
├── ModelTimeout         no answer for too long
├── ModelCut             the stream broke off after some text
├── ModelTooLong         the prompt does not fit the model's window
├── ModelRefused         the provider or the model declined the content
├── ModelRejected        the provider does not accept the request (a parameter, a schema)
└── BudgetExhausted      a budget does not allow the call; nothing was sent
"""

from __future__ import annotations

from stores.errors import MonitorError

INPUT_KEPT = "What you typed is in the story, and so are your dice."


class ModelError(MonitorError):
    """A call to a language model failed."""

    code = "ModelError"
    is_retryable = False
    """Whether the same call may succeed on another try."""

    def __init__(self, what: str, *, kept: str = INPUT_KEPT, todo: str = "") -> None:
        super().__init__(what, kept=kept, todo=todo)


class ModelUnset(ModelError):
    code = "ModelUnset"


class ModelUnknown(ModelError):
    code = "ModelUnknown"


class ModelKeyRefused(ModelError):
    code = "ModelKeyRefused"


class ModelUnreachable(ModelError):
    code = "ModelUnreachable"
    is_retryable = True


class ModelBusy(ModelError):
    code = "ModelBusy"
    is_retryable = True

    def __init__(
        self, what: str, *, kept: str = INPUT_KEPT, todo: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(what, kept=kept, todo=todo)
        self.retry_after = retry_after


class ModelTimeout(ModelError):
    code = "ModelTimeout"
    is_retryable = True


class ModelCut(ModelError):
    code = "ModelCut"


class ModelTooLong(ModelError):
    code = "ModelTooLong"


class ModelRefused(ModelError):
    code = "ModelRefused"


class ModelRejected(ModelError):
    code = "ModelRejected"


class BudgetExhausted(ModelError):
    code = "BudgetExhausted"


ABSENT_MODEL_ERRORS = (ModelUnset, ModelKeyRefused, ModelUnreachable, ModelBusy)
"""Errors after which work that needs a model waits until one is there: nothing is wrong with what was asked."""
