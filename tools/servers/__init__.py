"""The five servers behind MONITOR's stores, fetched from package registries and run on loopback."""
