"""Tests of `lazyapp.testing`."""
