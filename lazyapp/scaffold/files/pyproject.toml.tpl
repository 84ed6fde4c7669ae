[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "{{ name }}"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["lazyapp>={{ version }}"]

[project.optional-dependencies]
dev = ["mypy>=2.4", "pytest>=9.2", "ruff>=0.17"]

[tool.hatch.build.targets.wheel]
packages = ["app", "init"]

[tool.lazyapp]
app = "init.app:app"

[tool.pytest.ini_options]
testpaths = ["tests"]
anyio_mode = "auto"  # tests may be async; anyio comes with lazyapp
addopts = ["-p", "no:asyncio"]  # where pytest-asyncio is installed too, one of the two is enough

[tool.ruff]
line-length = 132

[tool.ruff.lint]
select = ["A", "ASYNC", "B", "DTZ", "E", "F", "I", "PT", "PTH", "RUF", "S", "SIM", "UP", "W"]

[tool.ruff.lint.isort]
# The framework stands beside your own code, below what others wrote.
known-first-party = ["app", "init", "lazyapp", "lazyauth", {% if mcp %}"lazymcp", {% endif %}{% if oauth %}"lazyoauth", {% endif %}"lazyview", "tests"]

[tool.ruff.lint.per-file-ignores]
"app/**" = ["A002"]  # a parameter of a route may be called `id`
"tests/**" = ["S101"]

[tool.mypy]
strict = true
files = ["app", "init", "tests"]
plugins = ["pydantic.mypy"]
disable_error_code = ["type-abstract"]  # services are looked up by Protocol as well as by class
