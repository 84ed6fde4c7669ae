"""`Ear`: what older clients hear of besides answers.

Over HTTP it fills the stream of GET, over stdio it speaks between the answers.
"""

from collections.abc import Mapping
from functools import partial

from lazymcp.methods import is_readable
from lazymcp.news import PROMPTS, RESOURCES, TOOLS, resource_key
from lazymcp.pen import Pen, Tell
from lazymcp.registry import Registry

__all__ = ["Ear"]


class Ear:
    """Hears, for an older client, that lists and the resources it subscribed to have changed."""

    def __init__(self, registry: Registry, uris: Mapping[str, None], tell: Tell) -> None:
        """Begin to hear, with the rights of whoever is asking now.

        Args:
            uris: the resources, more of which may come.
            tell: sends a notification.
        """
        self._news = registry.news
        self._pen = Pen(partial(is_readable, registry), tell)
        self._stops = {key: self._news.watch([key], self._pen) for key in (TOOLS, PROMPTS, RESOURCES, *map(resource_key, uris))}

    def subscribe(self, uri: str) -> None:
        """Hear of a resource too."""
        key = resource_key(uri)
        if key not in self._stops:
            self._stops[key] = self._news.watch([key], self._pen)

    def unsubscribe(self, uri: str) -> None:
        """Hear no more of it."""
        if stop := self._stops.pop(resource_key(uri), None):
            stop()

    def close(self) -> None:
        """Hear nothing more."""
        for stop in self._stops.values():
            stop()
        self._stops = {}
        self._pen.close()
