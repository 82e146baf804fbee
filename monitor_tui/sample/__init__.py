"""The bundled sample world, the Salt Coast: our own writing, under the program's licence."""

from importlib.resources import files


def sample_text() -> str:
    """Return the sample's world file, for `agents.services.world_import.parse_world_file`."""
    return files(__name__).joinpath("salt_coast.yaml").read_text(encoding="utf-8")
