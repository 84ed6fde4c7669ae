"""Tests of the example application."""
