"""Lifetimes."""

import pytest

from lazyoauth import ConfigError, Lifetimes


def test_the_defaults_let_an_ai_client_stay_for_months():
    """RFC 6749, section 4.1.2 (a code lives ten minutes at most); RFC 9700, section 4.14.2 (refresh tokens expire when unused)."""
    times = Lifetimes()
    assert times.code_s == 60
    assert times.access_s == 3600
    assert times.refresh_idle_s == 30 * 86_400
    assert times.refresh_absolute_s == 180 * 86_400


def test_a_lifetime_must_be_positive():
    """A zero would be a login that never works."""
    with pytest.raises(ConfigError, match="code_s"):
        Lifetimes(code_s=0)
