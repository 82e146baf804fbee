"""`monitor model`: how the model is set up, and a first call that shows what it is worth."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from monitor_tui.cli.common import (
    AsJson,
    Home,
    command_group,
    count_text,
    print_json,
    print_progress,
    print_warning,
    resolve_home,
    run_command,
)

if TYPE_CHECKING:
    from agents.llm.errors import ModelError
    from agents.services.llm_setup import LlmSetup
    from agents.views.llm_views import LlmSetupView, LlmTrialView

commands = command_group()
llm_commands = typer.Typer(help="The model that narrates.", no_args_is_help=True)
commands.add_typer(llm_commands, name="model")

EXIT_NOT_SET_UP, EXIT_KEY_REFUSED, EXIT_UNREACHABLE, EXIT_DECLINED = 3, 4, 5, 6
EXIT_CODES = {
    "ModelUnset": EXIT_NOT_SET_UP,
    "ModelUnknown": EXIT_NOT_SET_UP,
    "ModelKeyRefused": EXIT_KEY_REFUSED,
    "ModelUnreachable": EXIT_UNREACHABLE,
    "ModelTimeout": EXIT_UNREACHABLE,
    "ModelBusy": EXIT_UNREACHABLE,
}
"""Exit codes: 3 no such model, 4 the key, 5 nobody answers (or not now), 6 it declined or broke off."""


@llm_commands.command("test")
def try_out(
    context: typer.Context,
    name: Annotated[
        str, typer.Option("--model", help="provider/model; the one that is set up if absent.")
    ] = "",
    api_base: Annotated[str, typer.Option("--api-base", help="Its address, if not the provider's own.")] = "",
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Make one small call, and show its answer, speed, tokens and price.

    Exit codes: 0 it works, 3 no such model, 4 the key, 5 nobody answers, 6 it declined or broke off.
    """
    trial = run_command(_run_trial(resolve_home(context, home), name, api_base, as_json))
    if as_json:
        print_json({"works": True, **asdict(trial)})
    else:
        print("\n".join(_trial_lines(trial)))


@llm_commands.command()
def show(context: typer.Context, as_json: AsJson = False, home: Home = None) -> None:
    """Show the model settings, and where its key is stored. Calls no model."""
    setup_view = run_command(_read_setup(resolve_home(context, home)))
    if as_json:
        print_json(asdict(setup_view))
    else:
        print("\n".join(_setup_lines(setup_view)))


@llm_commands.command()
def trust(
    context: typer.Context,
    address: Annotated[
        str, typer.Argument(help="The address of a model's server, as https://example.org/v1.")
    ],
    home: Home = None,
) -> None:
    """Let your API keys go to the server of an address that settings.toml names."""
    run_command(_trust_address(resolve_home(context, home), address))
    print(f"Your keys may go to {address}.")


async def _trust_address(home: Path, address: str) -> None:
    async with _open_llm_setup(home) as llm_setup:
        await llm_setup.trust_address(address)


async def _run_trial(home: Path, name: str, api_base: str, as_json: bool) -> LlmTrialView:
    from agents.llm.errors import ModelError

    async with _open_llm_setup(home) as llm_setup:
        model_name = name or llm_setup.current_settings.model.name or "the model"
        if not as_json:
            print_progress(f"Asking {model_name} ...")
        try:
            return await llm_setup.test_model(name, api_base=api_base)
        except ModelError as error:
            _exit_with_model_error(error, model_name, as_json)


async def _read_setup(home: Path) -> LlmSetupView:
    async with _open_llm_setup(home) as llm_setup:
        return await llm_setup.build_setup_view()


@asynccontextmanager
async def _open_llm_setup(home: Path) -> AsyncIterator[LlmSetup]:
    """The model's set-up without a library: a model can be tried before there is one."""
    from agents.events import EventBus
    from agents.llm.child_client import ChildModel
    from agents.llm.provider_keys import ProviderKeys
    from agents.llm.trusted_addresses import TrustedAddresses
    from agents.personas.prompt_files import load_prompts
    from agents.services.llm_setup import LlmSetup, build_key_environment
    from monitor_tui.paths import trusted_addresses_file
    from monitor_tui.settings_file import SettingsFile

    keys = ProviderKeys(trusted_addresses=TrustedAddresses(trusted_addresses_file()))
    child = ChildModel(build_key_environment(keys, lambda: llm_setup.current_settings))
    llm_setup = LlmSetup(SettingsFile(home), child, keys, load_prompts, EventBus())
    try:
        await llm_setup.read_settings()
        yield llm_setup
    finally:
        await child.close()


def _exit_with_model_error(error: ModelError, model_name: str, as_json: bool) -> NoReturn:
    if as_json:
        print_json(
            {"works": False, "model": model_name, "error": error.code, "what": error.what, "todo": error.todo}
        )
    print_warning(" ".join(part for part in (error.what, error.todo) if part))
    raise SystemExit(EXIT_CODES.get(error.code, EXIT_DECLINED))


def _trial_lines(trial: LlmTrialView) -> list[str]:
    speed = trial.tokens_out / max(trial.seconds - trial.first_seconds, 0.001)
    counted_by = "by the provider" if trial.counted else "our estimate"
    tokens_text = f"{count_text(trial.tokens_in, 'token')} in, {trial.tokens_out:,} out ({counted_by})"
    price = format_dollars(trial.micros) if trial.priced else "not known: it is on no price list"
    turn = "not known" if trial.per_turn is None else f"about {format_dollars(trial.per_turn)}"
    return [
        trial.words,
        "",
        f"model         {trial.model}",
        f"first word    {trial.first_seconds:.2f} s",
        f"whole answer  {trial.seconds:.2f} s, {speed:,.0f} tokens a second",
        f"tokens        {tokens_text}",
        f"price         {price}",
        f"a turn        {turn}, with the personas that are on",
        f"schema        {'taken' if trial.takes_schema else 'not taken: answers are read from text'}",
    ]


def _setup_lines(setup_view: LlmSetupView) -> list[str]:
    lines = [
        f"model       {setup_view.model or 'none: you narrate'}",
        f"address     {setup_view.api_base or 'the provider’s own'}",
        f"key         {setup_view.key}",
        f"fall-backs  {', '.join(setup_view.fallbacks) or 'none'}",
        f"time        {setup_view.seconds:g} s for an answer",
        f"settings    {setup_view.file}",
    ]
    if setup_view.from_environment:
        lines.append(f"environment {', '.join(setup_view.from_environment)}")
    lines.append("")
    for persona in setup_view.personas:
        state = "on " if persona.on else "off"
        own = f"  [{persona.own_model}]" if persona.own_model else ""
        lines.append(f"{state}  {persona.persona.value:<10} {persona.does}{own}")
    return lines


def format_dollars(micros: int) -> str:
    """Millionths of a US dollar in words: two digits that say something, and never 0 for what costs."""
    if micros == 0:
        return "$0"
    return f"${micros / 1_000_000:,.2f}" if micros >= 100_000 else f"${micros / 1_000_000:.6f}".rstrip("0")
