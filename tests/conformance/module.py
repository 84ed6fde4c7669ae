"""The one module of the server under test; its items bear no module's name, because the suite asks for them bare."""

from lazymcp import Base, Scope, tool
from tests.conformance.asking_tools import AskingTools
from tests.conformance.content_tools import ContentTools
from tests.conformance.documents import Documents
from tests.conformance.task_tools import TaskTools


class Conformance(TaskTools, AskingTools, Documents, ContentTools, Base):
    """Everything that the suite looks for."""

    name = ""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    @tool
    async def test_trigger_tool_change(self) -> str:
        """Announces that the list of tools changed."""
        await self.scope.notify_tools_changed()
        return "Announced"

    @tool
    async def test_trigger_prompt_change(self) -> str:
        """Announces that the list of prompts changed."""
        await self.scope.notify_prompts_changed()
        return "Announced"

    @tool
    async def test_touch_watched_resource(self) -> str:
        """Announces that test://watched-resource changed."""
        await self.scope.notify_resource_updated("test://watched-resource")
        return "Announced"
