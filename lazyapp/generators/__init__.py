"""Writes new parts of an application, each with a test: `lazyapp generate`.

A generator reads the application's files, without importing them, and answers a `Plan` of what to write; `carry_out` writes all
of it or nothing. The texts lie in `templates/`, written as the application's own: `$name` stands for what was asked for.
"""

from lazyapp.generators.application import Application, find_application
from lazyapp.generators.plan import Plan

__all__ = ["Application", "Plan", "find_application"]
