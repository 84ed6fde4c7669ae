"""Whole journeys: the real server as a process, driven by the clients of others and by a small browser."""
