"""Tests of lazyauth, one file for each of its files."""
