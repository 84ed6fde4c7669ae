# {{ name }}

{% if oauth %}
Pages for people, tools for AI clients, one login for both.
{% elif mcp %}
Pages for people, tools for AI clients.
{% else %}
Pages for people, and their login.
{% endif %}

```console
$ bin/serve        # http://localhost:3000, with a password for this run
$ bin/test         # lint, types and tests
```

You need Python 3.11 or newer. Where lazyapp is not installed yet, the first run makes `.venv` and installs it, by uv if you have that.

{% if mcp %}
`bin/serve` prints the line that adds this application to Claude:

```console
$ claude mcp add --transport http {{ name }} http://localhost:3000/mcp
```

{% if not oauth %}
No client is asked who it is: `/mcp` is for this machine, and a start in production on any other address is refused until `init/app.py`
gives it `oauth=`, or an authorizer of your own.

{% endif %}
A desktop client that starts its servers itself runs `lazyapp mcp stdio` in this folder.

{% endif %}
## Where things are

| folder | what is in it |
|---|---|
| `init/` | what this application is made of: routes, services, users, login{% if mcp %}, MCP modules{% endif %} |
| `app/controllers/`, `app/views/`, `app/public/` | pages: actions, templates, files served as they are |
{% if mcp %}
| `app/mcps/` | what AI clients can call and read; each `*_mcp` is found by itself |
{% endif %}
| `app/services/` | what {{ "both are" if mcp else "they are" }} built on |
| `tests/` | `bin/test` runs them |

`lazyapp routes` lists all that the application answers. `AGENTS.md` tells a coding agent the same, shorter.

## In production

```console
$ export SECRET_KEY=$(python3 -c 'import secrets; print(secrets.token_hex(32))')
$ export LAZYAUTH_DEFAULT_PASS=$(python3 -c 'import secrets; print(secrets.token_urlsafe(16))')
$ export PUBLIC_URL=https://{{ name }}.example
$ export DATABASE_URL=postgresql://user:password@host/{{ name }}
$ export LAZYAPP_MIGRATE=auto
$ bin/serve --production --host 0.0.0.0
```

Make the first two once and keep them with your secrets: every start needs the same `SECRET_KEY`, and `admin` signs in with
`LAZYAUTH_DEFAULT_PASS`. `PUBLIC_URL` is the address that browsers{% if mcp %} and AI clients{% endif %} use; the proxy that answers there with TLS sends them
on to port 3000. With `LAZYAPP_MIGRATE=auto` a start brings the database up to date, however many processes start at once; without,
`lazyapp db upgrade` does, and a start on a database that lacks something is refused.

That user lives in the memory of one process. For more users, and before you say `--workers 2`, give `Config(auth=…)` in `init/app.py` a
backend that all processes share. A start that would be unsafe is refused with a sentence that says what to set; `lazyapp check --deploy`
tells them all.

The `Dockerfile` makes an image that runs as nobody in particular and answers its health check; no secret is in it:

```console
$ docker build -t {{ name }} .
$ docker run -p 3000:3000 -e SECRET_KEY -e LAZYAUTH_DEFAULT_PASS -e PUBLIC_URL -e DATABASE_URL -e LAZYAPP_MIGRATE {{ name }}
```
