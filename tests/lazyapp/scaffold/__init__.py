"""Tests of new applications."""
