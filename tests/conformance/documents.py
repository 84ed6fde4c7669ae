"""Resources, prompts and skills."""

from pathlib import Path
from typing import Any

from lazymcp import Image, ResourceContent, SkillSpec, completes, prompt, resource
from tests.conformance.content_tools import PNG

SKILLS = Path(__file__).parent / "skills"


class Documents:
    """What is read rather than called."""

    @resource("test://static-text", mime_type="text/plain")
    def static_text(self) -> str:
        """A text that never changes."""
        return "This is the content of the static text resource."

    @resource("test://static-binary", mime_type="image/png")
    def static_binary(self) -> bytes:
        """A picture that never changes."""
        return PNG

    @resource("test://template/{id}/data", mime_type="application/json")
    def template_data(self, id: str) -> dict[str, Any]:
        """Data of one id."""
        return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}

    @resource("test://watched-resource", mime_type="text/plain")
    def watched(self) -> str:
        """A text that tells when it changes."""
        return "Watched resource content"

    @prompt
    def test_simple_prompt(self) -> str:
        """A prompt without arguments."""
        return "This is a simple prompt for testing."

    @prompt
    def test_prompt_with_arguments(self, arg1: str, arg2: str) -> str:
        """A prompt with two arguments.

        Args:
            arg1: the first.
            arg2: the second.
        """
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @completes(test_prompt_with_arguments, "arg1")
    def cities(self, value: str) -> list[str]:
        return [city for city in ("london", "paris", "prague") if city.startswith(value)]

    @prompt
    def test_prompt_with_embedded_resource(self, resourceUri: str) -> list[str | ResourceContent]:  # noqa: N803
        """A prompt that brings a resource along.

        Args:
            resourceUri: of the resource.
        """
        embedded = ResourceContent(uri=resourceUri, mime_type="text/plain", text="Embedded resource content for testing.")
        return [embedded, "Please process the embedded resource above."]

    @prompt
    def test_prompt_with_image(self) -> list[str | Image]:
        """A prompt that brings a picture along."""
        return [Image(PNG, "image/png"), "Please analyze the image above."]

    def release_notes_skill(self) -> SkillSpec:
        return SkillSpec(path=SKILLS / "release-notes")

    def triage_skill(self) -> SkillSpec:
        return SkillSpec(path=SKILLS / "triage")
