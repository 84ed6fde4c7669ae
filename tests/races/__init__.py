"""Races for one family among several processes on one PostgreSQL."""
