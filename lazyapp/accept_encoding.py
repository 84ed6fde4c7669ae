"""Which content coding a client takes, by its Accept-Encoding. RFC 9110, section 12.5.3."""

from collections.abc import Sequence

from lazyapp.accept import quality_of

IDENTITY = "identity"


def choose_coding(accepted: str, offered: Sequence[str]) -> str:
    """The coding to answer in: one of those offered, or `identity`, which is what the file is without any.

    Nothing is refused for its coding: a client that takes none of them gets the file as it is, as section 12.4.1 allows.

    Args:
        accepted: the header's value; `gzip;q=0` is not taken, and `*` stands for whatever is not named.
        offered: the codings there are besides identity, the best first, which wins among equals.
    """
    weights = _weights(accepted)
    any_other = weights.get("*", 0.0)
    # Named, identity is wanted as much as it says; unnamed it is taken when nothing else is.
    best, weight = IDENTITY, weights.get(IDENTITY, 0.0)
    for coding in offered:
        quality = weights.get(coding, any_other)
        if quality > 0 and (quality > weight or (quality == weight and best == IDENTITY)):
            best, weight = coding, quality
    return best


def _weights(accepted: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in accepted.split(","):
        name, *parameters = part.split(";")
        # RFC 9110, 8.4.1.3: the older name means the same.
        coding = name.strip().lower().removeprefix("x-")
        if coding:
            weights[coding] = quality_of(parameters)
    return weights
