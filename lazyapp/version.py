"""The version of the five packages, one distribution."""

__version__ = "0.1.0"
