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
    """Exit status: 0 when all asked for is so, 1 when a server is missing or down, 2 for bad usage."""
    options = _parser().parse_intermixed_args(argv)
    chosen = _chosen(options.servers)
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


def _chosen(names: Sequence[str]) -> list[Server]:
    known = {server.name: server for server in SERVERS}
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"there is no server called {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names] or list(SERVERS)


def _start(run: Run, servers: Sequence[Server]) -> int:
    cache = Cache(cache_folder())

    def one(server: Server) -> bool:
        began = time.monotonic()
        try:
            place = run.start(server, cache)
        except ServerMissing as missing:
            _say(f"{server.name:<11}MISSING     {server.product}\n{'':<11}because {missing}")
            return False
        took = time.monotonic() - began
        _say(f"{server.name:<11}{server.kind:<12}{took:6.1f} s  {server.address(place):<32}{server.product}")
        return True

    _say(f"Cache: {cache_folder()}. Run: {run.folder}.")
    # All at once: most of the time goes into MinIO's compiler, and the others need not wait for it.
    with ThreadPoolExecutor(len(servers)) as pool:
        up = list(pool.map(one, servers))
    run.write_env()
    _say(f"{sum(up)} of {len(servers)} servers are up. Their addresses and passwords: {run.env_file}")
    return 0 if all(up) else 1


def _stop(run: Run, servers: Sequence[Server], *, forget: bool, by_force: bool) -> int:
    for server in servers:
        was = run.stop(server, by_force=by_force)
        _say(f"{server.name:<11}{'stopped' if was else 'was not running'}")
    if forget:
        if any(run.running(server) for server in SERVERS):
            _say("A server of this run still runs, so nothing was removed.")
            return 1
        run.forget()
        _say(f"Removed {run.folder}.")
    return 0


def _status(run: Run, servers: Sequence[Server]) -> int:
    up = True
    for server in servers:
        if not run.running(server):
            _say(f"{server.name:<11}down        {server.product}")
            up = False
            continue
        place = run.place(server)
        health = "healthy" if server.healthy(place) else "NOT WELL"
        up = up and health == "healthy"
        _say(f"{server.name:<11}{server.kind:<12}{health:<10}{server.address(place):<32}{server.product}")
    return 0 if up else 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
