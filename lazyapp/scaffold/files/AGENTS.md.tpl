# {{ name }}, for coding agents

A lazyapp application: pages{% if mcp %}, tools for AI clients at /mcp{% endif %} and their login in one process. Python 3.11+, typed, async.

## Commands

```console
$ bin/test                       # lint, types, tests: run it before you say that something is done
$ bin/test tests/test_pages.py   # arguments go to pytest, and then only pytest runs
$ bin/serve                      # http://localhost:3000, starts again when a file changes; it does not end by itself
$ lazyapp routes --json          # every page{% if mcp %}, tool, resource and prompt{% endif %}, with file and line
$ lazyapp check                  # starts everything but the listener, and says what fails
$ lazyapp db status              # which migrations the database has had
$ lazyapp docs --search "form"   # the framework's documentation, of the version that is installed; `lazyapp docs PAGE` prints a page
$ lazyapp --help                 # the rest; each command has --help with examples
```

`ruff format .` and `ruff check --fix .` mend most of what lint says. If `lazyapp` is not on PATH, `$(bin/setup) -m lazyapp` is it.

## What is where

- `init/app.py` puts the application together; `init/routes.py` has the paths, `init/dependencies.py` the services{% if oauth %}, `init/oauth.py` the login
  of AI clients{% endif %}.
- `app/controllers/accounts_controller.py`: a class a resource, a method an action. Parameters are FastAPI's; a service comes by its type.
- `app/views/accounts/index.html.j2` is what `AccountsController.index` renders, in `app/views/layouts/app.html.j2`.
{% if mcp %}
- `app/mcps/admin_mcp/__init__.py`: tools, resources, prompts. Every `app/mcps/*_mcp` is found by itself. `app/views/mcp/` has their pages.
{% endif %}
- `app/services/accounts.py`: the work itself, which knows neither pages nor {{ "clients" if mcp else "requests" }}. `app/public/` is served as it is.
- `tests/test_pages.py`, `tests/test_login.py`{% if mcp %}, `tests/test_mcp.py`{% endif %}: through `lazyapp.testing`'s `client`, each on a new database.

## Rules

- `init/` imports `app/`, never the other way round. Controllers{% if mcp %} and modules{% endif %} are thin; rules and SQL belong in `app/services/`.
- Importing `init.app` opens nothing: what has to be opened is a service, an async generator that yields once.
{% if mcp %}
- A tool's signature is its schema, its docstring its description, each argument told under `Args:`. Write them for a model that sees nothing
  else. {% if oauth %}`lazyauth.require_user()` first where a tool is not for everybody. {% endif %}Expected failures are `lazymcp.ToolError` with a sentence that helps.
- `Annotated[T, lazymcp.WidgetOnly]` keeps a field from the model and gives it to the widget.
{% endif %}
- A page that changes something is a POST, PATCH or DELETE by a form (`form_for`, `button_to`), and redirects. `@require_login` guards it.
- Views escape by themselves; never mark what people typed as safe. An undefined name is an error.
- Every behaviour has its test, whose name is a sentence. No sleeping, no network, no mocks of what can run.
- Secrets stand in the environment or in `.env` (see `.env.example`), never in code or logs.
