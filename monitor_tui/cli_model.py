"""`monitor model`: how the model is set up, and a first call that shows what it is worth."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from monitor_tui.cli_common import AsJson, Home, count, group, home_of, print_json, progress, run, warn

if TYPE_CHECKING:
    from agents.llm.errors import ModelError
    from agents.services.llm_setup import Houses
    from agents.views.llm_views import ModelHouse, Trial

commands = group()
model = typer.Typer(help="The model that narrates.", no_args_is_help=True)
commands.add_typer(model, name="model")

NOT_SET_UP, NOT_LET_IN, NOT_THERE, NOT_DONE = 3, 4, 5, 6
CODES = {
    "ModelUnset": NOT_SET_UP,
    "ModelUnknown": NOT_SET_UP,
    "ModelKeyRefused": NOT_LET_IN,
    "ModelUnreachable": NOT_THERE,
    "ModelTimeout": NOT_THERE,
    "ModelBusy": NOT_THERE,
}
"""Exit codes: 3 no such model, 4 the key, 5 nobody answers (or not now), 6 it declined or broke off."""


@model.command("test")
def try_out(
    context: typer.Context,
    name: Annotated[
        str, typer.Option("--model", help="provider/model; the one that is set up if absent.")
    ] = "",
    api_base: Annotated[str, typer.Option("--api-base", help="Its address, if not the provider's own.")] = "",
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Make one small call, and show words, speed, tokens and price.

    Exit codes: 0 it works, 3 no such model, 4 the key, 5 nobody answers, 6 it declined or broke off.
    """
    trial = run(_try_out(home_of(context, home), name, api_base, as_json))
    if as_json:
        print_json({"works": True, **asdict(trial)})
    else:
        print("\n".join(_told(trial)))


@model.command()
def show(context: typer.Context, as_json: AsJson = False, home: Home = None) -> None:
    """Show how the model is set up, and where its key was found. Asks nobody."""
    house = run(_show(home_of(context, home)))
    if as_json:
        print_json(asdict(house))
    else:
        print("\n".join(_shown(house)))


async def _try_out(home: Path, name: str, api_base: str, as_json: bool) -> Trial:
    from agents.llm.errors import ModelError

    async with _houses(home) as houses:
        asked = name or houses.current.model.name or "the model"
        if not as_json:
            progress(f"Asking {asked} ...")
        try:
            return await houses.try_out(name, api_base=api_base)
        except ModelError as error:
            _failed(error, asked, as_json)


async def _show(home: Path) -> ModelHouse:
    async with _houses(home) as houses:
        return await houses.house()


@asynccontextmanager
async def _houses(home: Path) -> AsyncIterator[Houses]:
    """The model's set-up without a library: a model can be tried before there is one."""
    from agents.events import EventBus
    from agents.llm.child_client import ChildModel
    from agents.llm.provider_keys import ProviderKeys
    from agents.personas.prompt_files import load_prompts
    from agents.services.llm_setup import Houses, keys_for
    from monitor_tui.settings_file import SettingsFile

    keys = ProviderKeys()
    child = ChildModel(keys_for(keys, lambda: houses.current))
    houses = Houses(SettingsFile(home), child, keys, load_prompts, EventBus())
    try:
        await houses.read()
        yield houses
    finally:
        await child.close()


def _failed(error: ModelError, asked: str, as_json: bool) -> NoReturn:
    if as_json:
        print_json(
            {"works": False, "model": asked, "error": error.code, "what": error.what, "todo": error.todo}
        )
    warn(" ".join(part for part in (error.what, error.todo) if part))
    raise SystemExit(CODES.get(error.code, NOT_DONE))


def _told(trial: Trial) -> list[str]:
    speed = trial.tokens_out / max(trial.seconds - trial.first_seconds, 0.001)
    who = "by the provider" if trial.counted else "our estimate"
    took = f"{count(trial.tokens_in, 'token')} in, {trial.tokens_out:,} out ({who})"
    price = dollars(trial.micros) if trial.priced else "not known: it is on no price list"
    turn = "not known" if trial.per_turn is None else f"about {dollars(trial.per_turn)}"
    return [
        trial.words,
        "",
        f"model         {trial.model}",
        f"first word    {trial.first_seconds:.2f} s",
        f"whole answer  {trial.seconds:.2f} s, {speed:,.0f} tokens a second",
        f"tokens        {took}",
        f"price         {price}",
        f"a turn        {turn}, with the personas that are on",
        f"schema        {'taken' if trial.takes_schema else 'not taken: answers are read from text'}",
    ]


def _shown(house: ModelHouse) -> list[str]:
    lines = [
        f"model       {house.model or 'none: you are the narrator'}",
        f"address     {house.api_base or 'the provider’s own'}",
        f"key         {house.key}",
        f"fall-backs  {', '.join(house.fallbacks) or 'none'}",
        f"time        {house.seconds:g} s for an answer",
        f"settings    {house.file}",
    ]
    if house.from_environment:
        lines.append(f"environment {', '.join(house.from_environment)}")
    lines.append("")
    for one in house.personas:
        state = "on " if one.on else "off"
        own = f"  [{one.own_model}]" if one.own_model else ""
        lines.append(f"{state}  {one.persona.value:<10} {one.does}{own}")
    return lines


def dollars(micros: int) -> str:
    """Millionths of a US dollar in words: two digits that say something, and never 0 for what costs."""
    if micros == 0:
        return "$0"
    return f"${micros / 1_000_000:,.2f}" if micros >= 100_000 else f"${micros / 1_000_000:.6f}".rstrip("0")
