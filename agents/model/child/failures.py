"""LiteLLM's exceptions as our errors, in words for the player. No key is in them."""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx
from litellm import exceptions as told_by

from agents.clean import clean
from agents.model.child.facts import near_names
from agents.model.errors import (
    ModelBusy,
    ModelCut,
    ModelError,
    ModelKeyRefused,
    ModelRefused,
    ModelRejected,
    ModelTimeout,
    ModelTooLong,
    ModelUnknown,
    ModelUnreachable,
)
from agents.model.names import key_name, provider_of
from agents.secrets import strike_known

_REASON: Final = 200
"""Characters of a provider's own words that are shown."""

_PREFIX: Final = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)\b[:\s-]*)+")
_TOO_LONG: Final = re.compile(
    r"(?i)context.{0,20}(length|size|window)|maximum context|too many (input )?tokens"
)
_NO_KEY: Final = re.compile(
    r"(?i)missing credentials|no api[_ ]?key|api[_ ]?key (is )?(missing|not set|must be set)"
)
_NO_CREDIT: Final = re.compile(r"(?i)insufficient_quota|billing|credit balance|payment")
_OTHER_KIND: Final = (405, 501, 505)
_NOT_HTTP: Final = (httpx.RequestError, httpx.UnsupportedProtocol, httpx.LocalProtocolError)
"""The first is what LiteLLM's transport makes of an answer that is no HTTP."""

_OVERLOADED: Final = (503, 529)


def failure(error: BaseException, model: str, api_base: str = "", *, seconds: float = 0.0) -> ModelError:
    """Say what went wrong. Source of the exceptions: litellm.exceptions 1.102.4."""
    error = getattr(error, "original_exception", None) or error  # MidStreamFallbackError carries it
    where = api_base or provider_of(model) or "the provider"
    reason, status = _reason(error), getattr(error, "status_code", None)
    if _NO_KEY.search(str(error)):
        return _key_refused(model, where, reason)
    match error:
        case TimeoutError() | told_by.Timeout():
            return ModelTimeout(f"{where} did not finish in {seconds:g} s.", todo=_LONGER)
        case told_by.ContextWindowExceededError():
            return _too_long(model, reason)
        case told_by.ContentPolicyViolationError():
            return ModelRefused(f"{where} declined the content{reason}.", todo="Put it in other words.")
        case told_by.AuthenticationError() | told_by.PermissionDeniedError():
            return _key_refused(model, where, reason)
        case told_by.NotFoundError():
            return _not_found(model, api_base, reason)
        case told_by.RateLimitError():
            return _busy(error, where, reason)
        case told_by.BadRequestError() | told_by.UnprocessableEntityError():
            return _bad_request(model, where, reason, str(error))
        case _ if any(isinstance(one, httpx.RequestError) for one in _chain(error)):
            return _no_connection(error, where)
    if status in _OVERLOADED:
        return _busy(error, where, reason)
    if status in _OTHER_KIND:
        return _other_kind(where, f" (HTTP {status})")
    if isinstance(status, int) and status >= 500 and not isinstance(error, told_by.APIConnectionError):
        return ModelUnreachable(
            f"{where} has trouble of its own (HTTP {status}{reason}).", todo="Try again later."
        )
    if isinstance(error, told_by.APIConnectionError):
        return _no_connection(error, where)
    return ModelRejected(f"{where} answered with an error ({type(error).__name__}{reason}).")


def cut(error: ModelError) -> ModelCut:
    """The same, after words had come."""
    return ModelCut(f"The answer broke off: {error.what}", todo="Keep what came, or ask again.")


_LONGER: Final = (
    "Try again, choose a faster model, or allow more time: seconds under [model] in settings.toml."
)


def _key_refused(model: str, where: str, reason: str) -> ModelError:
    name = key_name(model)
    if name and not os.environ.get(name):
        todo = f"Set {name}, or keep the key with /model."
        return ModelKeyRefused(f"{where} wants a key, and there is none.", todo=todo)
    return ModelKeyRefused(
        f"{where} does not take the key{reason}.",
        todo=f"Look at {name or 'your account there'}: is the key whole, and may it use this model?",
    )


