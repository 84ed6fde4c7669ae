### form
class ${class_name}Form(BaseModel):
    """What the form on the page sends; the page draws its fields from here too."""

$form_fields
### class
class $controller(Controller):
    """The $many_words: lists and pages for everybody, changes for who is signed in."""
### index
    async def index(self, db: AsyncSession) -> dict[str, Any]:
        """Renders $views/index.html.j2."""
        found = await db.scalars(select($class_name).order_by($class_name.id))
$listed
### new
    @require_login
    async def new(self$db_if_choices) -> dict[str, Any]:
        """Renders $views/new.html.j2."""
        return {"form": ${class_name}Form$choices}
### create
    @require_login
    async def create(
        self,
        db: AsyncSession,
        form: Annotated[${class_name}Form, Form()],
    ) -> Response:
        """Add $a_one. A form that fails shows the page again, with what is wrong."""
$check_references        $one = $class_name(**form.model_dump())
        db.add($one)
        await db.flush()
        self.flash("The $words was added.")
        return self.redirect_to($after_create)
### show
    async def show(self, db: AsyncSession, id: int) -> dict[str, Any]:
        """Renders $views/show.html.j2."""
        $one = await self._find(db, id)
$shown
### edit
    @require_login
    async def edit(self, db: AsyncSession, id: int) -> dict[str, Any]:
        """Renders $views/edit.html.j2."""
        $one = await self._find(db, id)
        return {"$one": $one, "form": ${class_name}Form$choices}
### update
    @require_login
    async def update(
        self,
        db: AsyncSession,
        id: int,
        form: Annotated[${class_name}Form, Form()],
    ) -> Response:
        """Change $a_one."""
        $one = await self._find(db, id)
$check_references        for name, value in form.model_dump().items():
            setattr($one, name, value)
        self.flash("The $words was changed.")
        return self.redirect_to($after_update)
### delete
    @require_login
    async def delete(self, db: AsyncSession, id: int) -> Response:
        """Take $a_one away, unless something refers to it."""
        await db.delete(await self._find(db, id))
        try:
            await db.flush()
        except IntegrityError as error:
            raise HTTPException(409, "Something still refers to it.") from error
        self.flash("The $words was deleted.")
        return self.redirect_to($after_delete)
### _find
    async def _find(self, db: AsyncSession, id: int) -> $class_name:
        # A larger number is no key, and the database would take it for an error.
        $one = await db.get($class_name, id) if 0 < id < 2**31 else None
        if $one is None:
            raise HTTPException(404, "There is no such $words.")
        return $one
### _choices
    async def _choices(self, db: AsyncSession) -> dict[str, Any]:
        """What a form can refer to: each row's key, and what people know it by."""
$choice_lines
### _check
    async def _check(self, db: AsyncSession, form: ${class_name}Form) -> None:
$reference_checks
