"""Measures the speeds that MONITOR promises (`make bench`); see docs/benchmarks.md."""
