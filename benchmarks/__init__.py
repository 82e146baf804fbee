"""The speeds that MONITOR promises, measured by `make bench`. See docs/benchmarks.md."""
