"""Tests of lazyview, one file for each of its files."""
