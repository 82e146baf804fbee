"""What can go wrong with a model: typed, in the user's words. None of them loses a word that was typed.

ModelError
├── ModelUnset           no model is set up, or this persona has none
├── ModelUnknown         no provider goes by that name
├── ModelKeyRefused      no key, or the provider does not take it
├── ModelUnreachable     nobody answers there, or the process that speaks for us ended
├── ModelBusy            rate limit or overload; `after` seconds if the provider said
├── ModelTimeout         silence for too long
├── ModelCut             words had come, then the stream broke
├── ModelTooLong         the prompt does not fit the model's window
├── ModelRefused         the provider or the model declined the content
├── ModelRejected        the provider does not take the request as it is (a parameter, a schema)
└── BudgetExhausted      the budget stops it; nothing was sent
"""

from __future__ import annotations

from stores.errors import MonitorError

INPUT_KEPT = "What you typed is in the story, and so are your dice."


class ModelError(MonitorError):
    """`again`: whether the same call may go better on a second try."""

    code = "ModelError"
    is_retryable = False

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
