"""Tools that answer at once: every kind of content, progress, log messages, schemas and headers."""

import asyncio
from typing import Annotated, Any, Final

from lazymcp import Audio, Context, Image, ParamHeader, ResourceContent, ToolError, ToolSpec, tool

#: One red pixel.
PNG: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082"
)
#: A header and no samples.
WAV: Final = bytes.fromhex("524946462400000057415645666d74201000000001000100401f0000401f0000010008006461746100000000")
#: What lies between two messages of one tool.
STEP_S: Final = 0.05

SCHEMA_2020_12: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


class ContentTools:
    """What needs nobody's answer."""

    @tool
    def test_simple_text(self) -> str:
        """A sentence."""
        return "This is a simple text response for testing."

    @tool
    def test_image_content(self) -> Image:
        """A picture."""
        return Image(PNG, "image/png")

    @tool
    def test_audio_content(self) -> Audio:
        """A sound."""
        return Audio(WAV, "audio/wav")

    @tool
    def test_embedded_resource(self) -> ResourceContent:
        """A resource inside the answer."""
        return ResourceContent(uri="test://embedded-resource", text="This is an embedded resource content.", mime_type="text/plain")

    @tool
    def test_multiple_content_types(self) -> list[str | Image | ResourceContent]:
        """A text, a picture and a resource."""
        resource = ResourceContent(
            uri="test://mixed-content-resource", text='{"test":"data","value":123}', mime_type="application/json"
        )
        return ["Multiple content types test:", Image(PNG, "image/png"), resource]

    @tool
    def test_error_handling(self) -> str:
        """Fails, and says so."""
        raise ToolError("This tool intentionally returns an error for testing")

    @tool
    async def test_tool_with_logging(self, ctx: Context) -> str:
        """Sends three log messages."""
        for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.log(message, "info", "conformance")
            await asyncio.sleep(STEP_S)
        return "Tool with logging executed successfully"

    @tool
    async def test_logging_tool(self, ctx: Context) -> str:
        """Sends a log message to whoever asked for log messages."""
        await ctx.log("A message for those who want to hear", "info")
        return "Logged"

    @tool
    async def test_tool_with_progress(self, ctx: Context) -> str:
        """Tells how far it is: 0, 50 and 100 of 100."""
        for progress in (0, 50, 100):
            await ctx.progress(progress, 100, f"{progress} of 100")
            await asyncio.sleep(STEP_S)
        return "Tool with progress executed successfully"

    @tool
    async def test_reconnection(self, ctx: Context) -> str:
        """Closes the stream before it answers; the answer waits for the client to come back."""
        await ctx.close_stream()
        await asyncio.sleep(STEP_S)
        return "The stream was closed and resumed"

    @tool
    def test_x_mcp_header(self, region: Annotated[str, ParamHeader("Region")] = "") -> str:
        """Takes an argument that the client repeats in a header.

        Args:
            region: where to look.
        """
        return f"region: {region}"

    def json_schema_2020_12_tool(self) -> ToolSpec:
        return ToolSpec(
            name="json_schema_2020_12_tool",
            desc="Takes what its JSON Schema 2020-12 says.",
            input_schema=SCHEMA_2020_12,
            fn=self.show_arguments,
        )

    def show_arguments(self, **arguments: Any) -> str:
        return f"JSON Schema 2020-12 tool called with {sorted(arguments)}"
