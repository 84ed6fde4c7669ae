class $answer(BaseModel):
    """What `$name` answers."""

$fields
