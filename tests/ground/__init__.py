"""Tests of what the other tests stand on: the PostgreSQL of a run, the rule about skips, the scripts in `bin/`."""
