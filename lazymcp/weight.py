"""What a list costs whoever reads it: tokens, estimated. One estimate for every place that shows or judges them.

Each model cuts text in its own way, and none says how before it is asked. So this is no count: it is the bytes of the JSON as it is
sent, divided by four, which is what a token of English or JSON has on average. It compares entries; it does not bill them.
"""

from typing import Any, Final

from lazymcp.jsonrpc import dump

__all__ = ["BYTES_PER_TOKEN", "tokens_of"]

BYTES_PER_TOKEN: Final = 4


def tokens_of(entry: Any) -> int:
    """About how many tokens a model reads for this JSON.

    Args:
        entry: an entry of a list, a whole list, or a result: what the client is sent.
    """
    return -(-len(dump(entry)) // BYTES_PER_TOKEN)
