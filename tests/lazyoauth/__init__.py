"""Tests of lazyoauth."""
