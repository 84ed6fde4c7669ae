### form
class ${class_name}Form(BaseModel):
    """What the form on the page sends; the page draws its fields from here too."""

    name: str = Field(max_length=255)
### class
class $controller(Controller):
    """The $many_words, as pages."""
### index
    async def index(self) -> dict[str, Any]:
        """Renders $views/index.html.j2."""
        return {"$many": []}
### new
    async def new(self) -> dict[str, Any]:
        """Renders $views/new.html.j2."""
        return {"form": ${class_name}Form}
### create
    async def create(self, form: Annotated[${class_name}Form, Form()]) -> Response:
        """Check what came with the form, which is not kept yet."""
        self.flash(f"{form.name} was read.")
        return self.redirect_to($after_create)
### show
    async def show(self, id: int) -> dict[str, Any]:
        """Renders $views/show.html.j2."""
        return {"id": id}
### custom
    async def $method(self) -> None:
        """Renders $views/$action.html.j2."""
