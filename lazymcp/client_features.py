"""Two more questions to the client: let its model write something, and name the folders it works in.

Both are deprecated since 2026-07-28 (SEP-2577) and few clients answer them: do not build on them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from lazymcp.asking import NEEDS, ROOTS, SAMPLE, Ask, Question
from lazymcp.errors import InvalidParams, ToolError

__all__ = ["roots", "sampling"]


def sampling(
    prompt: str | Sequence[Mapping[str, Any]],
    *,
    max_tokens: int = 1000,
    system_prompt: str | None = None,
    temperature: float | None = None,
) -> Ask[str]:
    """Something for the client's model to write; the answer is its text.

    Args:
        prompt: what the user would say, or a conversation as MCP writes it, `{"role": …, "content": …}` each.
    """
    spoken = [{"role": "user", "content": {"type": "text", "text": prompt}}] if isinstance(prompt, str) else list(prompt)
    params: dict[str, Any] = {"messages": spoken, "maxTokens": max_tokens}
    if system_prompt is not None:
        params["systemPrompt"] = system_prompt
    if temperature is not None:
        params["temperature"] = temperature
    return Ask(Question(SAMPLE, params), NEEDS["sampling"], _text)


def roots() -> Ask[list[dict[str, Any]]]:
    """The folders that the client works in; the answer is a list of `{"uri": "file://…", "name": …}`."""
    return Ask(Question(ROOTS, {}), NEEDS["roots"], _roots)


def _text(result: Any) -> str:
    content = result.get("content") if isinstance(result, Mapping) else None
    blocks: list[Any] = content if isinstance(content, list) else [content]
    if not blocks or not all(isinstance(block, Mapping) and isinstance(block.get("type"), str) for block in blocks):
        raise InvalidParams("the answer to sampling/createMessage must have content: a block, or a list of blocks")
    texts = [block.get("text") for block in blocks if block["type"] == "text"]
    if not texts:
        raise ToolError(f"the client's model answered with {blocks[0]['type'][:40]} and no text")
    if not all(isinstance(text, str) for text in texts):
        raise InvalidParams("a block of text must have a text")
    return "".join(texts)


def _roots(result: Any) -> list[dict[str, Any]]:
    found = result.get("roots") if isinstance(result, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(root, dict) and isinstance(root.get("uri"), str) for root in found):
        raise InvalidParams("the answer to roots/list must have roots: a list of objects, each with a uri")
    return found
