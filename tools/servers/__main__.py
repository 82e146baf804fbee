"""`python -m tools.servers start|stop|status|env`: MONITOR's servers on this machine, without Docker."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.servers.base import Server
from tools.servers.catalogue import SERVERS
from tools.servers.fetch import Cache, ServerMissing, cache_folder
from tools.servers.run import Run


def main(argv: Sequence[str] | None = None) -> int:
    """Return the exit status: 0 if all is as asked, 1 if a server is missing or down, 2 for bad usage."""
    options = _parser().parse_intermixed_args(argv)
    chosen = _choose_servers(options.servers)
    run = Run(options.run, SERVERS, options.env_file)
    if options.command == "start":
        return _start(run, chosen)
    if options.command == "stop":
        return _stop(run, chosen, forget=options.forget, by_force=options.kill)
    if options.command == "env":
        sys.stdout.write(run.env_file.read_text(encoding="utf-8") if run.env_file.exists() else "")
        return 0
    return _status(run, chosen)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.servers", description=__doc__)
    parser.add_argument("command", choices=["start", "stop", "status", "env"])
    names = ", ".join(server.name for server in SERVERS)
    parser.add_argument("servers", nargs="*", metavar="NAME", help=f"only these of {names}")
    parser.add_argument(
        "--run",
        type=Path,
        default=cache_folder() / "run",
        help="the folder for data, ports, secrets and logs",
    )
    parser.add_argument("--env-file", type=Path, help="where to write the variables (default: in the run)")
    parser.add_argument("--forget", action="store_true", help="stop: remove the run's data and secrets too")
    parser.add_argument("--kill", action="store_true", help="stop: as a crash would, without a goodbye")
    return parser


def _choose_servers(names: Sequence[str]) -> list[Server]:
    servers_by_name = {server.name: server for server in SERVERS}
    unknown = [name for name in names if name not in servers_by_name]
    if unknown:
        sys.exit(f"there is no server called {', '.join(unknown)}; there are {', '.join(servers_by_name)}")
    return [servers_by_name[name] for name in names] or list(SERVERS)


def _start(run: Run, servers: Sequence[Server]) -> int:
    cache = Cache(cache_folder())

    def start_one(server: Server) -> bool:
        started_at = time.monotonic()
        try:
            place = run.start(server, cache)
        except ServerMissing as missing:
            _print_line(f"{server.name:<11}MISSING     {server.product}\n{'':<11}because {missing}")
            return False
        seconds = time.monotonic() - started_at
        _print_line(
            f"{server.name:<11}{server.kind:<12}{seconds:6.1f} s  {server.address(place):<32}{server.product}"
        )
        return True

    _print_line(f"Cache: {cache_folder()}. Run: {run.folder}.")
    # All at once: most of the time goes into MinIO's compiler, and the others need not wait for it.
    with ThreadPoolExecutor(len(servers)) as pool:
        started = list(pool.map(start_one, servers))
    run.write_env()
    _print_line(
        f"{sum(started)} of {len(servers)} servers are up. Their addresses and passwords: {run.env_file}"
    )
    return 0 if all(started) else 1


def _stop(run: Run, servers: Sequence[Server], *, forget: bool, by_force: bool) -> int:
    for server in servers:
        was_running = run.stop(server, by_force=by_force)
        _print_line(f"{server.name:<11}{'stopped' if was_running else 'was not running'}")
    if forget:
        if any(run.find_process(server) for server in SERVERS):
            _print_line("A server of this run still runs, so nothing was removed.")
            return 1
        run.forget()
        _print_line(f"Removed {run.folder}.")
    return 0


def _status(run: Run, servers: Sequence[Server]) -> int:
    all_healthy = True
    for server in servers:
        if not run.find_process(server):
            _print_line(f"{server.name:<11}down        {server.product}")
            all_healthy = False
            continue
        place = run.place(server)
        health = "healthy" if server.healthy(place) else "NOT WELL"
        all_healthy = all_healthy and health == "healthy"
        _print_line(
            f"{server.name:<11}{server.kind:<12}{health:<10}{server.address(place):<32}{server.product}"
        )
    return 0 if all_healthy else 1


def _print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
