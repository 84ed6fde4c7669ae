class $answer(BaseModel):
    """What `$uri` holds."""

$fields
