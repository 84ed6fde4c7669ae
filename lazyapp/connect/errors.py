"""Why a file of settings is not changed."""


class Unreadable(Exception):
    """It is not what its client reads, or something in it would be lost; says what. Nothing is written."""


class Taken(Exception):
    """It has another entry of this name.

    Attributes:
        there: that entry, as it would stand in a file.
    """

    def __init__(self, there: str) -> None:
        super().__init__(there)
        self.there = there


class Kept(Exception):
    """It has this very entry already."""