def _not_found(model: str, api_base: str, reason: str) -> ModelError:
    near = near_names(model)
    if api_base:
        return ModelUnknown(
            f"{api_base} knows no “{model.partition('/')[2]}”, or is no OpenAI-compatible address{reason}.",
            todo="Look at the model's name there, and whether the address ends in /v1.",
        )
    todo = f"Did you mean {', '.join(near)}?" if near else "Look at the provider's list of models."
    return ModelUnknown(f"{provider_of(model) or 'The provider'} has no “{model}”{reason}.", todo=todo)


def _busy(error: BaseException, where: str, reason: str) -> ModelError:
    if _NO_CREDIT.search(str(error)):
        told = ModelBusy(f"Your account at {where} has no credit left{reason}.", todo="Look at it there.")
        told.again = False
        return told
    after = _after(error)
    wait = f"Wait {after:,.0f} s" if after else "Wait a little"
    return ModelBusy(
        f"{where} takes no more for the moment{reason}.", todo=f"{wait} and ask again.", after=after
    )


def _bad_request(model: str, where: str, reason: str, words: str) -> ModelError:
    if _TOO_LONG.search(words):
        return _too_long(model, reason)
    return ModelRejected(f"{where} does not take the request as it is{reason}.")


def _too_long(model: str, reason: str) -> ModelError:
    return ModelTooLong(
        f"The prompt does not fit into what {model} can read at once{reason}.",
        todo="Choose a model with a larger window, or end the scene: its summary is shorter than it.",
    )


def _no_connection(error: BaseException, where: str) -> ModelError:
    causes = list(_chain(error))
    if any(type(one) in _NOT_HTTP for one in causes):
        return _other_kind(where)
    if any(isinstance(one, httpx.RemoteProtocolError | httpx.ReadError) for one in causes):
        return ModelUnreachable(
            f"{where} broke the connection, or is no model server.",
            todo="Look whether the server is well, and at the address and its port.",
        )
    if any(isinstance(one, socket.gaierror) for one in causes):
        return ModelUnreachable(
            f"The name of {where} cannot be found.", todo="Is this machine online, and the address right?"
        )
    if any(isinstance(one, ssl.SSLError) for one in causes):
        return ModelUnreachable(
            f"{where} has no connection that can be trusted.",
            todo="Look at its certificate, and whether the address begins with http or https.",
        )
    return ModelUnreachable(
        f"Nobody answers at {where}.", todo="Is the server running, and this machine online?"
    )


def _other_kind(where: str, how: str = "") -> ModelError:
    error = ModelUnreachable(
        f"Something answers at {where}, but it is no model server{how}.",
        todo="Look at the address and its port; an OpenAI-compatible server's usually ends in /v1.",
    )
    error.again = False
    return error


def _reason(error: BaseException) -> str:
    """The provider's own words, short, in one line, without secrets; ` (...)`, or nothing."""
    body = getattr(error, "body", None)
    told: Any = body.get("message") if isinstance(body, dict) else None
    text = _PREFIX.sub("", told if isinstance(told, str) else str(getattr(error, "message", None) or error))
    at = text.find("{")
    if at >= 0:
        try:
            inner = json.loads(text[at:])
            inner = inner.get("error", inner)
            text = str(inner.get("message", text) if isinstance(inner, dict) else inner)
        except ValueError:
            pass
    text = " ".join(clean(strike_known(text, os.environ)).split()).rstrip(".")
    if not text or "<html" in text.lower():
        return ""
    return f": {text[:_REASON]}{'…' if len(text) > _REASON else ''}"


def _after(error: BaseException) -> float | None:
    """Seconds that the provider wants us to wait: `retry-after` as a number or a date."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or getattr(error, "litellm_response_headers", None) or {}
    if told := headers.get("retry-after-ms"):
        return _number(told, 0.001)
    told = headers.get("retry-after")
    if not told:
        return None
    if (seconds := _number(told)) is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _number(told: str, unit: float = 1.0) -> float | None:
    try:
        return max(0.0, float(told) * unit)
    except ValueError:
        return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
