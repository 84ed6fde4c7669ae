"""What a tool or a prompt gives to the model: text, pictures, sounds, links to resources and whole resources.

Return one of these, or a list that mixes them with str. `ToolResult` is for a tool whose words for the model differ from its
structure for programs.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Generic, Literal

from pydantic_core import to_jsonable_python
from typing_extensions import TypeVar

from lazymcp.errors import RegistrationError
from lazymcp.icons import Icon, icons_of

__all__ = [
    "CONTENT",
    "Annotations",
    "Audio",
    "Content",
    "Image",
    "ResourceContent",
    "ResourceLink",
    "Text",
    "ToolResult",
    "block_of",
]

T = TypeVar("T", default=Any)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """Hints for the client on what a content or a resource is good for. MCP, `Annotations`.

    Attributes:
        audience: whom it is meant for, `"user"`, `"assistant"` or both; empty says nothing.
        priority: from 0, entirely optional, to 1, effectively required.
        last_modified: a datetime with a time zone, or an ISO 8601 text.
    """

    audience: Sequence[Literal["user", "assistant"]] = ()
    priority: float | int | None = None
    last_modified: datetime | str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The wire form.

        Raises:
            RegistrationError: a hint is not one that clients understand.
        """
        wire: dict[str, Any] = {}
        if self.audience:
            if isinstance(self.audience, str) or not set(self.audience) <= {"user", "assistant"}:
                raise RegistrationError(f'audience is a list of "user" and "assistant", not {self.audience!r}')
            wire["audience"] = list(self.audience)
        if self.priority is not None:
            if not 0 <= self.priority <= 1:
                raise RegistrationError(f"priority is a number from 0 to 1, not {self.priority!r}")
            wire["priority"] = self.priority
        if self.last_modified is not None:
            wire["lastModified"] = _timestamp(self.last_modified)
        return wire


@dataclass(frozen=True, slots=True)
class Text:
    """A text that needs annotations or metadata; without them return a plain str."""

    text: str
    annotations: Annotations | None = field(default=None, kw_only=True)
    meta: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def to_block(self) -> dict[str, Any]:
        """The content block."""
        return _block({"type": "text", "text": self.text}, self.annotations, self.meta)


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, `mime_type` such as `image/png`."""

    data: bytes = field(repr=False)
    mime_type: str
    annotations: Annotations | None = field(default=None, kw_only=True)
    meta: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        _check_media("Image", "image/", self.data, self.mime_type)

    def to_block(self) -> dict[str, Any]:
        """The content block."""
        return _block({"type": "image", "data": _base64(self.data), "mimeType": self.mime_type}, self.annotations, self.meta)


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound, `mime_type` such as `audio/wav`."""

    data: bytes = field(repr=False)
    mime_type: str
    annotations: Annotations | None = field(default=None, kw_only=True)
    meta: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        _check_media("Audio", "audio/", self.data, self.mime_type)

    def to_block(self) -> dict[str, Any]:
        """The content block."""
        return _block({"type": "audio", "data": _base64(self.data), "mimeType": self.mime_type}, self.annotations, self.meta)


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A resource that the client may read if it wants to; it need not be in any list. `size` is in bytes."""

    uri: str
    name: str
    title: str = field(default="", kw_only=True)
    desc: str = field(default="", kw_only=True)
    mime_type: str = field(default="", kw_only=True)
    size: int | None = field(default=None, kw_only=True)
    icons: Sequence[Icon] = field(default=(), kw_only=True)
    annotations: Annotations | None = field(default=None, kw_only=True)
    meta: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def to_block(self) -> dict[str, Any]:
        """The content block."""
        block: dict[str, Any] = {"type": "resource_link", "uri": self.uri, "name": self.name}
        optional: dict[str, Any] = {
            "title": self.title,
            "description": self.desc,
            "mimeType": self.mime_type,
            "icons": icons_of(self.icons),
        }
        block |= {key: value for key, value in optional.items() if value}
        if self.size is not None:
            block["size"] = self.size
        return _block(block, self.annotations, self.meta)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceContent:
    """What a resource holds: a text or a blob, never both. A tool or a prompt that returns one embeds the resource.

    Attributes:
        uri: of what was read; by default the URI that was asked for. Where it is embedded, nobody asked, so it must be told.
        annotations: told only where it is embedded; a resource of its own has them in its spec.
    """

    text: str | None = None
    blob: bytes | None = None
    mime_type: str = ""
    uri: str = ""
    annotations: Annotations | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    def to_contents(self, uri: str = "", mime_type: str = "") -> dict[str, Any]:
        """One item of the `contents` of `resources/read`; the arguments are for what it does not say itself."""
        usual = "text/plain" if self.blob is None else "application/octet-stream"
        item: dict[str, Any] = {"uri": self.uri or uri, "mimeType": self.mime_type or mime_type or usual}
        if self.blob is None:
            item["text"] = self.text or ""
        else:
            item["blob"] = _base64(self.blob)
        return _block(item, None, self.meta)

    def to_block(self) -> dict[str, Any]:
        """The content block that embeds it."""
        if not self.uri:
            raise ValueError("an embedded resource has a URI: ResourceContent(uri=…, text=…)")
        return _block({"type": "resource", "resource": self.to_contents()}, self.annotations, {})


Content = Text | Image | Audio | ResourceLink | ResourceContent
CONTENT: Final = (Text, Image, Audio, ResourceLink, ResourceContent)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Generic[T]):
    """A tool's result in its parts: what the model reads, what programs read, what only a page sees.

    A tool that says `-> ToolResult[Count]` publishes the schema of `Count` and is held to it; `-> ToolResult` alone publishes
    none, unless `ToolSpec.output_schema` gives one.

    Attributes:
        content: for the model. None shows it the structure, as JSON.
        structured: for programs: `structuredContent`.
        meta: the result's `_meta`. Users can look at it: no secrets.
    """

    content: str | Content | Sequence[str | Content] | None = None
    structured: T | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


def block_of(value: str | Content) -> dict[str, Any]:
    """The content block of a value."""
    return {"type": "text", "text": value} if isinstance(value, str) else value.to_block()


def _block(block: dict[str, Any], annotations: Annotations | None, meta: Mapping[str, Any]) -> dict[str, Any]:
    if annotations is not None and (hints := annotations.to_dict()):
        block["annotations"] = hints
    if meta:
        block["_meta"] = to_jsonable_python(meta, bytes_mode="base64")
    return block


def _check_media(kind: str, family: str, data: object, mime_type: object) -> None:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"{kind} takes bytes, not {type(data).__name__}; read the file first")
    if not isinstance(mime_type, str) or not mime_type.startswith(family) or mime_type == family:
        raise ValueError(f'the mime_type of {kind} begins with "{family}", not {mime_type!r}')


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _timestamp(moment: datetime | str) -> str:
    try:
        parsed = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    except ValueError:
        raise RegistrationError(f"last_modified is a time in ISO 8601, such as 2026-11-30T12:00:00Z, not {moment!r}") from None
    if isinstance(moment, str):
        return moment
    if parsed.tzinfo is None:
        raise RegistrationError(f"last_modified needs a time zone: {moment!r} says a time and not where")
    return parsed.isoformat().replace("+00:00", "Z")
